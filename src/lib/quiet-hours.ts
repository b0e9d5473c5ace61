/**
 * Quiet hours of the day in a time zone. `21:00-08:00` spans midnight. The zone's rules apply, so a night with a
 * clock change has its local length.
 */
import { message } from '../messages/message.ts';
import { MessageError } from '../messages/texts.ts';
export interface QuietHours {
  /** Minutes since midnight; the first quiet minute, and the first one that is not. */
  readonly from: number;
  readonly to: number;
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;
/** A clock change may lengthen a night. */
const LONGEST_MINUTES = 2 * DAY_MINUTES;

/** Throws a RangeError that names the format. */
export function readQuietHours(text: string): QuietHours {
  const [, fromHour, fromMinute, toHour, toMinute] =
    /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (fromHour === undefined) throw new MessageError(message('hours', { text }));
  const hours = { from: Number(fromHour) * 60 + Number(fromMinute), to: Number(toHour) * 60 + Number(toMinute) };
  if (hours.from === hours.to) throw new MessageError(message('whole_day', { text }));
  return hours;
}

/** For a deployment; `off`: none. */
export function readUsualHours(text: string): QuietHours | undefined {
  return text === 'off' ? undefined : readQuietHours(text);
}

/** In the format of `readQuietHours`. */
export function hoursWritten({ from, to }: QuietHours): string {
  return `${clockOf(from)}-${clockOf(to)}`;
}

function clockOf(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
}

/** The time of day in a zone: `02:43`. */
export function clockIn(zone: string, atMs: number): string {
  return formatterOf(zone).format(atMs);
}

/** Node.js reads an offset as east and PostgreSQL as west, and an abbreviation with or without summer time. */
const ZONE_NAME = /^(?:[A-Za-z_]+(?:\/[A-Za-z0-9_+-]+)+|UTC|GMT)$/;

/** Throws a RangeError for a zone that this machine does not know. */
export function readTimeZone(name: string): string {
  const refused = message('time_zone', { name });
  if (!ZONE_NAME.test(name)) throw new MessageError(refused);
  try {
    formatterOf(name);
    return name;
  } catch (error) {
    throw new MessageError(refused, { cause: error });
  }
}

/**
 * The end of the quiet hours that include `atMs`, ms since the epoch; undefined: it is not quiet. The first minute
 * outside counts, so hours that the clock repeats are checked again.
 */
export function quietUntil(hours: QuietHours, zone: string, atMs: number): number | undefined {
  if (!isQuiet(hours, zone, atMs)) return undefined;
  let minute = Math.floor(atMs / MINUTE_MS) + 1;
  for (let looked = 0; looked < LONGEST_MINUTES; looked += 1, minute += 1) {
    if (!isQuiet(hours, zone, minute * MINUTE_MS)) return minute * MINUTE_MS;
  }
  throw new Error(`it is always quiet in ${zone}`);
}

function isQuiet({ from, to }: QuietHours, zone: string, atMs: number): boolean {
  const minute = minuteOfDay(zone, atMs);
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}

function minuteOfDay(zone: string, atMs: number): number {
  const [hour = '', minute = ''] = formatterOf(zone).format(atMs).split(':');
  return Number(hour) * 60 + Number(minute);
}

/** Creating one takes a thousand times as long as using it. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  formatters.set(zone, made);
  return made;
}
