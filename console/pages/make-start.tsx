/** The last page before the start: what will happen, what is irreversible, and the button. */
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useAct } from '../asking/acts.ts';
import { Ended } from '../parts/act.tsx';
import { Moment, countIn, moneyIn } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Section } from '../parts/page.tsx';
import { useApproval } from './make-cost.tsx';
import { Hours } from './campaign-facts.tsx';
import { Night } from './campaign-night.tsx';
import { type Draft, type Report, type Step, queryOf, useMaking } from './make-draft.ts';
import { Judged, Onward } from './make-parts.tsx';
import { Fact } from './operation-facts.tsx';

export function StartStep({ draft }: { readonly draft: Draft }) {
  const leaving = useLeaving(draft);
  return (
    <>
      <Judged draft={draft}>
        {draft.kept.report && (
          <>
            <Summary draft={draft} report={draft.kept.report} />
            <Leaving draft={draft} report={draft.kept.report} leaving={leaving} />
          </>
        )}
      </Judged>
      {/* It stays while its replacement loads. */}
      {leaving.end?.is !== 'done' && <Ended end={leaving.end} />}
      <Onward draft={draft} step="start" />
    </>
  );
}

interface PartProps {
  readonly draft: Draft;
  readonly report: Report;
}

function Summary({ draft, report }: PartProps) {
  const words = useWords();
  const { says } = useMaking();
  const of = words.pages.campaign;
  const { campaign, kept } = draft;
  const { text, from, sendAt, perSecond } = campaign;
  return (
    <Section title={says.start.summary}>
      <p className="mb-4 max-w-xl rounded-lg bg-sunk p-3 whitespace-pre-wrap">{text === '' ? '–' : text}</p>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2">
        <Fact name={says.start.to} is={of.toPeople(countIn(words, report.recipients))} />
        <Fact name={says.start.file} is={kept.name ?? ''} />
        <Fact name={says.cost.price} is={report.cost ? moneyIn(words, report.cost.xof) : says.cost.noPrice} />
        <Fact name={says.start.under} is={from ?? says.start.ofAccount} />
        <Fact name={says.sending.begin} is={sendAt === null ? says.sending.atOnce : <Moment at={sendAt} />} />
        <Fact name={of.quietHours} is={<Hours of={campaign} />} />
        <Fact name={of.pace} is={perSecond === null ? of.noPace : of.rate(String(perSecond))} />
      </dl>
    </Section>
  );
}

/** Open problems, in the order of the steps, with the step that fixes each. */
function useMissing({ campaign, kept }: Draft, report: Report): readonly (readonly [says: string, step: Step])[] {
  const { start } = useMaking().says;
  return [
    ...(kept.keptAt === null ? [[start.noFile, 'file'] as const] : []),
    ...(campaign.text === '' ? [[start.noText, 'text'] as const] : []),
    ...(report.decisions.length > 0 ? [[start.undecided, 'people'] as const] : []),
    ...(report.recipients === 0 ? [[start.nobody, 'people'] as const] : []),
  ];
}

/**
 * Adds the displayed recipients, then starts: a file or text that changed meanwhile is refused. After an unknown
 * result of the first request the second one is not sent.
 */
function useLeaving({ campaign: { id, contentHash: seenCampaign }, wishes }: Draft) {
  const counting = useAct('countFile');
  const starting = useAct('startCampaign');
  const [isUnderWay, setUnderWay] = useState(false);
  const [, go] = useLocation();
  const leave = async ({ contentHash: seenFile = '' }: Report): Promise<void> => {
    setUnderWay(true);
    const counted = await counting.act({ id, dryRun: false, ...queryOf(wishes), seenFile, seenCampaign });
    const started = counted && (await starting.act({ id }));
    setUnderWay(false);
    // Added, but not started or unknown: the campaign's page shows the state and has the button.
    if (started || counted) go(`/campaigns/${id}`);
  };
  return { leave, isUnderWay, end: counting.end };
}

const isPast = (sendAt: string | null): boolean => sendAt !== null && new Date(sendAt) <= new Date();

interface LeavingProps extends PartProps {
  readonly leaving: ReturnType<typeof useLeaving>;
}

function Leaving({ draft, report, leaving: { leave, isUnderWay, end } }: LeavingProps) {
  const { says } = useMaking();
  const missing = useMissing(draft, report);
  const { named, isAbove } = useApproval(report);
  const { sendAt } = draft.campaign;
  if (missing.length > 0) {
    return (
      <Section title={says.start.missing}>
        <ul className="list-disc pl-5" data-missing={missing.length}>
          {missing.map(([one, step]) => (
            <li key={one}>
              <Link to={draft.to(step)} className="link">
                {one}
              </Link>
            </li>
          ))}
        </ul>
      </Section>
    );
  }
  return (
    <section className="sheet p-5">
      <Night of={draft.campaign} mayChoose />
      <p data-approval={isAbove ? 'above' : 'below'}>{isAbove ? says.cost.aboveLimit(named) : says.start.cannot}</p>
      {isAbove && <p className="mt-2">{says.start.submits}</p>}
      {isPast(sendAt) && (
        <p className="mt-3 rounded-lg bg-uncertain-soft px-3 py-2 text-uncertain" data-past="">
          {says.start.pastTime}
        </p>
      )}
      {isUnderWay && (
        <p role="status" className="mt-3 text-moving">
          {says.start.starting}
        </p>
      )}
      {end?.is !== 'not known' && (
        <button
          type="button"
          className="button button-main mt-4"
          data-leave={isAbove ? 'submit' : 'start'}
          disabled={isUnderWay}
          onClick={() => void leave(report)}
        >
          {isAbove ? says.start.submit : says.start.start}
        </button>
      )}
    </section>
  );
}
