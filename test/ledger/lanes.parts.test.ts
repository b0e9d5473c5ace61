/** Lost answers and unusable connections: nothing is assumed, and nothing waits for ever. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { changeValues } from '../../src/ledger/operation-values.ts';
import { ANSWER_TIMEOUT_MS } from '../../src/ledger/database.ts';
import { Lane, Memory } from '../../src/ledger/lane.ts';
import { type NewOperation, Operations } from '../../src/ledger/operations.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';

let ledger: FreshLedger;
const closing: (() => Promise<unknown>)[] = [];
beforeAll(async () => (ledger = await freshLedger()));
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});
afterAll(() => ledger?.close());

let made = 0;
function payment(account: string): NewOperation {
  made += 1;
  const id = `dsb_l${String(made).padStart(25, '0')}`;
  const fingerprint = createHash('sha256').update(id).digest();
  const body = { state: 'queued', queue: 'disbursement', amount: 1_000, request: {}, createdBy: 'shop' };
  return { id, kind: 'disbursement', account, fingerprint, ...body };
}

/** Its sleeps take no time, and advance it. */
function quickClock(): Clock {
  let ahead = 0;
  return {
    ...systemClock,
    monotonic: () => systemClock.monotonic() + ahead,
    sleep: async (ms) => void (ahead += ms * 10),
  };
}

function processNamed(process: string, clock = quickClock()): Operations {
  const database = { url: ledger.url, schema: ledger.schema };
  const operations = new Operations({ database, process, clock, random: systemRandom, lanes: 1 });
  closing.push(() => operations.close());
  return operations;
}

/** Runs for each row written to a table. */
async function trigger(table: string, events: string, body: string): Promise<void> {
  await ledger.query(
    `create function public.fault() returns trigger language plpgsql as $$ begin ${body}; return new; end $$`,
  );
  await ledger.query(
    `create trigger fault before ${events} on relais.${table} for each row execute function public.fault()`,
  );
  closing.push(() => ledger.query('drop function if exists public.fault() cascade'));
}

const pids = `select pid from pg_stat_activity where datname = current_database() and application_name = 'relais'`;
const end = `perform pg_terminate_backend(pg_backend_pid())`;

test('a commit counts as lost while each commit causes a warning: a standby may not have it', async () => {
  const one = processNamed('warned');
  await one.accept(payment('warned'));
  await trigger('mark', 'update', `raise warning 'canceling wait for synchronous replication'`);
  await expect(one.accept(payment('warned'))).rejects.toMatchObject({ name: 'AnswerLost' });
});

test('a warning is recognised by its code, in any language of the server', async () => {
  const one = processNamed('translated');
  await one.accept(payment('translated'));
  await trigger('mark', 'update', `raise notice 'annulation de l''attente' using errcode = '01000'`);
  await expect(one.accept(payment('translated'))).rejects.toMatchObject({ name: 'AnswerLost' });
});

/** The next commit that raises a mark causes a warning: it is committed, and its answer counts as lost. */
async function losesNextAnswer(): Promise<void> {
  await ledger.query(`create sequence public.warned`);
  await ledger.query(
    `create function public.warns() returns trigger language plpgsql as $$ begin
       if nextval('public.warned') = 1 then raise warning 'canceling wait'; end if; return null; end $$`,
  );
  await ledger.query(
    `create constraint trigger warns after update on relais.mark deferrable initially deferred
     for each row execute function public.warns()`,
  );
  closing.push(() => ledger.query('drop function public.warns() cascade; drop sequence public.warned'));
}

test('an intent whose answer was lost is known to be written, and is not written again', async () => {
  const one = processNamed('adopts');
  const asked = { ...payment('adopts'), dueMs: -1_000 };
  await one.accept(asked);
  const [claimed] = await one.claim('disbursement', ['adopts'], 1, 60_000);
  const { id = '', lease = '' } = claimed ?? {};
  await losesNextAnswer();
  const intent = { id, lease, was: 'queued', state: 'submitting', queue: 'status-poll', keepMs: 60_000 };
  expect(await one.change({ ...intent, sendMs: 1_000, intends: true })).toEqual({ known: false });
  expect(await one.read([id])).toMatchObject([{ state: 'submitting', version: 2 }]);
});

