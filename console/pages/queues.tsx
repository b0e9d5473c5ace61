/** Waiting work, work in progress, and the switches. */
import type { Answer } from '../asking/ask.ts';
import { useAct } from '../asking/acts.ts';
import { useAsk } from '../asking/queries.ts';
import { useReach } from '../asking/session.tsx';
import { AskFirst } from '../parts/act.tsx';
import { AsOf, Count, countIn, spanIn } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Page, Read, Section } from '../parts/page.tsx';
import { Sign } from '../parts/state.tsx';
import { Cell, Line, Table } from '../parts/table.tsx';
import { RefusedRequests } from './refused-requests.tsx';

type Queue = Answer<'listQueues'>['items'][number];

export function Queues() {
  const { shell } = useWords();
  const reaches = useReach();
  const queues = useAsk('listQueues', {}, { everyMs: 5_000 });
  return (
    <Page title={shell.queues}>
      {reaches({ roles: ['read'], ofAll: true }) && <Workers />}
      <Read of={queues}>{({ items }, at) => <All queues={items} at={at} />}</Read>
      <RefusedRequests />
    </Page>
  );
}

function Workers() {
  const words = useWords();
  const { desk, pages } = words;
  const status = useAsk('getStatus', {}, { everyMs: 5_000 });
  return (
    <Section title={desk.queues.workers}>
      <Read of={status}>
        {({ workers, workersHere, queues }, at) => {
          const oldest = Math.max(0, ...queues.map(({ oldestMs }) => oldestMs));
          const waiting = queues.reduce((sum, queue) => sum + queue.waiting, 0);
          return (
            <>
              <p
                className={`flex items-center gap-2 ${workers === 0 ? 'text-bad' : 'text-done'}`}
                data-workers={workers}
              >
                <Sign tone={workers === 0 ? 'bad' : 'done'} />
                {workers === 0 ? pages.today.noWorkers : pages.today.workers(countIn(words, workers))}
              </p>
              <ul className="mt-1 max-h-48 overflow-y-auto text-quiet">
                {workersHere.map(({ name }) => (
                  <li key={name} className="break-all" data-worker>
                    {name}
                  </li>
                ))}
              </ul>
              <p className="mt-1">
                {waiting === 0
                  ? pages.today.noBacklog
                  : pages.today.backlog(countIn(words, waiting), spanIn(words, oldest))}
              </p>
              <AsOf at={at} />
            </>
          );
        }}
      </Read>
    </Section>
  );
}

function All({ queues, at }: { readonly queues: readonly Queue[]; readonly at: number }) {
  const { desk } = useWords();
  const says = desk.queues;
  return (
    <Section title={says.all}>
      <p className="mb-3 text-quiet">{says.lead}</p>
      <Table
        caption={says.all}
        columns={[
          { name: says.work },
          { name: says.waiting, right: true },
          { name: says.active, right: true, wide: true },
          { name: says.due, right: true, wide: true },
          { name: desk.act, right: true },
        ]}
      >
        {queues.map((queue) => (
          <One key={queue.name} queue={queue} />
        ))}
      </Table>
      <AsOf at={at} />
    </Section>
  );
}

function One({ queue: { name, paused, waiting, active, due } }: { readonly queue: Queue }) {
  const { desk } = useWords();
  const reaches = useReach();
  const says = desk.queues;
  return (
    <Line data-row={name}>
      <Cell>
        {says.names[name] ?? name}
        <span className="block text-sm text-quiet">{name}</span>
        {paused && (
          <span className="inline-flex items-center gap-1 text-sm text-held" data-paused={name}>
            <Sign tone="held" /> {says.paused}
          </span>
        )}
      </Cell>
      <Cell right>
        <Count value={waiting} />
      </Cell>
      <Cell right wide>
        <Count value={active} />
      </Cell>
      <Cell right wide>
        <Count value={due} />
      </Cell>
      <Cell right>
        {reaches({ roles: ['operate'], ofAll: true }) && (
          <Turn name={name} act={paused ? 'resumeQueue' : 'pauseQueue'} />
        )}
      </Cell>
    </Line>
  );
}

interface TurnProps {
  readonly name: string;
  readonly act: 'pauseQueue' | 'resumeQueue';
}

function Turn({ name, act: which }: TurnProps) {
  const { desk } = useWords();
  const says = desk.queues;
  const doing = useAct(which);
  const of = says.names[name] ?? name;
  const { label, follows } = which === 'pauseQueue' ? says.pause : says.resume;
  const look = which === 'pauseQueue' ? 'grave' : 'main';
  return (
    <AskFirst
      key={which}
      doing={doing}
      onYes={() => doing.act({ name })}
      label={label}
      title={`${label}: ${of}`}
      says={follows}
      look={look}
      name={which}
    />
  );
}
