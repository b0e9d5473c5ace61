import { mkdtempSync, accessSync, constants, mkdirSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execFileSync, type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { freePort } from '../lib/listening.ts';
import { closeConnection, waitUntilReady } from './connections.ts';

export interface EmbeddedOptions extends FindOptions {
  /** Stores the data here, for a later start. Default: a temporary folder, removed at the stop. */
  readonly dir?: string;
  /** Default: a free port. */
  readonly port?: number;
  /** Number of databases. Default: 16, as in Redis. */
  readonly databases?: number;
  /** Receives a sentence when the server ends unexpectedly. */
  readonly log?: (message: string) => void;
}

export interface EmbeddedRedis {
  readonly url: string;
  readonly port: number;
  /** The server process, so that a test can freeze or kill it. */
  readonly pid: number;
  readonly dir: string;
  /** Stops the server and waits for its end. Harmless if it has ended already. */
  stop(): Promise<void>;
}

/** The server did not start. The message contains the last lines of its log. */
export class RedisDidNotStart extends Error {
  override readonly name = 'RedisDidNotStart';
}

const START_LIMIT_MS = 30_000;
const START_TRIES = 3;
const FIRST_PINGS_EVERY_MS = 20;

/**
 * A real Redis server for `relais dev`, the demo and the tests. It listens on loopback only, has its own folder, and
 * ends with this process in any case. Other servers are never touched: the one that answers must be the one that was
 * started.
 */
export async function startEmbeddedRedis(options: EmbeddedOptions = {}): Promise<EmbeddedRedis> {
  const program = findRedisServer(options);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce(program, options.port ?? (await freePort()), options);
    } catch (error) {
      // Another program may take a free port before the server does; a requested port must not be changed.
      if (options.port !== undefined || attempt === START_TRIES) throw error;
    }
  }
}

