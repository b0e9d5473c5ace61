import { setFlagsFromString } from 'node:v8';
import { type CliIo, type Services } from './cli/io.ts';
import { runCli } from './cli/cli.ts';
import { WrongSettings } from './config.ts';
import { systemClock } from './lib/clock.ts';
import { systemRandom } from './lib/random.ts';
import { describeError } from './logger.ts';
import { verifyBackup } from './app/backup.ts';
import { dev } from './app/dev.ts';
import { doctor } from './app/doctor.ts';
import { newStamp } from './app/new-stamp.ts';
import { run, type Surroundings } from './app/run.ts';
import { sandbox } from './app/sandbox.ts';

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

// Going on after a fault that nobody foresaw would be a guess; every state worth keeping is in Redis.
const die = (error: unknown): never => {
  process.stderr.write(`${told(error)}\n`);
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

/** What is wrong with the settings is said in words, not as a stack of calls. */
function told(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof WrongSettings ? error.cause : error;
  return cause instanceof WrongSettings
    ? cause.message
    : JSON.stringify({ level: 'fatal', err: describeError(error) });
}

/** What did not start may leave connections open that would keep the process alive without any use: it ends here. */
function explained(service: () => Promise<number>): Promise<number> {
  return service().catch(die);
}

const services: Services = {
  run: (options) => explained(() => run(options, surroundings)),
  dev: () => explained(() => dev(surroundings)),
  sandbox: (command) => explained(() => sandbox(command, surroundings)),
  newStamp: ({ confirmed }) =>
    explained(() =>
      newStamp({
        confirmed,
        env: process.env,
        clock: systemClock,
        print: (line) => void process.stdout.write(`${line}\n`),
      }),
    ),
  verifyBackup: ({ dir, json }) =>
    explained(() =>
      verifyBackup({
        dir,
        json,
        env: process.env,
        clock: systemClock,
        signal: stop.signal,
        print: (line) => void process.stdout.write(`${line}\n`),
      }),
    ),
  doctor: ({ json }) =>
    doctor({
      json,
      env: process.env,
      clock: systemClock,
      random: systemRandom,
      signal: stop.signal,
      print: (line) => void process.stdout.write(`${line}\n`),
    }),
};

const io: CliIo = {
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  // Off a terminal the property is not there at all, whatever its type says.
  isTerminal: 'isTTY' in process.stdout && process.stdout.isTTY,
  columns: process.stdout.columns || 100,
  clock: systemClock,
  signal: stop.signal,
  services,
};

process.exitCode = await runCli(process.argv.slice(2), io);
