/** As accept.lua and lib/change.lua have it: where lists find a record, and what of a request is not as in one. */
import type { Kind } from '../../src/kinds/index.ts';
import { type AskedFields, differing } from '../../src/operations/differing.ts';
import { keys } from '../../src/operations/keys.ts';
import { areFew, listedAt, memberOf, memberOfNew } from '../../src/operations/places.ts';
import type { AcceptedAt } from '../../src/operations/accepting.ts';
import type { RecordBase } from '../../src/operations/record.ts';
import type { MemoryStore } from './memory-store.ts';

type New = Parameters<typeof memberOfNew>[0] & { readonly account: string; readonly state: string };

export function listNew(store: MemoryStore, at: number, operation: New): void {
  store.add(listedAt(operation.kind, operation.account, operation.state), at, memberOfNew(operation));
}

export function listIn<K extends Kind>(store: MemoryStore, record: RecordBase<K>, to: string): void {
  const { kind, id, account, state, createdAt, fields } = record;
  if (areFew(kind) || state === to) return;
  store.remove(listedAt(kind, account, state), memberOf(id, fields));
  store.add(listedAt(kind, account, to), createdAt, memberOf(id, fields));
}

export function conflictIn(store: MemoryStore, id: string, asked: AskedFields): AcceptedAt {
  const stands = Object.fromEntries(store.hash(keys.record(id)));
  return { outcome: 'conflict', id, differs: differing(asked, stands) };
}
