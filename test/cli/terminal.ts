import { PassThrough, Readable, Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { runCli } from '../../src/cli/cli.ts';
import type { CliIo, Services } from '../../src/cli/io.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The command's sleeps on its clock, in order, in ms. */
  readonly slept: readonly number[];
}

export interface Situation {
  readonly env?: CliIo['env'];
  /** Typed input. The parts of an array arrive separately. */
  readonly types?: string | readonly string[];
  /** Typed on keys, including Ctrl-C (\u0003). */
  readonly onKeys?: true;
  readonly isTerminal?: boolean;
  readonly columns?: number;
  readonly services?: Partial<Services>;
  /** The error of every write to stdout: `EPIPE` is `| head -0`. */
  readonly stdoutFails?: string;
  /** Called before every sleep with their number: advances the environment, or presses Ctrl-C. */
  readonly onSleep?: (sleeps: number, interrupt: () => void) => void;
}

/** Runs a command as a user would, with a clock that never waits. */
export async function relais(argv: readonly string[], situation: Situation = {}): Promise<Ran> {
  const { env = {}, types = '', isTerminal = false, columns = 80, services = {} } = situation;
  const controller = new AbortController();
  const slept: number[] = [];
  const stdout = collector();
  const stderr = collector();
  const stdin = Readable.from([types].flat().map((piece) => Buffer.from(piece)));
  if (situation.onKeys) Object.assign(stdin, { isTTY: true });
  onTestFinished(() => void stdin.destroy());
  const { stdoutFails } = situation;
  const code = await runCli(argv, {
    env,
    stdout: stdoutFails === undefined ? stdout.stream : failing(stdoutFails),
    stderr: stderr.stream,
    stdin,
    isTerminal,
    columns,
    stderrColumns: isTerminal ? columns : undefined,
    clock: sleeplessClock(slept, (sleeps) => situation.onSleep?.(sleeps, () => controller.abort())),
    signal: controller.signal,
    services: { ...NOTHING, ...services },
  });
  return { code, stdout: stdout.text(), stderr: stderr.text(), slept };
}

/** For commands that start none. */
export const NOTHING: Services = {
  run: unexpected,
  dev: unexpected,
  sandbox: unexpected,
  doctor: unexpected,
  newStamp: unexpected,
  migrate: unexpected,
};

/** For tests that read the commands and run none. */
export const SILENT_IO: CliIo = {
  env: {},
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  stdin: new PassThrough(),
  isTerminal: false,
  columns: 100,
  clock: systemClock,
  signal: new AbortController().signal,
  services: NOTHING,
};

function failing(code: string): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })) });
}

function collector() {
  const stream = new PassThrough();
  const parts: Buffer[] = [];
  stream.on('data', (part: Buffer) => parts.push(part));
  return { stream, text: () => Buffer.concat(parts).toString() };
}

async function unexpected(): Promise<number> {
  throw new Error('this service was not to be started');
}

/** Sleeping takes no time and advances the clock. */
function sleeplessClock(slept: number[], onSleep: (sleeps: number) => void): Clock {
  let now = 1_800_000_000_000;
  return {
    now: () => now,
    monotonic: () => now,
    sinceBoot: () => now,
    async sleep(ms, signal) {
      slept.push(ms);
      now += ms;
      onSleep(slept.length);
      signal?.throwIfAborted();
    },
    after: () => () => {},
  };
}