test('the rows of a lost statement are not returned before that statement has ended', async () => {
  const database = { url: ledger.url, schema: ledger.schema };
  const lane = new Lane({ database, memory: new Memory(), clock: systemClock, name: 'asks/0' });
  closing.push(() => lane.close());
  await lane.write('change', ['1'.padStart(32, '0'), false, null, ...changeValues([])]);
  const old = new Client({ connectionString: ledger.url });
  await old.connect();
  closing.push(() => old.end());
  await old.query('begin');
  await old.query(`update relais.mark set counter = counter + 1 where lane = 'asks/0'`);
  await ledger.query(`select pg_terminate_backend(pid) from (${pids}) p`);
  const settled = lane.settle('written_by', ['2'.padStart(32, '0'), []]).then(() => 'settled');
  const isWaiting = async (): Promise<boolean> =>
    (
      await ledger.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    ).length > 0;
  const waits = vi.waitUntil(isWaiting, { interval: 5, timeout: 60_000 }).then(() => 'waits');
  expect(await Promise.race([settled, waits])).toBe('waits');
  await old.query('commit');
  expect(await settled).toBe('settled');
});

test('a transaction that is committed with a warning is a lost answer, and nothing that it took may leave', async () => {
  const database = { url: ledger.url, schema: ledger.schema };
  const lane = new Lane({ database, memory: new Memory(), clock: systemClock, name: 'steps/0' });
  closing.push(() => lane.close());
  const op = ['1'.padStart(32, '0'), false, null, ...changeValues([])];
  const step = () => lane.transaction((run) => run.write('change', op));
  await step();
  await losesNextAnswer();
  await expect(step()).rejects.toMatchObject({ name: 'AnswerLost' });
});

