import { setFlagsFromString } from 'node:v8';
import { type CliIo, type Services } from './cli/io.ts';
import { languageOf, runCli } from './cli/cli.ts';
import { wrapped } from './cli/output.ts';
import { systemClock } from './lib/clock.ts';
import { describeError } from './lib/phone.ts';
import { systemRandom } from './lib/random.ts';
import type { Language } from './messages/languages.ts';
import { MessageError } from './messages/texts.ts';
import type { Surroundings } from './app/run.ts';

/**
 * With much memory, V8 lets the heap grow to several times its use before a collection. After a million recipients a
 * process then holds 300 MB and needs a third of it.
 */
const HEAP_GROWS_BY_PERCENT = 40;
setFlagsFromString(`--heap-growing-percent=${HEAP_GROWS_BY_PERCENT}`);

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // A second signal ends at once: the rest is taken over when its lease ends.
    if (stop.signal.aborted) process.exit(1);
    stop.abort();
  });
}

// Continuing after an unexpected error would be unsafe; all important state is in PostgreSQL.
const die = (error: unknown): never => {
  // After the last log lines, so that the user sees it first.
  process.once('exit', () => process.stderr.write(`${told(error)}\n`));
  process.exit(1);
};
process.on('uncaughtException', die);
process.on('unhandledRejection', die);

const surroundings: Surroundings = {
  env: process.env,
  signal: stop.signal,
  giveUp: die,
  ready: (facts) => process.stdout.write(`${JSON.stringify(facts)}\n`),
};

let language: Language = 'en';

/** Errors in the settings are shown as text, without a stack trace. */
function told(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (isOfStart(cause)) return cause.textIn(language);
  return JSON.stringify({ level: 'fatal', err: describeError(error) });
}

/** By name, so that the settings are not loaded for `--version`. */
const isOfStart = (error: Error): error is MessageError =>
  error instanceof MessageError && ['WrongSettings', 'PortTaken', 'NoEmbeddedPostgres'].includes(error.name);

/** A failed start may leave open connections that would keep the process alive: it exits here. */
async function explained(service: () => Promise<number>): Promise<number> {
  ({ language } = languageOf(process.argv.slice(2), process));
  return service().catch(die);
}

const world = {
  env: process.env,
  clock: systemClock,
  signal: stop.signal,
  print: (line: string): void => void process.stdout.write(`${line}\n`),
};

/** The start screen of `relais dev` on a terminal. */
async function screen(): Promise<Surroundings['ready']> {
  const { devScreen } = await import('./app/dev-screen.ts');
  const { wordsIn } = await import('./messages/languages.ts');
  const words = wordsIn(languageOf(process.argv.slice(2), process).language).dev;
  return (urls) => world.print(devScreen(urls, words));
}

/** Each is loaded on demand. */
const services: Services = {
  run: (options) => explained(async () => (await import('./app/run.ts')).run(options, surroundings)),
  dev: () =>
    explained(async () => {
      const { dev } = await import('./app/dev.ts');
      return dev(io.isTerminal ? { ...surroundings, ready: await screen() } : surroundings);
    }),
  sandbox: (command) => explained(async () => (await import('./app/sandbox.ts')).sandbox(command, surroundings)),
  newStamp: (command) =>
    explained(async () => (await import('./app/new-stamp.ts')).newStamp({ ...command, ...world })),
  migrate: (command) =>
    explained(async () => (await import('./app/migrate.ts')).migrateLedger({ ...command, ...world })),
  doctor: async (command) => {
    const { doctor } = await import('./app/doctor.ts');
    const print = (line: string): void =>
      world.print(io.isTerminal && !command.json ? wrapped(line, io.columns) : line);
    return doctor({ ...command, ...world, print, random: systemRandom });
  },
};

const io: CliIo = {
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  // Without a terminal the property is missing, whatever its type says.
  isTerminal: 'isTTY' in process.stdout && process.stdout.isTTY,
  columns: process.stdout.columns || 100,
  stderrColumns: 'isTTY' in process.stderr && process.stderr.isTTY ? process.stderr.columns || 100 : undefined,
  clock: systemClock,
  signal: stop.signal,
  services,
};

process.exitCode = await runCli(process.argv.slice(2), io);
