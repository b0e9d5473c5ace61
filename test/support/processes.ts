/** Starts commands of ./bin/relais.js as separate processes, like an operator, and ends every one of them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const RELAIS = fileURLToPath(new URL('../../bin/relais.js', import.meta.url));
const READY_LIMIT_MS = 120_000;
const STOP_LIMIT_MS = 10_000;
const LAST_LINES = 15;

type Settings = Readonly<Record<string, string>>;

export interface Ended {
  /** null: ended by a signal. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface RunningProcess {
  readonly name: string;
  readonly pid: number;
  /** From its ready line, such as `api` or `control`. */
  readonly urls: Readonly<Record<string, string>>;
  /** Its stderr. */
  readonly log: string;
  readonly ended: Promise<Ended>;
  signal(signal: NodeJS.Signals): void;
  /** SIGTERM, and SIGKILL if it does not end. Harmless if it has ended already. */
  stop(): Promise<Ended>;
}

/**
 * The processes get none of the caller's settings, so that keys and addresses in the environment never lead to a
 * connection beyond this machine.
 */
function bareEnvironment(settings: Settings): NodeJS.ProcessEnv {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'REDIS_SERVER_BIN'];
  const inherited = kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  return { ...Object.fromEntries(inherited), ...settings };
}

export class Processes {
  readonly #logDir: string;
  readonly #children = new Set<ChildProcess>();
  #running: readonly RunningProcess[] = [];

  constructor(logDir: string) {
    this.#logDir = logDir;
  }

  /** Ready processes that have not ended, oldest first. */
  get running(): readonly RunningProcess[] {
    return this.#running;
  }

  /** Resolves after the ready line. Rejects with the end of its log if the process ended instead. */
  async start(name: string, args: readonly string[], settings: Settings): Promise<RunningProcess> {
    const log = join(this.#logDir, `${name}.log`);
    const child = this.#spawn(args, settings, log);
    const ended = endOf(child);
    void ended.then(() => this.#children.delete(child));
    const stop = (): Promise<Ended> => stopChild(child, ended);
    try {
      const urls = await readyLine(child, ended, { name, log });
      const process: RunningProcess = {
        name,
        pid: child.pid ?? 0,
        urls,
        log,
        ended,
        signal: (signal) => void child.kill(signal),
        stop,
      };
      this.#running = [...this.#running, process];
      void ended.then(() => this.#forget(process));
      return process;
    } catch (error) {
      await stop();
      throw error;
    }
  }

  /** Runs a command that ends by itself. */
  async run(
    args: readonly string[],
    settings: Settings,
  ): Promise<Ended & { readonly stdout: string; readonly log: string }> {
    const log = join(this.#logDir, `${args[0] ?? 'relais'}-run.log`);
    const child = this.#spawn(args, settings, log);
    let stdout = '';
    child.stdout?.on('data', (data: Buffer) => (stdout += data.toString()));
    const ended = await endOf(child);
    this.#children.delete(child);
    return { ...ended, stdout, log: readFileSync(log, 'utf8') };
  }

  /** Youngest first, so that no process outlives its dependencies. */
  async stopAll(): Promise<void> {
    for (const process of this.#running.toReversed()) await process.stop();
  }

  /** For an exiting program: synchronous, without waiting. */
  killAll(): void {
    for (const child of this.#children) child.kill('SIGKILL');
  }

  #forget(process: RunningProcess): void {
    this.#running = this.#running.filter((other) => other !== process);
  }

  #spawn(args: readonly string[], settings: Settings, log: string): ChildProcess {
    const file = openSync(log, 'a');
    const child = spawn(process.execPath, [RELAIS, ...args], {
      env: bareEnvironment(settings),
      stdio: ['ignore', 'pipe', file],
    });
    closeSync(file);
    this.#children.add(child);
    return child;
  }
}

function endOf(child: ChildProcess): Promise<Ended> {
  return new Promise((resolve, reject) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
    child.once('error', reject);
  });
}

async function readyLine(
  child: ChildProcess,
  ended: Promise<Ended>,
  { name, log }: { readonly name: string; readonly log: string },
): Promise<Readonly<Record<string, string>>> {
  const lines = createInterface({ input: child.stdout ?? process.stdin });
  const limit = AbortSignal.timeout(READY_LIMIT_MS);
  const first = new Promise<string>((resolve, reject) => {
    lines.once('line', resolve);
    limit.addEventListener('abort', () => reject(new Error(`${name} was not ready in time`)), { once: true });
  });
  const tooEarly = ended.then(({ code, signal }) => {
    throw new Error(`${name} ended before it was ready (${signal ?? code}):\n${lastLines(log)}`);
  });
  const { ready: _, ...urls } = JSON.parse(await Promise.race([first, tooEarly])) as Record<string, string>;
  return urls;
}

function lastLines(log: string): string {
  return readFileSync(log, 'utf8').trim().split('\n').slice(-LAST_LINES).join('\n');
}

async function stopChild(child: ChildProcess, ended: Promise<Ended>): Promise<Ended> {
  child.kill('SIGTERM');
  // A frozen process gets signals only after it continues.
  child.kill('SIGCONT');
  const patience = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  try {
    return await ended;
  } finally {
    clearTimeout(patience);
  }
}
