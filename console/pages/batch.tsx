/** One batch: who was paid, who was not, and the possible next steps. */
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useAct } from '../asking/acts.ts';
import { useAsk } from '../asking/queries.ts';
import { useSession } from '../asking/session.tsx';
import { AskFirst } from '../parts/act.tsx';
import { Back } from '../parts/back.tsx';
import { DownloadButton } from '../parts/download-button.tsx';
import { AsOf, Moment, Money, countIn, moneyIn } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Page, Read, Section } from '../parts/page.tsx';
import { StateSign } from '../parts/state.tsx';
import { Problems, Warnings } from './approval-batch.tsx';
import { type Batch, Headline, OUTCOMES, type OutcomeName, States, missingOf } from './batch-outcome.tsx';
import { BatchRows } from './batch-rows.tsx';
import { batchSign } from '../parts/batch-sign.ts';
import { Facts } from './operation-facts.tsx';
import { Story } from './operation-story.tsx';

export function BatchPage({ id }: { readonly id: string }) {
  const words = useWords();
  const batch = useAsk('getBatch', { id }, { everyMs: 10_000 });
  return (
    <Page
      title={batch.data?.fileName ?? words.kinds.batch}
      above={<Back to="/operations/batch">{words.lists.batch}</Back>}
    >
      <Read of={batch}>{(read, at) => <Whole batch={read} at={at} />}</Read>
    </Page>
  );
}

function Whole({ batch, at }: { readonly batch: Batch; readonly at: number }) {
  const { id, state } = batch;
  return (
    <div className="grid gap-5 lg:grid-cols-[3fr_2fr]">
      <div className="min-w-0">
        <Standing batch={batch} at={at} />
        <Problems batch={batch} />
        {state !== 'invalid' && <Rows batch={batch} />}
      </div>
      <div className="min-w-0">
        <Facts operation={batch} />
        {batch.warningCount > 0 && <Warnings batch={batch} />}
        <Story id={id} />
      </div>
    </div>
  );
}

function Standing({ batch, at }: { readonly batch: Batch; readonly at: number }) {
  const words = useWords();
  const { state, totals, states, outcome, createdAt, uploadedBy } = batch;
  return (
    <section className="sheet mb-5 p-5" data-operation={state}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <StateSign {...batchSign(words, batch)} state={state} large />
        <span className="text-3xl font-semibold">
          <Money xof={totals.xof} />
        </span>
      </div>
      <p className="mt-3 text-quiet">
        {words.paying.payments(countIn(words, totals.count))} · {uploadedBy} · <Moment at={createdAt} />
      </p>
      {outcome !== null && (
        <div className="mt-4 space-y-3">
          <Headline outcome={outcome} />
          <States states={states} />
        </div>
      )}
      <p className="mt-3">{adviceOf(words.paying.advice, batch)}</p>
      <Acts batch={batch} />
      <AsOf at={at} source="record" />
    </section>
  );
}

type Advice = ReturnType<typeof useWords>['paying']['advice'];

/** Finished does not mean paid: the advice depends on the unpaid rows. */
function adviceOf(advice: Advice, { state, outcome }: Batch): string {
  if (state !== 'finished' || outcome === null) return advice[state];
  if (outcome.uncertain.count > 0) return advice.uncertain;
  return missingOf(outcome) > 0 ? advice.notPaid : advice.finished;
}

function Acts({ batch: { id, state, outcome } }: { readonly batch: Batch }) {
  const { pages } = useWords();
  const { may } = useSession();
  return (
    <div className="mt-4 flex flex-wrap gap-3 empty:hidden">
      {(state === 'awaiting_approval' || state === 'needs_review') && (
        <Link to={`/approvals/${id}`} className="button button-main">
          {pages.operation.toApproval}
        </Link>
      )}
      {outcome !== null && outcome.uncertain.count > 0 && (
        <Link to={`/operations/disbursement?batch=${id}&state=needs_review,unknown`} className="button button-main">
          {pages.today.seeUncertain}
        </Link>
      )}
      {state === 'finished' && outcome !== null && outcome.notPaid.count > 0 && may('enqueue-payments') && (
        <PayAgain id={id} notPaid={outcome.notPaid} />
      )}
    </div>
  );
}

interface PayAgainProps {
  readonly id: string;
  readonly notPaid: NonNullable<Batch['outcome']>['notPaid'];
}

/** Creates a new batch and opens its approval, where it is reviewed before any payment. */
function PayAgain({ id, notPaid: { count, xof } }: PayAgainProps) {
  const words = useWords();
  const says = words.paying;
  const doing = useAct('retryBatch');
  const [, go] = useLocation();
  const make = async () => {
    const made = await doing.act({ id });
    if (made) go(`/approvals/${made.id}`);
    return made;
  };
  return (
    <AskFirst
      doing={doing}
      onYes={make}
      name="retryBatch"
      label={says.payAgain(countIn(words, count))}
      says={says.payAgainSays(moneyIn(words, xof))}
    />
  );
}

function Rows({ batch }: { readonly batch: Batch }) {
  const words = useWords();
  const { id, fileName, state, outcome } = batch;
  const [shown, show] = useState<OutcomeName>();
  const tabs = outcome === null ? [] : OUTCOMES.filter((one) => outcome[one].count > 0);
  const name = `${(fileName ?? id).replace(/\.\w{1,6}$/, '')}-${words.paying.reportName}.csv`;
  const report = (
    <DownloadButton id="getBatchReport" asked={{ id }} name={name} label={words.paying.report} which="report" />
  );
  return (
    <Section title={words.paying.rows} beside={report}>
      {outcome !== null && tabs.length > 1 && (
        <div className="mb-2 flex flex-wrap gap-2" role="group" aria-label={words.paying.rows}>
          {[undefined, ...tabs].map((one) => (
            <button
              key={one ?? 'all'}
              type="button"
              className="button aria-pressed:border-accent aria-pressed:bg-accent-soft"
              aria-pressed={shown === one}
              data-tab={one ?? 'all'}
              onClick={() => show(one)}
            >
              {one === undefined ? words.paying.all : words.paying.outcomes[one](countIn(words, outcome[one].count))}
            </button>
          ))}
        </div>
      )}
      <BatchRows id={id} outcome={shown} {...(state === 'running' ? { everyMs: 10_000 } : {})} />
    </Section>
  );
}
