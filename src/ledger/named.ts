/** Lookup keys of operations besides their ids: phone numbers and provider references. */
import type { SoughtName } from '../kinds/fields.ts';
import { type Kind, asDeclared } from '../kinds/index.ts';

export type Named = readonly [name: SoughtName, value: string];

/** The lookup keys of a kind. */
export function namesOf(kind: Kind): ReadonlySet<SoughtName> {
  return new Set(Object.values(asDeclared(kind).fields).flatMap(({ sought }) => sought ?? []));
}
