/** Creating a campaign, step by step. Each step has an address, and relais saves its input. */
import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { useAsk } from '../asking/queries.ts';
import { useSession } from '../asking/session.tsx';
import { Back } from '../parts/back.tsx';
import { useWords } from '../parts/language.tsx';
import { NotAllowed, Notice, Page, Read } from '../parts/page.tsx';
import { Sign } from '../parts/state.tsx';
import { CostStep } from './make-cost.tsx';
import {
  type Campaign,
  type Draft,
  type Kept,
  STEPS,
  type Step,
  useJudging,
  useMaking,
  wishesOf,
} from './make-draft.ts';
import { FileStep } from './make-file.tsx';
import { PeopleStep } from './make-people.tsx';
import { SendingStep } from './make-sending.tsx';
import { StartStep } from './make-start.tsx';
import { TestStep } from './make-test.tsx';
import { TextStep } from './make-text.tsx';

interface MakeProps {
  readonly id: string;
  readonly step: string | undefined;
}

export function Make({ id, step }: MakeProps) {
  const { shell } = useWords();
  const { says } = useMaking();
  const { may } = useSession();
  const campaign = useAsk('getCampaign', { id });
  const file = useAsk('getFile', { id });
  const back = <Back to="/campaigns">{shell.campaigns}</Back>;
  return (
    <Page title={campaign.data?.name ?? says.title} above={back}>
      {may('enqueue-sms') ? (
        <Read of={campaign}>
          {(read) => <Read of={file}>{(kept) => <Making campaign={read} kept={kept} asked={step} />}</Read>}
        </Read>
      ) : (
        <NotAllowed needs={['enqueue-sms']} />
      )}
    </Page>
  );
}

interface MakingProps {
  readonly campaign: Campaign;
  readonly kept: Kept;
  readonly asked: string | undefined;
}

const SHOWN = {
  file: FileStep,
  people: PeopleStep,
  text: TextStep,
  cost: CostStep,
  sending: SendingStep,
  test: TestStep,
  start: StartStep,
} as const;

/** The step at which a returning user continues. */
function stepOf(asked: string | undefined, kept: Kept, { text }: Campaign): Step {
  const named = STEPS.find((one) => one === asked);
  if (named) return named;
  if (kept.keptAt === null) return 'file';
  return text === '' ? 'people' : 'cost';
}

function Making({ campaign, kept, asked }: MakingProps) {
  const { says } = useMaking();
  const judging = useJudging(campaign, kept);
  if (campaign.state !== 'draft' && !judging.isUnderWay) {
    return (
      <Notice
        after={
          <Link to={`/campaigns/${campaign.id}`} className="button button-main mt-2">
            {says.see}
          </Link>
        }
      >
        {says.begun}
      </Notice>
    );
  }
  const step = stepOf(asked, kept, campaign);
  const to = (one: Step): string => `/campaigns/${campaign.id}/make/${one}`;
  const draft: Draft = { campaign, kept, wishes: wishesOf(kept), judging, to };
  const Shown = SHOWN[step];
  return (
    <>
      <Steps at={step} draft={draft} />
      <Arrived step={step}>
        <Shown key={step} draft={draft} />
      </Arrived>
    </>
  );
}

interface ArrivedProps {
  readonly step: Step;
  readonly children: ReactNode;
}

/** The pressed button is gone: the step begins at its top, with focus on its name. */
function Arrived({ step, children }: ArrivedProps) {
  const { says } = useMaking();
  const place = useRef<HTMLElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current === step) return;
    shown.current = step;
    place.current?.focus({ preventScroll: true });
    scrollTo({ top: 0 });
  }, [step]);
  return (
    <section ref={place} tabIndex={-1} aria-label={says.steps[step]} data-step={step} className="outline-none">
      {children}
    </section>
  );
}

/** Completed steps, with an icon in addition to the colour. */
function isDone(step: Step, { campaign, kept }: Draft): boolean {
  if (step === 'file') return kept.report !== null;
  if (step === 'people') return kept.report?.decisions.length === 0;
  return step === 'text' && campaign.text !== '';
}

/** On a phone the list is wider than the screen: scrolls to the current step. */
function Steps({ at, draft }: { readonly at: Step; readonly draft: Draft }) {
  const here = useRef<HTMLLIElement>(null);
  useEffect(() => here.current?.scrollIntoView({ block: 'nearest', inline: 'center' }), [at]);
  const words = useWords();
  const { says } = useMaking();
  return (
    <nav aria-label={says.stepsName} className="mb-5">
      <p className="mb-2 text-sm text-quiet sm:hidden">
        {says.stepOf(String(STEPS.indexOf(at) + 1), String(STEPS.length))}
      </p>
      <ol className="flex gap-1 overflow-x-auto pb-1">
        {STEPS.map((step, place) => (
          <li key={step} ref={step === at ? here : undefined} className="shrink-0">
            <Link
              to={draft.to(step)}
              aria-current={step === at ? 'step' : undefined}
              className={`flex min-h-11 items-center gap-2 rounded-lg px-3 no-underline hover:bg-sunk ${step === at ? 'bg-accent-soft font-semibold text-accent' : ''}`}
            >
              <span aria-hidden="true" className="text-sm text-quiet">
                {isDone(step, draft) ? <Sign tone="done" /> : place + 1}
              </span>
              {says.steps[step]}
              {isDone(step, draft) && <span className="sr-only"> ({words.ends.done})</span>}
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  );
}
