/** The pgbouncer of this machine in transaction mode, in front of a PostgreSQL without passwords. */
import { chmodSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Client } from 'pg';
import { retryUntilDeadline, systemClock } from '../../src/lib/clock.ts';
import { freePort } from '../../src/lib/listening.ts';
import { supervise } from '../../src/redis/embedded.ts';
import type { Pooler } from './pooler.ts';

/** Debian puts it where a plain user's search path does not look. */
const FOLDERS = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];

/** Undefined: it is not installed. */
export const pgbouncer = FOLDERS.map((folder) => join(folder, 'pgbouncer')).find((program) => existsSync(program));

const READY_MS = 60_000;
const PAUSE_MS = 50;

/** `program`: see `pgbouncer`. The user of `url` is the user of every session. */
export async function startPgbouncer(program: string, url: string): Promise<Pooler> {
  const { hostname, port, username } = new URL(url);
  const own = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'relais-pgbouncer-'));
  chmodSync(folder, 0o755);
  const file = join(folder, 'pgbouncer.ini');
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: own,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    default_pool_size: 20,
    max_client_conn: 500,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const target = `* = host=${hostname} port=${port} user=${username}`;
  writeFileSync(file, ['[databases]', target, '[pgbouncer]', ...lines, ''].join('\n'));
  // pgbouncer refuses to run as root.
  const as = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const server = supervise({ program, args: ['-q', ...as, file], dir: folder, keep: false });
  await server.pid;
  const through = Object.assign(new URL(url), { port: String(own) }).href;
  const patience = { clock: systemClock, limitMs: READY_MS, pauseMs: PAUSE_MS, again: () => true };
  await retryUntilDeadline(() => answers(through), patience);
  return { url: through, close: () => server.stop() };
}

async function answers(connectionString: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  await client.end();
}