/** A proxy between a lane and PostgreSQL: counts cancel requests, and can delay all answers. */
async function relay() {
  const CANCEL = 80_877_102;
  const { hostname: host, port } = new URL(ledger.url);
  const seen = { connections: 0, cancels: 0, isSilent: false, asked: (): void => undefined };
  const server = createServer((client) => {
    const upstream = connect({ host, port: Number(port) });
    client.once('data', (first: Buffer) => {
      seen.connections += 1;
      if (first.readUInt32BE(4) === CANCEL) seen.cancels += 1;
    });
    client.on('data', (bytes: Buffer) => {
      upstream.write(bytes);
      if (seen.isSilent) seen.asked();
    });
    client.on('error', () => undefined);
    upstream.on('data', (bytes: Buffer) => seen.isSilent || client.write(bytes)).on('error', () => undefined);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => void server.close());
  const { port: own } = server.address() as AddressInfo;
  return { url: Object.assign(new URL(ledger.url), { port: `${own}` }).href, seen };
}

test.for(['given up', 'closed'] as const)(
  'a statement that is %s is not cancelled: that could end its wait for a standby',
  async (how) => {
    const { url, seen } = await relay();
    const options = { database: { url, schema: ledger.schema }, memory: new Memory(), clock: systemClock };
    const lane = new Lane({ ...options, name: `${how}/0` });
    closing.push(() => lane.close());
    await lane.write('change', ['1'.padStart(32, '0'), false, null, ...changeValues([])]);
    const asked = new Promise<void>((resolve) => (seen.asked = resolve));
    seen.isSilent = true;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    closing.push(async () => void vi.useRealTimers());
    const lost = lane
      .write('change', ['2'.padStart(32, '0'), false, null, ...changeValues([])])
      .catch((error: Error) => error);
    await asked;
    if (how === 'closed') await lane.close();
    else vi.advanceTimersByTime(ANSWER_TIMEOUT_MS);
    expect(await lost).toMatchObject({ name: 'AnswerLost' });
    vi.useRealTimers();
    seen.isSilent = false;
    // It connects after a cancel request would have arrived.
    const next = new Lane({ ...options, name: `${how}/1` });
    closing.push(() => next.close());
    await next.read('marks');
    expect(seen).toMatchObject({ connections: 2, cancels: 0 });
  },
);

test('a lost answer of a lane that was taken over is given up, and not asked for again for ever', async () => {
  const takesOver = async (): Promise<void> => {
    await ledger.query('drop function public.fault() cascade');
    await ledger.query(`update relais.mark set fenced = true where lane = 'taken/accept0'`);
  };
  const one = processNamed('taken', { ...systemClock, sleep: takesOver });
  await one.accept(payment('taken'));
  await trigger('mark', 'update', end);
  await expect(one.accept(payment('taken'))).rejects.toMatchObject({ name: 'AnswerLost' });
});

test('a connection that ended while nothing was under way is replaced, and no answer is lost', async () => {
  let onEnd = (): void => undefined;
  const ended = new Promise<void>((resolve) => (onEnd = resolve));
  const database = { url: ledger.url, schema: ledger.schema, onEnd: () => onEnd() };
  const lane = new Lane({ database, memory: new Memory(), clock: systemClock, name: 'idle/0' });
  closing.push(() => lane.close());
  const nothing = (op: string) => [op.padStart(32, '0'), false, null, ...changeValues([])];
  await lane.write('change', nothing('1'));
  await ledger.query(`select pg_terminate_backend(pid) from (${pids}) p`);
  await ended;
  expect(await lane.write('change', nothing('2'))).toMatchObject([{ counter: expect.any(String) }]);
});

test('a process that is closed while it asks for a lost answer stops asking', async () => {
  const closes: Clock = { ...systemClock, sleep: () => one.close() };
  const one = processNamed('closed', closes);
  await one.accept(payment('closed'));
  await trigger('mark', 'update', end);
  await expect(one.accept(payment('closed'))).rejects.toMatchObject({ name: 'AnswerLost' });
});

test('a statement that arrives after its lane went on writes nothing', async () => {
  const memory = new Memory();
  const options = { database: { url: ledger.url, schema: ledger.schema }, memory, clock: systemClock };
  const lane = new Lane({ ...options, name: 'late/0' });
  closing.push(() => lane.close());
  const nothing = ['00000000000000000000000000000000', false, null, ...changeValues([])];
  await lane.write('change', nothing);
  const late = [memory.epoch, memory.lanes, memory.counters];
  await lane.settle('written_by', ['00000000000000000000000000000001', []]);
  const client = new Client({ connectionString: ledger.url });
  await client.connect();
  closing.push(() => client.end());
  const raise = client.query('select relais.raise_mark($1, $2, $3, $4, false, false)', ['late/0', ...late]);
  await expect(raise).rejects.toMatchObject({ code: 'RL005' });
  await lane.write('change', nothing);
});

test('two processes under one name: the first writes nothing once the second has begun', async () => {
  const [first, second] = [processNamed('same'), processNamed('same')];
  await first.accept(payment('same'));
  await second.accept(payment('same'));
  await expect(first.accept(payment('same'))).rejects.toMatchObject({ name: 'LedgerClosed', reason: 'superseded' });
});

test('a lane opened again on a restored ledger does not hide the loss', async () => {
  const one = processNamed('reopened');
  for (let n = 0; n < 3; n += 1) await one.accept(payment('reopened'));
  await ledger.query(`update relais.mark set counter = counter - 1 where lane = 'reopened/accept0'`);
  await ledger.query(`select pg_terminate_backend(pid) from (${pids}) p`);
  await expect(one.accept(payment('reopened'))).rejects.toThrow();
  await expect(one.accept(payment('reopened'))).rejects.toMatchObject({ reason: 'restored' });
});

test('a connection on which nothing can be written any more is replaced, and the statement runs again', async () => {
  const one = processNamed('demoted');
  await one.accept(payment('demoted'));
  await ledger.query('create sequence public.refused');
  closing.push(() => ledger.query('drop sequence public.refused'));
  const refuses = `if nextval('public.refused') = 1 then raise exception 'read-only' using errcode = '25006'; end if`;
  await trigger('mark', 'update', refuses);
  expect(await one.accept(payment('demoted'))).toMatchObject({ outcome: 'accepted' });
});

test('a connection whose plans are outdated is replaced, and the statement runs again', async () => {
  const one = processNamed('altered');
  const asked = payment('altered');
  await one.accept(asked);
  await one.read([asked.id]);
  await ledger.query('alter table relais.operation alter column trace type varchar');
  closing.push(() => ledger.query('alter table relais.operation alter column trace type text'));
  expect(await one.read([asked.id])).toHaveLength(1);
});

test('an accepted request is confirmed, although the holder of another one is unreadable', async () => {
  const one = processNamed('unread');
  const [known, fresh] = [payment('unread'), payment('unread')];
  await one.accept(known);
  await ledger.query('alter table relais.tombstone rename column finished_at to ended_at');
  closing.push(() => ledger.query('alter table relais.tombstone rename column ended_at to finished_at'));
  const answers = await Promise.allSettled([one.accept(known), one.accept(fresh)]);
  expect(answers).toMatchObject([{ status: 'rejected' }, { value: { outcome: 'accepted' } }]);
});
