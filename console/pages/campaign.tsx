/** One campaign, live. */
import { useState } from 'react';
import type { Answer } from '../asking/ask.ts';
import { useAsk } from '../asking/queries.ts';
import { useSession } from '../asking/session.tsx';
import { AsOf, Count, Moment, countIn } from '../parts/figures.tsx';
import { Back } from '../parts/back.tsx';
import { useWords } from '../parts/language.tsx';
import { Page, Read, Section } from '../parts/page.tsx';
import { Reason } from '../parts/reason.tsx';
import { State } from '../parts/state.tsx';
import { Bar, type Bin, Bins } from './campaign-bar.tsx';
import { Cost, Hours } from './campaign-facts.tsx';
import { CampaignActs } from './campaign-acts.tsx';
import { Night } from './campaign-night.tsx';
import { Recipients } from './campaign-recipients.tsx';
import { Fact } from './operation-facts.tsx';

type Whole = Answer<'getCampaign'>;

/** Single recipients cause no events while it runs: the page refreshes at reading speed. */
const EVERY_MS = 1_500;

export function Campaign({ id }: { readonly id: string }) {
  const { shell, kinds } = useWords();
  const campaign = useAsk('getCampaign', { id }, { everyMs: EVERY_MS });
  const back = <Back to="/campaigns">{shell.campaigns}</Back>;
  return (
    <Page title={campaign.data?.name ?? kinds.campaign} above={back}>
      <Read of={campaign}>{(read, at) => <Live campaign={read} at={at} />}</Read>
    </Page>
  );
}

function Live({ campaign, at }: { readonly campaign: Whole; readonly at: number }) {
  const [bin, setBin] = useState<Bin>();
  const { may } = useSession();
  const { id, totals } = campaign;
  return (
    <>
      <section className="sheet mb-5 p-5" data-campaign={campaign.state}>
        <Standing campaign={campaign} />
        <div className="mt-4">
          <Bar totals={totals} />
        </div>
        <Bins totals={totals} chosen={bin} choose={setBin} />
        <AsOf at={at} />
        {campaign.state === 'ready' && <Night of={campaign} mayChoose={may('enqueue-sms')} />}
        <CampaignActs campaign={campaign} />
      </section>
      <Recipients id={id} bin={bin} name={campaign.name} totals={totals} />
      <About campaign={campaign} />
    </>
  );
}

/** State, rate and end; or why it is blocked. */
function Standing({ campaign }: { readonly campaign: Whole }) {
  const words = useWords();
  const says = words.pages.campaign;
  const { state, rate, eta, reason, heldUntil, totals, sendAt, canaryWait } = campaign;
  const isRunning = state === 'running';
  const left = totals.queued + totals.held + totals.sending;
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <State kind="campaign" state={state} large />
        {isRunning && canaryWait && <Canary wait={canaryWait} />}
        {isRunning && !canaryWait && (
          <p>
            {says.rate(countIn(words, rate))}
            {eta !== null && (
              <>
                {' · '}
                {says.eta} <Moment at={eta} />
              </>
            )}
          </p>
        )}
        {state === 'scheduled' && sendAt !== null && (
          <p>
            {says.begins} <Moment at={sendAt} seconds />
          </p>
        )}
      </div>
      <p className="mt-3">{says.advice[state]}</p>
      {reason !== null && state !== 'finished' && (
        <p className="mt-2 rounded-lg bg-held-soft px-3 py-2 text-held" data-why={reason}>
          <Reason word={reason} />
          {heldUntil ? (
            <>
              {' '}
              {says.triedAgain} <Moment at={heldUntil} seconds />
            </>
          ) : null}
        </p>
      )}
      {left > 0 && <p className="mt-2 text-sm text-quiet">{says.left(countIn(words, left))}</p>}
    </>
  );
}

/** The first recipients are sent alone: rate and end are unknown until their results. */
function Canary({ wait: { recipients, restAt } }: { readonly wait: NonNullable<Whole['canaryWait']> }) {
  const words = useWords();
  const says = words.pages.campaign;
  return (
    <p data-canary={recipients}>
      {says.canary(countIn(words, recipients))}
      {restAt !== null && (
        <>
          {' '}
          {says.canaryAbout} <Moment at={restAt} />
        </>
      )}{' '}
      {says.canaryIf}
    </p>
  );
}

function About({ campaign }: { readonly campaign: Whole }) {
  const { pages } = useWords();
  const says = pages.campaign;
  const { text, segments, from, perSecond, askedBy, approvedBy, rejectedBy, note, createdAt, account } = campaign;
  return (
    <Section title={says.about}>
      <p className="mb-4 rounded-lg bg-sunk p-3 whitespace-pre-wrap">{text}</p>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2">
        <Fact name={says.sender} is={from ?? says.senderOfAccount} />
        <Fact
          name={says.segments}
          is={
            <>
              <Count value={segments} /> <span className="text-sm text-quiet">({says.estimated})</span>
            </>
          }
        />
        <Fact name={says.cost} is={<Cost of={campaign} />} />
        <Fact name={says.pace} is={perSecond === null ? says.noPace : says.rate(String(perSecond))} />
        <Fact name={says.quietHours} is={<Hours of={campaign} />} />
        <Fact name={says.askedBy} is={askedBy.join(', ')} />
        {approvedBy !== null && <Fact name={pages.operation.facts.approvedBy} is={approvedBy} />}
        {rejectedBy !== undefined && <Fact name={pages.operation.facts.rejectedBy} is={rejectedBy} />}
        {note !== undefined && <Fact name={pages.operation.facts.note} is={note} />}
        <Fact name={pages.operation.facts.account} is={account} />
        <Fact name={pages.operation.facts.createdAt} is={<Moment at={createdAt} seconds />} />
        <Fact name={pages.operation.facts.id} is={campaign.id} />
      </dl>
    </Section>
  );
}
