/** By what operations are found besides their ids: phone numbers, and what the provider calls them. */
import type { SoughtName } from '../kinds/fields.ts';
import { type Kind, asDeclared } from '../kinds/index.ts';

export type Named = readonly [name: SoughtName, value: string];

/** Which names the operations of a kind are found by. */
export function namesOf(kind: Kind): ReadonlySet<SoughtName> {
  return new Set(Object.values(asDeclared(kind).fields).flatMap(({ sought }) => sought ?? []));
}
