/** One operation: result, timeline, the provider's answers, and the next step. */
import type { Asked } from '../asking/ask.ts';
import { type AnyRow, type Evidence, type Listed, getters, kindOf, xofOf } from '../asking/kinds.ts';
import { useAsk } from '../asking/queries.ts';
import { AsOf, Moment, Money } from '../parts/figures.tsx';
import { Back } from '../parts/back.tsx';
import { useWords } from '../parts/language.tsx';
import { Notice, Page, Read, Section } from '../parts/page.tsx';
import { titleOf } from '../parts/rows.tsx';
import { runsOf } from '../parts/runs.ts';
import { State } from '../parts/state.tsx';
import { toneOf } from '../words/states.ts';
import type { Words } from '../words/words.ts';
import { Callback } from './operation-callback.tsx';
import { BatchPage } from './batch.tsx';
import { OperationActs } from './operation-acts.tsx';
import { Facts } from './operation-facts.tsx';
import { PaymentLink } from './operation-link.tsx';
import { Story, When } from './operation-story.tsx';

export function Operation({ id }: { readonly id: string }) {
  const { parts } = useWords();
  const kind = kindOf(id);
  if (kind === undefined) {
    return (
      <Page title={parts.notFoundTitle}>
        <Notice>{parts.notFound}</Notice>
      </Page>
    );
  }
  return kind === 'batch' ? <BatchPage id={id} /> : <Known id={id} kind={kind} />;
}

function Known({ id, kind }: { readonly id: string; readonly kind: Listed }) {
  const words = useWords();
  const asked = { id } as Asked<'getDisbursement'>;
  const operation = useAsk(getters[kind] as 'getDisbursement', asked, { everyMs: 10_000 });
  return (
    <Page title={words.kinds[kind]} above={<Back to={`/operations/${kind}`}>{words.lists[kind]}</Back>}>
      <Read of={operation}>{(read, at) => <Told operation={read} kind={kind} at={at} />}</Read>
    </Page>
  );
}

interface ToldProps {
  readonly operation: AnyRow;
  readonly kind: Listed;
  readonly at: number;
}

function Told({ operation, kind, at }: ToldProps) {
  const { pages } = useWords();
  const says = pages.operation;
  const xof = xofOf(operation);
  return (
    <div className="grid gap-5 lg:grid-cols-[3fr_2fr]">
      <div className="min-w-0">
        <section className="sheet mb-5 p-5" data-operation={operation.state}>
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
            <State kind={kind} state={operation.state} large />
            {xof !== undefined && (
              <span className="text-3xl font-semibold">
                <Money xof={xof} />
              </span>
            )}
          </div>
          <p className="mt-3 text-lg">
            {titleOf(operation)}
            {operation.createdAt !== undefined && (
              <span className="text-quiet">
                {' · '}
                {says.asked} <Moment at={operation.createdAt} />
              </span>
            )}
          </p>
          <p className="mt-3">{adviceOf(says, kind, operation.state)}</p>
          <OperationActs operation={operation} kind={kind} />
          <AsOf at={at} source="record" />
        </section>
        <PaymentLink operation={operation} />
        <Story id={operation.id} />
      </div>
      <div className="min-w-0">
        <Facts operation={operation} />
        <Said history={operation.history ?? []} dropped={operation.historyDropped ?? 0} />
        <Callback id={operation.id} />
      </div>
    </div>
  );
}

/** The meaning for the user who asks, and whether anyone must act. */
function adviceOf(says: Words['pages']['operation'], kind: Listed, state: string): string {
  const exact: Readonly<Record<string, string>> = kind === 'disbursement' ? says.payment : {};
  return exact[state] ?? says.tones[toneOf(kind, state)];
}

interface SaidProps {
  readonly history: readonly Evidence[];
  readonly dropped: number;
}

const saidIn = ({ operation, code, httpStatus, detail }: Evidence): string =>
  JSON.stringify([operation, code, httpStatus, detail]);

export function Said({ history, dropped }: SaidProps) {
  const { pages } = useWords();
  const says = pages.operation;
  // An intent of relais is in the timeline, but is no answer.
  const answers = history.filter(({ code }) => code !== 'intended');
  if (answers.length === 0) return null;
  return (
    <Section title={says.said}>
      <ol className="space-y-3">
        {runsOf(answers, saidIn).map(({ all, all: [{ at, operation, code, httpStatus, detail }] }, index) => (
          <li key={`${at}${operation}${String(index)}`} className="border-l-2 border-line pl-3 text-sm wrap-anywhere">
            <span className="block text-quiet">
              <When all={all} /> · {operation}
              {httpStatus === undefined ? '' : ` · HTTP ${String(httpStatus)}`}
            </span>
            <span lang="en" className="font-mono">
              {code}
              {detail === undefined ? '' : ` ${detail}`}
            </span>
          </li>
        ))}
      </ol>
      {dropped > 0 && <p className="mt-3 text-sm text-quiet">{says.dropped(String(dropped))}</p>}
    </Section>
  );
}
