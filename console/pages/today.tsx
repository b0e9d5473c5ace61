/** The start page: what waits for a decision, is uncertain, is blocked, is running. */
import { Link } from 'wouter';
import { type Answer, Refused } from '../asking/ask.ts';
import { useAsk } from '../asking/queries.ts';
import { AsOf, Count, Money } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Page, Read, Section } from '../parts/page.tsx';
import { Sign, State } from '../parts/state.tsx';
import { type Kind, toneOf } from '../words/states.ts';
import { Balances, Campaigns, Holds, Works } from './today-sections.tsx';
import { Batches } from './today-batches.tsx';
import { TodayOfSome } from './today-of-some.tsx';

/** `Paiements` after a figure; `SMS` is unchanged. */
const withinLine = (name: string): string => name.replace(/^\p{Lu}(?=\p{Ll})/u, (first) => first.toLowerCase());

export type Status = Answer<'getStatus'>;

export function Today() {
  const { shell } = useWords();
  const status = useAsk('getStatus', {}, { everyMs: 10_000 });
  // The figures are for all accounts; a key limited to some sees its own lists.
  const isBound = status.error instanceof Refused && status.error.problem.rule === 'all-accounts';
  return (
    <Page title={shell.today}>
      {isBound ? (
        <TodayOfSome />
      ) : (
        <Read of={status}>
          {(read, at) => (
            <div className="grid gap-x-5 lg:grid-cols-2">
              <div className="min-w-0">
                <Waiting status={read} at={at} />
                <Uncertain status={read} at={at} />
                <Holds status={read} at={at} />
              </div>
              <div className="min-w-0">
                <Batches />
                <Campaigns status={read} at={at} />
                <Balances status={read} />
                <Works status={read} at={at} />
              </div>
            </div>
          )}
        </Read>
      )}
    </Page>
  );
}

export interface OfStatus {
  readonly status: Status;
  readonly at: number;
}

/** The page of the decision. */
function placeOf(kind: string, state: string): string {
  return state === 'needs_review' && kind !== 'batch' ? '/review' : '/approvals';
}

function Waiting({ status: { waiting }, at }: OfStatus) {
  const words = useWords();
  const says = words.pages.today;
  return (
    <Section title={says.waiting}>
      {waiting.length === 0 ? (
        <p className="flex items-center gap-2 text-done">
          <Sign tone="done" /> {says.nothingWaits}
        </p>
      ) : (
        <ul className="divide-y divide-line">
          {waiting.map(({ kind, state, count, xof }) => (
            <li key={`${kind}${state}`} className="grid grid-cols-[1fr_auto] items-baseline gap-x-3 gap-y-1.5 py-2.5">
              <Link to={placeOf(kind, state)} className="link font-medium">
                <Count value={count} /> {withinLine((count === 1 ? words.kinds : words.lists)[kind as Kind] ?? kind)}
              </Link>
              <span>{xof > 0 && <Money xof={xof} />}</span>
              <span>
                <State kind={kind as Kind} state={state} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <AsOf at={at} />
    </Section>
  );
}

/** For payments, the states in which money may have left. */
const UNCERTAIN = ['submitting', 'unknown', 'pending', 'needs_review'].join(',');

function Uncertain({ status: { inDoubt }, at }: OfStatus) {
  const { pages } = useWords();
  const says = pages.today;
  const all = inDoubt.reduce((sum, { count }) => sum + count, 0);
  return (
    <Section title={says.uncertain}>
      <p className="mb-3 text-sm text-quiet">{says.uncertainMeans}</p>
      {all === 0 ? (
        <p className="flex items-center gap-2 text-done">
          <Sign tone={toneOf('disbursement', 'succeeded')} /> {says.nothingUncertain}
        </p>
      ) : (
        <>
          <Ages inDoubt={inDoubt} />
          <Link to={`/operations/disbursement?state=${UNCERTAIN}`} className="link mt-2 inline-block">
            {says.seeUncertain}
          </Link>
        </>
      )}
      <AsOf at={at} />
    </Section>
  );
}

function Ages({ inDoubt }: Pick<Status, 'inDoubt'>) {
  const { pages } = useWords();
  const says = pages.today;
  return (
    <table className="w-full">
      <caption className="sr-only">{says.uncertain}</caption>
      <thead className="text-left text-sm text-quiet">
        <tr>
          <th scope="col">{says.age}</th>
          <th scope="col" className="pl-4 text-right">
            {says.count}
          </th>
          <th scope="col" className="pl-4 text-right">
            {says.amount}
          </th>
        </tr>
      </thead>
      <tbody>
        {inDoubt.map(({ age, count, xof }) => (
          <tr key={age} className={count > 0 && age === '>=1d' ? 'font-semibold text-uncertain' : ''}>
            <th scope="row" className="py-1 text-left font-normal">
              {says.ages[age]}
            </th>
            <td className="pl-4 text-right">
              <Count value={count} />
            </td>
            <td className="pl-4 text-right">
              <Money xof={xof} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
