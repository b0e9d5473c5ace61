const two = (part: number): string => String(part).padStart(2, '0');

/** `NN/NN/YYYY HH:MM:SS` in UTC; which NN is the day is a setting, because the page does not say. */
export function updatedAtText(ms: number, order: 'dmy' | 'mdy'): string {
  const at = new Date(ms);
  const day = two(at.getUTCDate());
  const month = two(at.getUTCMonth() + 1);
  const time = [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()].map(two).join(':');
  return `${order === 'dmy' ? `${day}/${month}` : `${month}/${day}`}/${at.getUTCFullYear()} ${time}`;
}

/** Reads `YYYY-MM-DD HH:MM:SS`, written `zoneMinutes` east of UTC. Undefined when it is something else. */
export function readPeriodEnd(text: string, zoneMinutes: number): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(text)) return undefined;
  const written = text.replace(' ', 'T');
  const ms = Date.parse(`${written}Z`);
  // `Date` takes 30 February for 2 March.
  const exists = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(written);
  return exists ? ms - zoneMinutes * 60_000 : undefined;
}
