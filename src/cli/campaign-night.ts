/** Warns before SMS leave if it is night at the recipients, and names the alternatives. */
import { z } from 'zod';
import type { Words } from '../messages/languages.ts';
import type { JsonObject } from './client.ts';
import { printable } from './output.ts';

const quiet = z.object({
  hours: z.string().nullable(),
  timezone: z.string(),
  clock: z.string(),
  night: z.object({ clock: z.string() }),
});

/** `Africa/Dakar` → `Dakar`. */
const placeOf = (timezone: string): string => printable((timezone.split('/').at(-1) ?? '').replaceAll('_', ' '));

/** Undefined: it is day there, or an older API does not report it. */
export function nightOf(body: JsonObject, { campaign: { night: words } }: Words): string | undefined {
  const { success, data } = quiet.safeParse(body['quiet']);
  if (!success) return undefined;
  const { hours, timezone, clock, night } = data;
  const now = words.now(printable(clock), placeOf(timezone));
  const ends = printable(night.clock);
  const id = printable(body['id']);
  return `${now} ${hours === null ? words.leaves(ends, id) : words.waits(printable(hours), ends, id)}`;
}
