/** Reading a body as the interface has it; in lenient mode also what other clients of the service send it. */
import type { z } from 'zod';
import { type Ask, readJson, type World } from './world.ts';

/**
 * What the schema makes of the body. Lenient: what does not fit is booked as a breach and mended (a number for a text
 * and the other way round) or left out, and only what then is missing is refused.
 */
export function understood<S extends z.ZodType>(
  schema: S,
  ask: Ask,
  world: World,
): z.ZodSafeParseResult<z.output<S>> {
  const body = readJson(ask, world);
  const parsed = schema.safeParse(body);
  if (parsed.success || world.settings.values.strictness === 'strict') return parsed;
  const again = schema.safeParse(mended(body, parsed.error.issues));
  if (!again.success) return parsed;
  for (const issue of parsed.error.issues)
    world.books.breach(ask.operation, `${issue.path.join('.') || 'body'}: ${issue.message}`);
  return again;
}

type Issue = z.ZodError['issues'][number];

function mended(body: unknown, issues: readonly Issue[]): unknown {
  const copy: unknown = structuredClone(body);
  for (const issue of issues) {
    const places = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
    for (const place of places) mend(copy, place, issue);
  }
  return copy;
}

/** What must be there and is left out is missed when it is read again. */
function mend(body: unknown, place: readonly PropertyKey[], issue: Issue): void {
  const name = String(place.at(-1));
  const holder = memberAt(body, place.slice(0, -1));
  if (place.length === 0 || !isHolder(holder)) return;
  const value = holder[name];
  const expected = issue.code === 'invalid_type' ? issue.expected : '';
  if (expected === 'string' && typeof value === 'number') holder[name] = String(value);
  else if (expected === 'number' && typeof value === 'string' && /^\d+(\.\d+)?$/.test(value))
    holder[name] = Number(value);
  else delete holder[name];
}

function memberAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((at: unknown, name) => (isHolder(at) ? at[String(name)] : undefined), value);
}

function isHolder(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
