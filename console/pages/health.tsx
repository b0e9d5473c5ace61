/** Health of relais: its workers, a recovery, and the number of operations by state. */
import { Link } from 'wouter';
import type { Answer } from '../asking/ask.ts';
import { type Listed, listed } from '../asking/kinds.ts';
import { useAsk } from '../asking/queries.ts';
import { useSession } from '../asking/session.tsx';
import { AsOf, Count, Moment, countIn } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Page, Read, Section } from '../parts/page.tsx';
import { Sign, State } from '../parts/state.tsx';

type Status = Answer<'getStatus'>;

export function Health() {
  const { shell } = useWords();
  const { may } = useSession();
  const status = useAsk('getStatus', {}, { everyMs: 5_000 });
  return (
    <Page title={shell.health}>
      {may('operate') && <Recovery />}
      <Read of={status}>
        {(now, at) => (
          <>
            <Itself status={now} at={at} />
            <Standing status={now} at={at} />
          </>
        )}
      </Read>
    </Page>
  );
}

interface OfStatus {
  readonly status: Status;
  readonly at: number;
}

function Itself({ status: { workers, holds }, at }: OfStatus) {
  const words = useWords();
  const { pages, desk, shell } = words;
  return (
    <Section title={pages.today.works}>
      <ul className="space-y-2">
        <Fact
          isWell={workers > 0}
          name="workers"
          says={workers === 0 ? pages.today.noWorkers : pages.today.workers(countIn(words, workers))}
        />
        <Fact
          isWell={holds.length === 0}
          name="holds"
          says={holds.length === 0 ? pages.today.nothingHeld : desk.health.held(countIn(words, holds.length))}
        />
      </ul>
      {holds.length > 0 && (
        <Link to="/accounts" className="link mt-2 inline-block">
          {shell.holds}
        </Link>
      )}
      <AsOf at={at} />
    </Section>
  );
}

function Fact({ isWell, says, name }: { readonly isWell: boolean; readonly says: string; readonly name: string }) {
  return (
    <li
      className={`flex items-center gap-2 ${isWell ? 'text-done' : 'text-bad'}`}
      data-fact={name}
      data-well={isWell}
    >
      <Sign tone={isWell ? 'done' : 'bad'} /> {says}
    </li>
  );
}

function Recovery() {
  const { desk } = useWords();
  const says = desk.health;
  const recovery = useAsk('getRecovery', {}, { everyMs: 15_000 });
  return (
    <Section title={says.recovery}>
      <Read of={recovery}>
        {({ state, since }) => (
          <>
            <p
              className={`flex items-center gap-2 ${state === 'recovering' ? 'text-bad' : 'text-done'}`}
              data-recovery={state}
            >
              <Sign tone={state === 'recovering' ? 'bad' : 'done'} />{' '}
              {state === 'recovering' ? says.recovering : says.notRecovering}
            </p>
            {state === 'recovering' && since !== null && (
              <p className="mt-1 text-sm text-quiet">
                <Moment at={since} />
              </p>
            )}
          </>
        )}
      </Read>
    </Section>
  );
}

/** Each figure leads to exactly the counted operations. */
function Standing({ status: { operations }, at }: OfStatus) {
  const { desk, lists } = useWords();
  const shown = listed.filter((kind) => Object.keys(operations[kind] ?? {}).length > 0);
  return (
    <Section title={desk.health.standing}>
      {shown.length === 0 && <p className="text-quiet">{desk.health.nothing}</p>}
      {shown.map((kind) => (
        <div key={kind} className="mt-3 first:mt-0">
          <h3 className="mb-1 font-semibold">{lists[kind]}</h3>
          <OfKind kind={kind} counts={operations[kind] ?? {}} />
        </div>
      ))}
      <AsOf at={at} />
    </Section>
  );
}

function OfKind({ kind, counts }: { readonly kind: Listed; readonly counts: Readonly<Record<string, number>> }) {
  return (
    <ul className="flex flex-wrap gap-x-5 gap-y-1">
      {Object.entries(counts).map(([state, count]) => (
        <li key={state}>
          <Link
            to={`/operations/${kind}?state=${state}`}
            className="flex min-h-9 items-center gap-2 no-underline hover:underline"
          >
            <State kind={kind} state={state} /> <Count value={count} />
          </Link>
        </li>
      ))}
    </ul>
  );
}
