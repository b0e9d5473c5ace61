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
 * Where there is much memory, V8 lets a heap grow to several times what is in use before it looks for garbage. After a
 * million recipients a process then holds 300 MB and needs a third of it.
 */
const HEAP_GROWS_BY_PERCENT = 40;
setFlagsFromString(`--heap-growing-percent=${HEAP_GROWS_BY_PERCENT}`);

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // The second time means it: whatever is left is taken up again when its lease ends.
    if (stop.signal.aborted) process.exit(1);
    stop.abort();
  });
}

// Going on after a fault that nobody foresaw would be a guess; every state worth keeping is in PostgreSQL.
const die = (error: unknown): never => {
  // Behind the lines of the log that are written at the end: what is read first is the last of it.
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

/** What is wrong with the settings is said in words, not as a stack of calls. */
function told(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (isOfStart(cause)) return cause.textIn(language);
  return JSON.stringify({ level: 'fatal', err: describeError(error) });
}

/** By their names, so that the settings are not loaded for a version. */
const isOfStart = (error: Error): error is MessageError =>
  error instanceof MessageError && ['WrongSettings', 'PortTaken', 'NoEmbeddedPostgres'].includes(error.name);

/** What did not start may leave connections open that would keep the process alive without any use: it ends here. */
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

/** How `relais dev` tells a person at a terminal that it is ready. */
async function screen(): Promise<Surroundings['ready']> {
  const { devScreen } = await import('./app/dev-screen.ts');
  const { wordsIn } = await import('./messages/languages.ts');
  const words = wordsIn(languageOf(process.argv.slice(2), process).language).dev;
  return (urls) => world.print(devScreen(urls, words));
}

/** Each is loaded when it is asked for. */
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
  // Off a terminal the property is not there at all, whatever its type says.
  isTerminal: 'isTTY' in process.stdout && process.stdout.isTTY,
  columns: process.stdout.columns || 100,
  stderrColumns: 'isTTY' in process.stderr && process.stderr.isTTY ? process.stderr.columns || 100 : undefined,
  clock: systemClock,
  signal: stop.signal,
  services,
};

process.exitCode = await runCli(process.argv.slice(2), io);
