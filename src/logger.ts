import { type Logger, destination, pino } from 'pino';
import type { Config } from './config.ts';
import type { Clock } from './lib/clock.ts';
import { describeError, maskPhone } from './lib/phone.ts';

/** Fields that hold a key, a person or a text, wherever a line carries them. */
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

/**
 * JSON lines on stderr: stdout carries only the ready line and what commands print. Telephone numbers inside messages
 * are masked too, since a message may quote what upstream said.
 */
export function createLogger(level: Config['LOG_LEVEL']): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: HIDDEN_FIELDS, censor: '[hidden]' },
      hooks: {
        logMethod(args, method) {
          const masked = args.map((arg) => (typeof arg === 'string' ? maskPhone(arg) : arg));
          method.apply(this, masked as Parameters<typeof method>);
        },
      },
      serializers: { err: describeError },
    },
    destination({ fd: 2, sync: true }),
  );
}

const QUIET_MS = 5_000;

/**
 * For errors that may come thousands of times a second: the first at once, then one line in a while with the number.
 */
export function createQuietly(logger: Logger, clock: Clock): (message: string, error: unknown) => void {
  const last = new Map<string, { at: number; missed: number }>();
  return (message, error) => {
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
