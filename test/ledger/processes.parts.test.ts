/** Processes that are killed, frozen, or start twice on one machine: when their work is taken over. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Memory } from '../../src/ledger/lane.ts';
import { Operations } from '../../src/ledger/operations.ts';
import { ownPlace } from '../../src/ledger/place.ts';
import { Database } from '../../src/ledger/pool.ts';
import { type LostLane, Processes, processName } from '../../src/ledger/processes.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';
import { callback } from '../support/ledger-callback.ts';

let ledger: FreshLedger;
let database: Database;
const closing: (() => unknown)[] = [];
beforeAll(async () => {
  ledger = await freshLedger();
  database = new Database({ url: ledger.url, schema: ledger.schema, size: 3 });
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
  await ledger.query('delete from relais.worker');
});
afterAll(async () => {
  await database?.close();
  await ledger?.close();
});

type Word = Readonly<Record<string, unknown>>;

class Child {
  readonly #words: Word[] = [];
  readonly process: ChildProcess;

  constructor(slot: string, account = '') {
    const args = [ledger.url, ledger.schema, slot, account];
    this.process = spawn(process.execPath, ['test/support/ledger-process.ts', ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const { stdout } = this.process;
    if (stdout) createInterface({ input: stdout }).on('line', (line) => this.#words.push(JSON.parse(line) as Word));
    closing.push(() => this.process.kill('SIGKILL'));
  }

  async said(key: string): Promise<Word> {
    return vi.waitUntil(() => this.#words.find((word) => key in word), { timeout: 60_000 });
  }

  async ended(): Promise<number | null> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return this.process.exitCode;
    const [code] = (await once(this.process, 'exit')) as [number | null];
    return code;
  }
}

let made = 0;
async function accepted(account: string, count: number): Promise<readonly string[]> {
  const operations = operationsOf('accepts');
  const asked = Array.from({ length: count }, () => {
    made += 1;
    const id = `dsb_p${String(made).padStart(25, '0')}`;
    const fingerprint = createHash('sha256').update(id).digest();
    const body = { state: 'queued', queue: 'disbursement', amount: 1_000, request: {}, createdBy: 'shop' };
    return { id, kind: 'disbursement' as const, account, fingerprint, dueMs: -1_000, ...body };
  });
  await Promise.all(asked.map((one) => operations.accept(one)));
  return asked.map(({ id }) => id);
}

function operationsOf(name: string, memory = new Memory()): Operations {
  const at = { url: ledger.url, schema: ledger.schema };
  const needs = { clock: systemClock, random: systemRandom, lanes: 1 };
  const operations = new Operations({ database: at, process: name, memory, ...needs });
  closing.push(() => operations.close());
  return operations;
}

interface Observer {
  readonly processes: Processes;
  readonly memory: Memory;
  readonly fenced: string[];
  readonly lost: LostLane[][];
  /** Advances only this process's clock. */
  readonly later: (ms: number) => void;
}

function observer(slot: string, over: object = {}): Observer {
  let ahead = 0;
  const fenced: string[] = [];
  const lost: LostLane[][] = [];
  const memory = new Memory();
  const clock = {
    ...systemClock,
    monotonic: () => systemClock.monotonic() + ahead,
    sinceBoot: () => systemClock.sinceBoot() + ahead,
  };
  const processes = new Processes({
    database,
    memory,
    clock,
    name: processName(slot, systemRandom),
    deployment: ledger.url,
    slot,
    version: 'test',
    schemaVersion: 1,
    roles: ['worker'],
    onFenced: (why) => fenced.push(why),
    onRestored: async ({ lanes }) => void lost.push([...lanes]),
    ...over,
  });
  closing.push(() => processes.end());
  return { processes, memory, fenced, lost, later: (ms) => (ahead += ms) };
}

const holders = (account: string) =>
  ledger.query<{ holder: string | null }>(
    `select holder from relais.operation where account = '${account}' and lease is not null`,
  );

