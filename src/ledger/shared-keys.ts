/** Keys that separate items of the operations' shared statements, and rows that they write together. */
import type { NewOperation } from './operation-items.ts';

/** Two changes to one operation never share a statement. */
export const ownId = { keysOf: ({ id }: { readonly id: string }): readonly string[] => [id] };

/** Requests with a common key run one after the other: the second can depend on the first. */
const identityKeys = (one: NewOperation): readonly string[] => {
  const { id, account, kind, reference, idempotencyKey, otherId } = one;
  return [
    id,
    ...(otherId === undefined ? [] : [otherId]),
    ...(reference === undefined ? [] : [`r ${account} ${kind} ${reference}`]),
    ...(idempotencyKey === undefined ? [] : [`k ${account} ${kind} ${idempotencyKey}`]),
  ];
};

/** The sum of a beneficiary: a statement adds all its payments at once, and the next one waits for its row anyway. */
const sumsOf = ({ account, beneficiary, counted }: NewOperation): readonly string[] =>
  beneficiary === undefined || !counted ? [] : [`b ${account} ${beneficiary}`];

export const ownIdentity = { keysOf: identityKeys, sumsOf };
