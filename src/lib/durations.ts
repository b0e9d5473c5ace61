/** Every duration a person writes is a string with a unit; every duration code computes with ends in `Ms`. */
const MS_PER_UNIT = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Reads `250ms`, `30s`, `10m`, `24h`, `30d`. Throws a RangeError that names the forms. */
export function toMs(text: string): number {
  const [, count, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text.trim()) ?? [];
  if (count === undefined)
    throw new RangeError(`not a duration: "${text}" (write it as 250ms, 30s, 10m, 24h or 30d)`);
  return Math.round(Number(count) * MS_PER_UNIT[unit as keyof typeof MS_PER_UNIT]);
}

/** `90_000` → `1m 30s`; the two largest units, for people. */
export function describeMs(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)}ms`;
  const parts: string[] = [];
  let rest = Math.round(ms / 1_000) * 1_000;
  for (const unit of ['d', 'h', 'm', 's'] as const) {
    const count = Math.floor(rest / MS_PER_UNIT[unit]);
    if (count > 0) parts.push(`${count}${unit}`);
    rest -= count * MS_PER_UNIT[unit];
  }
  return parts.slice(0, 2).join(' ');
}
