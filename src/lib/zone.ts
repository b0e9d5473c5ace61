/** Times in a time zone that this machine knows (`readTimeZone`). */

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const DAYS_AHEAD = 3_660;

/** Creating one takes a thousand times as long as using it. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known) return known;
  const number = '2-digit';
  const made = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    year: 'numeric',
    month: number,
    day: number,
    hour: number,
    minute: number,
    second: number,
    hourCycle: 'h23',
  });
  formatters.set(zone, made);
  return made;
}

/** The offset from UTC at that time, ms. */
function offsetAt(zone: string, at: number): number {
  const parts = Object.fromEntries(
    formatterOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1_000) * 1_000;
}

/** `2026-11-22` */
export function dateIn(zone: string, at: number): string {
  return new Date(at + offsetAt(zone, at)).toISOString().slice(0, 10);
}

/** `2026-11-22T23:05:00.123+01:00` */
function timeIn(zone: string, at: number): string {
  const offset = offsetAt(zone, at);
  const minutes = Math.abs(offset) / MINUTE_MS;
  const two = (number: number): string => String(Math.floor(number)).padStart(2, '0');
  const local = new Date(at + offset).toISOString().slice(0, -1);
  return `${local}${offset < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}

const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/;

/** Converts an ISO time to the zone; other values stay unchanged. */
export function onClockOf<T>(zone: string, value: T): T | string {
  return typeof value === 'string' && UTC.test(value) ? timeIn(zone, Date.parse(value)) : value;
}

/** The UTC offsets of some years with their start: `from:offset`, ms, in order of time. */
export function offsetsOf(zone: string, now: number): string {
  const begin = Math.floor(now / DAY_MS - 2) * DAY_MS;
  const found: string[] = [];
  let last: number | undefined;
  for (let day = 0; day < DAYS_AHEAD; day += 1) {
    const at = begin + day * DAY_MS;
    const offset = offsetAt(zone, at);
    if (offset === last) continue;
    found.push(`${last === undefined ? 0 : changedBetween(zone, at - DAY_MS, at)}:${offset}`);
    last = offset;
  }
  return found.join(',');
}

/** The first minute with the offset of `to`. */
function changedBetween(zone: string, from: number, to: number): number {
  const target = offsetAt(zone, to);
  let [low, high] = [from, to];
  while (high - low > MINUTE_MS) {
    const middle = Math.floor((low + high) / 2 / MINUTE_MS) * MINUTE_MS;
    if (offsetAt(zone, middle) === target) high = middle;
    else low = middle;
  }
  return high;
}