test('a process that starts after a kill takes over the leases of its predecessor at once', async () => {
  await accepted('killed', 5);
  const old = new Child('worker-a', 'killed');
  await old.said('kept');
  expect(await holders('killed')).toHaveLength(5);
  old.process.kill('SIGKILL');
  await old.ended();
  const { processes } = observer('worker-a');
  await processes.start();
  expect(processes.slot).toBe('worker-a');
  expect(await holders('killed')).toEqual([]);
  expect(await database.run('processes')).toMatchObject([{ process: processes.name }]);
});

test('two workers of one machine have two slots, and neither takes the work of the other', async () => {
  await accepted('neighbours', 2);
  const one = new Child('worker-b', 'neighbours');
  await one.said('kept');
  const other = observer('worker-b');
  await other.processes.start();
  expect(other.processes.slot).toBe('worker-b#2');
  await other.processes.beat();
  expect(await holders('neighbours')).toHaveLength(2);
});

test('a process that is frozen and thaws later writes nothing and exits', async () => {
  await accepted('frozen', 2);
  const old = new Child('worker-c', 'frozen');
  await old.said('kept');
  old.process.kill('SIGSTOP');
  const { processes, later } = observer('worker-c');
  await processes.start();
  expect(await holders('frozen')).toHaveLength(2);
  for (let n = 0; n < 3; n += 1) {
    later(4_000);
    await processes.beat();
  }
  expect(await holders('frozen')).toEqual([]);
  // Pending when it thaws: it first writes its intents.
  old.process.kill('SIGUSR2');
  old.process.kill('SIGCONT');
  expect(await old.said('fenced')).toEqual({ fenced: 'silent' });
  expect(await old.ended()).toBe(3);
  const states = await ledger.query(`select distinct state from relais.operation where account = 'frozen'`);
  expect(states).toEqual([{ state: 'queued' }]);
});

test('an observer that did not see the ledger for a while declares no process dead', async () => {
  const other = observer('quiet', { place: { bootId: 'x', pidNamespace: 'y', pid: 1, pidStarted: '1' } });
  await other.processes.start();
  const { processes, later } = observer('worker-d');
  await processes.start();
  later(30_000);
  await processes.beat();
  later(3_000);
  await processes.beat();
  await other.processes.beat();
  expect(other.fenced).toEqual([]);
});

test('only silence ends a process of another machine, for any number', async () => {
  const away = { ...ownPlace(), bootId: 'another machine', pid: 4_194_303 };
  const other = observer('worker-e', { place: away });
  await other.processes.start();
  const { processes } = observer('worker-f');
  await processes.start();
  await other.processes.beat();
  expect(other.fenced).toEqual([]);
});

test('a process of another machine is not gone because its slot is free here', async () => {
  await ledger.query(`insert into relais.worker (process, slot, boot_id, pid_namespace, pid, pid_started, version, schema_version, roles)
    values ('away-1', 'worker-away', 'another machine', '${ownPlace().pidNamespace}', 4194303, '1', 'test', 1, '{}')`);
  const { processes } = observer('worker-m');
  await processes.start();
  await processes.beat();
  expect(await database.run('processes')).toMatchObject([{ process: 'away-1' }, { process: processes.name }]);
});

test('a process that looks gone keeps its work while it holds its slot', async () => {
  const other = observer('worker-n', { place: { ...ownPlace(), pidStarted: 'earlier' } });
  await other.processes.start();
  for (const slot of ['worker-n', 'worker-o']) {
    const { processes } = observer(slot);
    await processes.start();
    await other.processes.beat();
  }
  expect(other.fenced).toEqual([]);
});

