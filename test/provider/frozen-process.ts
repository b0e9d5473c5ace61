/**
 * A process that sends requests on command, a line each, and freezes on command: by itself, between the last check
 * before the request is passed on and its write. During a handshake, its parent stops it.
 */
import { subscribe } from 'node:diagnostics_channel';
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Database } from '../../src/ledger/pool.ts';
import { momentOf, systemClock } from '../../src/lib/clock.ts';
import { type EffectName, effects } from './effects.ts';
import { liveAccount, openUpstream } from './listener.ts';

/** A command of the parent. Absent `leaseMs`: unlimited. */
export interface Order {
  readonly effect: EffectName;
  readonly url: string;
  /** A client keeps its connections: a new name opens new ones. */
  readonly client: string;
  readonly leaseMs?: number;
  readonly freezes?: boolean;
}

const [url = ''] = process.argv.slice(2);
const database = new Database({ url, schema: 'relais', patience: 20_000 });
const account = liveAccount();
const clients = new Map<string, ReturnType<typeof openUpstream>>();
let freezes = false;

const say = (line: object): number => writeSync(1, `${JSON.stringify(line)}\n`);

subscribe('undici:request:create', () => {
  if (!freezes) return;
  freezes = false;
  say({ frozen: true });
  process.kill(process.pid, 'SIGSTOP');
});

async function carryOut(order: Order): Promise<void> {
  const patience = { connectTimeoutMs: 60_000, timeoutMs: 60_000 };
  const opened = clients.get(order.client) ?? openUpstream(order.url, { database, ...patience });
  clients.set(order.client, opened);
  const { upstream } = opened;
  await upstream.messaging.prepare(account);
  const sendBy = order.leaseMs === undefined ? undefined : { since: momentOf(systemClock), ms: order.leaseMs };
  freezes = order.freezes ?? false;
  const { is, exchange } = await effects[order.effect](upstream, account, { sendBy });
  say({ is, code: exchange.code, sent: exchange.sent });
}

createInterface({ input: process.stdin }).on('line', (line) => void carryOut(JSON.parse(line) as Order));
say({ ready: true });