async function startOnce(program: string, port: number, options: EmbeddedOptions): Promise<EmbeddedRedis> {
  const dir = options.dir ?? mkdtempSync(join(tmpdir(), 'relais-redis-'));
  const args = serverArguments(port, dir, options);
  const server = supervise({ program, args, dir, keep: options.dir !== undefined });
  const tooEarly = server.ended.then((last) => {
    throw new RedisDidNotStart(`${program} ended before it answered on port ${port}:\n${last}`);
  });
  try {
    const pid = await Promise.race([server.pid, tooEarly]);
    await Promise.race([answersAs(pid, port), tooEarly]);
    const stop = tellWhenUnasked(server, port, options.log);
    server.release();
    return { url: `redis://127.0.0.1:${port}`, port, pid, dir, stop };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

function serverArguments(
  port: number,
  dir: string,
  { databases = 16, dir: kept }: EmbeddedOptions,
): readonly string[] {
  const settings = {
    port: String(port),
    bind: '127.0.0.1',
    dir,
    databases: String(databases),
    appendonly: kept === undefined ? 'no' : 'yes',
    save: '',
  };
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
}

/** Waits until the port answers, and checks that our process answers. */
async function answersAs(pid: number, port: number): Promise<void> {
  const redis = new Redis({ port, maxRetriesPerRequest: 0, retryStrategy: () => FIRST_PINGS_EVERY_MS });
  // A starting server refuses connections; the time limit detects a failed start.
  redis.on('error', () => undefined);
  try {
    await waitUntilReady(redis, START_LIMIT_MS);
    const [, answering] = /^process_id:(\d+)/m.exec(await redis.info('server')) ?? [];
    if (Number(answering) === pid) return;
    throw new RedisDidNotStart(`port ${port} is answered by another Redis (process ${answering ?? 'unknown'})`);
  } finally {
    await closeConnection(redis);
  }
}

function tellWhenUnasked(
  server: SupervisedServer,
  port: number,
  log?: (message: string) => void,
): () => Promise<void> {
  let asked = false;
  const tell = (last: string): void => {
    if (!asked) log?.(`the embedded Redis on port ${port} ended by itself: ${last}`);
  };
  void server.ended.then(tell);
  return () => {
    asked = true;
    return server.stop();
  };
}

export interface FindOptions {
  /** The server program to use (the setting `REDIS_SERVER_BIN`). */
  readonly binary?: string;
  /** The folder of an unpacked server. Default: `.relais/redis` in the project. */
  readonly cacheDir?: string;
}

/** There is no redis-server or valkey-server on this machine. The message lists the alternatives. */
export class NoRedisServer extends Error {
  override readonly name = 'NoRedisServer';
}

const PROJECT_CACHE = fileURLToPath(new URL('../../.relais/redis', import.meta.url));

const WAYS_OUT = [
  '  ./script/setup                              (fetches one for this project, on Debian and Ubuntu)',
  '  brew install redis                          (macOS), apt-get install redis-server (Debian)',
  '  docker run -d -p 6379:6379 redis:7',
  '                                              then REDIS_URL=redis://127.0.0.1:6379',
  '  REDIS_SERVER_BIN=/path/to/redis-server      or REDIS_URL=redis://… of one that runs already',
].join('\n');

/**
 * The server program: the configured one, otherwise redis-server or valkey-server on PATH, otherwise the one unpacked
 * by setup.
 */
export function findRedisServer(options: FindOptions = {}): string {
  if (options.binary !== undefined) {
    if (isProgram(options.binary)) return options.binary;
    throw new NoRedisServer(
      `REDIS_SERVER_BIN names ${options.binary}, which is not a program. Ways out:\n${WAYS_OUT}`,
    );
  }
  const cached = `${options.cacheDir ?? PROJECT_CACHE}/redis-server`;
  const found = onPath('redis-server') ?? onPath('valkey-server') ?? (isProgram(cached) ? cached : undefined);
  if (found !== undefined) return found;
  throw new NoRedisServer(`No redis-server or valkey-server on this machine, nor ${cached}. Ways out:\n${WAYS_OUT}`);
}

/** The shell knows the search path. */
function onPath(program: string): string | undefined {
  try {
    const answer = execFileSync('/bin/sh', ['-c', 'command -v "$1"', 'sh', program], { encoding: 'utf8' });
    return answer.trim() || undefined;
  } catch {
    return undefined; // `command -v` exits with 1 (or 127) for a program it does not know
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // not there, or not ours to run: the caller says which name it tried
  }
}

export interface ServerCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** The folder of its log. Removed after the server has ended, unless `keep`. */
  readonly dir: string;
  readonly keep: boolean;
}

export interface SupervisedServer {
  /** The pid of the server, not of the supervising shell. Rejects if the shell could not start. */
  readonly pid: Promise<number>;
  /** Resolves with the last lines of its log when the server has ended and its folder is removed. */
  readonly ended: Promise<string>;
  /** Stops the server and waits; after ten seconds it is killed. */
  stop(): Promise<void>;
  /** From now on the server does not keep this process alive. */
  release(): void;
}

/**
 * Starts the server, prints its pid, and stops it when stdin closes: when the parent asks, exits, or is killed. `$1`
 * is the folder, `$2` whether to keep it, the rest is the server and its arguments. The watcher reads a copy of
 * stdin, because a shell gives its background jobs an empty one. The last lines of the log are printed after the
 * folder is removed, since output to a dead parent ends the shell.
 */
const SUPERVISOR = `
dir=$1; keep=$2; shift 2
exec 3<&0
"$@" </dev/null >>"$dir/redis.log" 2>&1 3<&- &
server=$!
(
  while read -r _; do :; done
  kill -TERM "$server"
  for _ in 1 2 3 4 5 6 7 8 9 10; do sleep 1; kill -0 "$server" || exit 0; done
  kill -KILL "$server"
) <&3 >/dev/null 2>&1 &
watcher=$!
exec 3<&-
echo "$server"
wait "$server"; status=$?
kill "$watcher" 2>/dev/null
last=$(tail -n 5 "$dir/redis.log" 2>/dev/null)
[ "$keep" = keep ] || rm -rf -- "$dir"
printf '%s\\nended with status %s\\n' "$last" "$status"
`;

/**
 * Runs a server that ends with this process in any case. It has a session of its own, so that Ctrl-C in the terminal
 * reaches this process first, which can still write its results.
 */
export function supervise(command: ServerCommand): SupervisedServer {
  mkdirSync(command.dir, { recursive: true });
  const shell = spawn(
    '/bin/sh',
    [
      '-c',
      SUPERVISOR,
      'relais-redis',
      command.dir,
      command.keep ? 'keep' : 'remove',
      command.program,
      ...command.args,
    ],
    { detached: true, stdio: ['pipe', 'pipe', 'ignore'] },
  );
  // Writing to an ended shell is harmless; `ended` reports the rest.
  shell.stdin.on('error', () => undefined);
  const lines = createInterface({ input: shell.stdout });
  const ended = endOf(shell, lines);
  return {
    pid: pidFrom(shell, lines),
    ended,
    stop: async () => {
      shell.ref();
      shell.stdin.end();
      await ended;
    },
    release: () => {
      shell.unref();
      for (const pipe of [shell.stdin, shell.stdout]) if (pipe instanceof Socket) pipe.unref();
    },
  };
}

function pidFrom(shell: ChildProcess, lines: NodeJS.EventEmitter): Promise<number> {
  return new Promise((resolve, reject) => {
    lines.once('line', (line: string) => resolve(Number(line)));
    shell.once('error', reject);
  });
}

function endOf(shell: ChildProcess, lines: NodeJS.EventEmitter): Promise<string> {
  const told: string[] = [];
  lines.on('line', (line: string) => told.push(line));
  return new Promise((resolve) => {
    shell.once('close', () => resolve(told.slice(1).join('\n').trim()));
  });
}
