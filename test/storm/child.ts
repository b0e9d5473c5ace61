/** One of our processes, started like by an operator, and killed and frozen by the storm. */
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { nowMs, wait } from './clock.ts';
import { within } from './phases.ts';
import { bareEnvironment } from './plan.ts';

/** A process killed for a slow start would only start again: on a busy machine a start takes this long. */
const READY_LIMIT_MS = 120_000;
const START_TRIES = 20;
const START_WITHIN_MS = 300_000;
const ENDS_WITHIN_MS = 30_000;
const START_AGAIN_MS = 300;
const LAST_WORDS = 500;
const REPLACED = 'another process has taken over the work of this one';
/** PostgreSQL was unreachable during a whole recovery, or was restored to a time before its start. */
const LEFT_BEHIND = [
  'a recovery began and ended while this process did not reach PostgreSQL',
  'PostgreSQL was restored to a time before this process started',
];
const everyone = new Set<ChildProcess>();

/** Ends every process, even if the storm fails. */
export function killEveryone(): void {
  for (const child of everyone) child.kill('SIGKILL');
}

/** A process started elsewhere ends with the storm, too. */
export function mind(child: ChildProcess): void {
  everyone.add(child);
  child.once('exit', () => everyone.delete(child));
}

export interface ChildPlan {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
  readonly log: string;
}

export type Urls = Readonly<Record<string, string>>;

/** A slot in which one process after the other runs. */
export class Child {
  readonly plan: ChildPlan;
  /** Unexpected ends of a ready process. */
  readonly diedByItself: string[] = [];
  /** Ends before readiness: nothing starts without Redis, and the supervisor restarts the process. */
  readonly failedStarts: string[] = [];
  /** When it was frozen, in ms since the epoch. */
  readonly stoodStill: { from: number; to: number }[] = [];
  /** Additional settings of its next start. */
  more: Readonly<Record<string, string>> = {};
  urls: Urls = {};
  frozen = false;
  #child: ChildProcess | undefined;
  #expected = false;
  #isReady = false;

  constructor(plan: ChildPlan) {
    this.plan = plan;
  }

  get running(): boolean {
    return this.#child !== undefined;
  }

  /** Resolves after its ready line; throws if it ended instead in every try. */
  async start(): Promise<void> {
    const until = nowMs() + START_WITHIN_MS;
    for (let attempt = 1; attempt <= START_TRIES && nowMs() < until; attempt += 1) {
      if (await this.#startOnce()) return;
      await this.kill();
      await wait(START_AGAIN_MS);
    }
    throw new Error(`${this.plan.name} did not start: ${this.lastWords()}; see ${this.plan.log}`);
  }

  async #startOnce(): Promise<boolean> {
    const { program, args, settings, log } = this.plan;
    const file = openSync(log, 'a');
    const child = spawn(process.execPath, [program, ...args], {
      env: bareEnvironment({ ...settings, ...this.more }),
      stdio: ['ignore', 'pipe', file],
    });
    closeSync(file);
    mind(child);
    this.#child = child;
    this.#expected = false;
    this.#isReady = false;
    this.frozen = false;
    child.once('exit', (code, signal) => this.#ended(child, code, signal));
    return this.#ready(child);
  }

  freeze(): void {
    this.frozen = this.#child?.kill('SIGSTOP') ?? false;
    this.stoodStill.push({ from: Date.now(), to: Number.POSITIVE_INFINITY });
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
    this.#movesAgain();
  }

  #movesAgain(): void {
    this.frozen = false;
    const last = this.stoodStill.at(-1);
    if (last && last.to === Number.POSITIVE_INFINITY) last.to = Date.now();
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null) return;
    this.#expected = true;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill('SIGKILL');
    await within(ENDS_WITHIN_MS, `${this.plan.name} to end`, gone);
  }

  #ended(child: ChildProcess, code: number | null, signal: NodeJS.Signals | null): void {
    if (this.#child === child) this.#child = undefined;
    this.#movesAgain();
    const how = signal ?? `status ${code}`;
    if (existsSync(this.plan.log))
      appendFileSync(this.plan.log, `--- ended: ${how}${this.#expected ? '' : ', by itself'}\n`);
    if (this.#expected) return;
    const told = `${this.plan.name} ended by itself: ${how}; ${this.lastWords()}`;
    const isReplaced = this.stoodStill.length > 0 && told.includes(REPLACED);
    // It was frozen until its successor took over, or PostgreSQL was restored without it: it has to exit.
    if (isReplaced || LEFT_BEHIND.some((words) => told.includes(words))) return;
    if (this.#isReady) this.diedByItself.push(told);
    else this.failedStarts.push(told);
  }

  /** The end of its log. */
  lastWords(): string {
    // A storm that is stopped early also removes the logs.
    if (!existsSync(this.plan.log)) return 'its log is gone';
    const lines = readFileSync(this.plan.log, 'utf8').trim().split('\n');
    return (lines.findLast((line) => !line.startsWith('---')) ?? '').slice(0, LAST_WORDS);
  }

  #ready(child: ChildProcess): Promise<boolean> {
    return new Promise((resolve) => {
      const { stdout } = child;
      if (!stdout) return resolve(false);
      const timer = setTimeout(() => {
        this.failedStarts.push(`${this.plan.name} was not ready after ${READY_LIMIT_MS} ms; ${this.lastWords()}`);
        resolve(false);
      }, READY_LIMIT_MS);
      const settle = (ready: boolean): void => {
        clearTimeout(timer);
        resolve(ready);
      };
      createInterface({ input: stdout }).once('line', (line) => {
        this.urls = JSON.parse(line) as Urls;
        this.#isReady = true;
        settle(true);
      });
      child.once('exit', () => settle(false));
    });
  }
}