test('an intent that may still leave keeps its lease until its deadline; a status check does not wait', async () => {
  await accepted('intents', 3);
  const gone = observer('worker-g', { place: { ...ownPlace(), pidStarted: 'earlier' } });
  await gone.processes.start();
  await gone.processes.noteCompared();
  const operations = operationsOf(gone.processes.name);
  const [plain, direct, check] = await operations.claim('disbursement', ['intents'], 3, 120_000);
  if (!plain || !direct || !check) throw new Error('nothing was due');
  const intent = { was: 'queued', state: 'submitting', keepMs: 120_000, sendMs: 60_000, intends: true };
  await operations.change({ ...intent, id: direct.id, lease: direct.lease, queue: 'direct-credit' });
  await operations.change({ ...intent, id: check.id, lease: check.lease, queue: 'status-poll' });
  const { processes } = observer('worker-h');
  // It no longer holds its slot.
  await gone.processes.end();
  await ledger.query(
    `update relais.operation set lease = 7, lease_until = now() + interval '2 minutes', holder = 'gone-1' where account = 'intents'`,
  );
  await ledger.query(`insert into relais.worker (process, slot, boot_id, pid_namespace, pid, pid_started, version, schema_version, roles)
    values ('gone-1', 'worker-g', '${ownPlace().bootId}', '${ownPlace().pidNamespace}', ${process.pid}, 'earlier', 'test', 1, '{}')`);
  await processes.start();
  const rows = await ledger.query<{ id: string; lease: string | null; ends: boolean | null }>(
    `select id, lease, lease_until = send_until as ends from relais.operation where account = 'intents' order by id`,
  );
  const byId = new Map(rows.map(({ id, ...row }) => [id, row]));
  expect(byId.get(plain.id)).toMatchObject({ lease: null });
  expect(byId.get(check.id)).toMatchObject({ lease: null });
  expect(byId.get(direct.id)).toEqual({ lease: '7', ends: true });
});

test('a process detects that another lane is behind, and that a lane ended cleanly', async () => {
  const { processes, memory, lost } = observer('worker-i');
  await processes.start();
  const ended = observer('worker-j');
  await ended.processes.start();
  const operations = operationsOf(ended.processes.name);
  for (let n = 0; n < 3; n += 1) await operations.signal(callback('none', 'x'));
  await accepted('seen', 2);
  await processes.beat();
  expect(memory.lanes).toContain('accepts/accept0');
  await ended.processes.end();
  await processes.beat();
  expect(lost).toEqual([]);
  expect(memory.lanes.filter((lane) => lane.startsWith(ended.processes.name))).toEqual([]);
  await ledger.query(`update relais.mark set counter = counter - 1 where lane = 'accepts/accept0'`);
  await processes.beat();
  expect(lost[0]).toMatchObject([{ lane: 'accepts/accept0' }]);
});

test('a ledger from before a process does not know its end, so the process reports a restore', async () => {
  const { processes, fenced, lost } = observer('worker-k');
  await processes.start();
  await ledger.query(`delete from relais.worker where process = '${processes.name}'`);
  await processes.beat();
  expect([fenced, lost.length]).toEqual([['restored'], 1]);
});

test('a retired process cannot open a lane again', async () => {
  const { processes } = observer('worker-l');
  await processes.start();
  const operations = operationsOf(processes.name);
  await processes.end();
  const signal = operations.signal(callback('none', 'x'));
  await expect(signal).rejects.toMatchObject({ name: 'LedgerClosed', reason: 'fenced' });
});

test('a lane opened during a takeover stays retired, and no process reports a loss', async () => {
  await ledger.query(
    `insert into relais.worker (process, slot, boot_id, pid_namespace, pid, pid_started, version, schema_version, roles)
     values ('zombie', 's', 'b', 'n', 1, '1', '0', 1, '{worker}')`,
  );
  await database.run('open_lane', ['zombie/step', '0']);
  let opened: Promise<unknown> | undefined;
  await database.transaction(async (run) => {
    await run('lock_processes', [['zombie'], ['0']]);
    await run('retire_processes', [['zombie'], null]);
    opened = database.run('open_lane', ['zombie/step', '1']).catch((error: unknown) => error);
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await vi.waitUntil(async () => (await ledger.query(waiting)).length > 0, { timeout: 60_000 });
  });
  expect(await opened).toEqual([]);
  expect(await ledger.query(`select from relais.mark where lane = 'zombie/step'`)).toEqual([]);
  expect(await ledger.query(`select counter from relais.retired_lane where lane = 'zombie/step'`)).toEqual([
    { counter: '1' },
  ]);
});
