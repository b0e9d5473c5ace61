import { format } from 'node:util';
import { type Logger, destination, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import type { Config } from './config.ts';
import type { Clock } from './lib/clock.ts';
import { describeError, maskPhone } from './lib/phone.ts';
import { underWay } from './lib/traces.ts';

/** Fields with keys, personal data or texts, on any log line. */
const HIDDEN_FIELDS = [
  'authorization',
  'password',
  'secret',
  'token',
  'hash',
  'text',
  'to',
  'phone',
  'accountAlias',
  'otp',
  'card',
];

/** Writing each line separately was the largest cost of an attempt: several share one write. */
const BUFFERED_BYTES = 4_096;
const WRITTEN_EVERY_MS = 1_000;
/** pino's number: from this level on a line is written at once. */
const WARN = 40;

interface LogOptions {
  readonly level: Config['LOG_LEVEL'];
  readonly format?: Config['LOG_FORMAT'];
  /** For `pretty`, on a terminal with colours. */
  readonly colours?: boolean;
  /** Lines include their trace. */
  readonly traced?: boolean;
}

/** From the settings. */
export function logOptionsOf({
  LOG_LEVEL: level,
  LOG_FORMAT: as,
  OTEL_EXPORTER_OTLP_ENDPOINT: traces,
}: Pick<Config, 'LOG_LEVEL' | 'LOG_FORMAT' | 'OTEL_EXPORTER_OTLP_ENDPOINT'>): LogOptions {
  return { level, format: as, colours: process.stderr.isTTY, traced: traces !== undefined };
}

/**
 * JSON lines on stderr, or readable lines: stdout has only the ready line and the output of commands. Phone numbers
 * inside messages are masked too, since a message may quote the provider. Lines below warnings are written each
 * second, and at the end of the process; the records contain what a hard end loses.
 */
export function createLogger({ level, format: as = 'json', colours = false, traced = false }: LogOptions): Logger {
  const stream = destination({ fd: 2, sync: true, minLength: BUFFERED_BYTES, periodicFlush: WRITTEN_EVERY_MS });
  writtenAtTheEnd(stream);
  const inWords = prettyFactory({ colorize: colours, singleLine: true, translateTime: 'HH:MM:ss.l' });
  const written = as === 'json' ? stream : { write: (line: string) => stream.write(inWords(line)) };
  return pino(
    {
      level,
      base: null,
      ...(traced ? { mixin: () => ({ ...underWay.getStore()?.logged }) } : {}),
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: HIDDEN_FIELDS, censor: '[hidden]' },
      hooks: {
        logMethod(args, method, of) {
          const masked = args.map((arg) => (typeof arg === 'string' ? maskPhone(arg) : arg));
          method.apply(this, masked as Parameters<typeof method>);
          // Written without fsync: `flushSync` would make the process wait for the disk at each line.
          if (of >= WARN) stream.flush();
        },
      },
      serializers: { err: describeError },
    },
    written,
  );
}

/** One listener for all loggers of a process: with one each, Node would report the eleventh as a leak on stderr. */
const streams = new Set<ReturnType<typeof destination>>();

function writtenAtTheEnd(stream: ReturnType<typeof destination>): void {
  if (streams.size === 0) process.once('exit', () => streams.forEach((one) => one.flushSync()));
  streams.add(stream);
}

/** Writes a library's console output to the log: each line of stderr is a log line. */
export function hearConsole(logger: Logger): void {
  for (const name of ['log', 'info', 'warn', 'error'] as const) {
    console[name] = (...said: readonly unknown[]) => logger[name === 'log' ? 'info' : name](format(...said));
  }
}

const QUIET_MS = 5_000;

/**
 * For errors that may occur thousands of times a second: the first one at once, then a line at intervals with the
 * count. `isTold`: it belongs to an event with its own log lines.
 */
export function createQuietly(
  logger: Logger,
  clock: Clock,
  isTold: (error: unknown) => boolean = () => false,
): (message: string, error: unknown) => void {
  const last = new Map<string, { at: number; missed: number }>();
  return (message, error) => {
    if (isTold(error)) return;
    const key = `${message} ${error instanceof Error ? error.message : ''}`.slice(0, 200);
    const seen = last.get(key);
    const now = clock.monotonic();
    if (seen && now - seen.at < QUIET_MS) {
      seen.missed += 1;
      return;
    }
    if (last.size > 1_000) last.clear();
    last.set(key, { at: now, missed: 0 });
    logger.error({ err: error, ...(seen?.missed ? { alsoTimes: seen.missed } : {}) }, message);
  };
}
