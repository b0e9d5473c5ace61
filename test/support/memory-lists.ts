/** As accept.lua and lib/change.lua have it: where lists find a record. */
import type { Kind } from '../../src/kinds/index.ts';
import { areFew, listedAt, listedNew, memberOf } from '../../src/operations/listed.ts';
import type { RecordBase } from '../../src/operations/record.ts';
import type { MemoryStore } from './memory-store.ts';

export function listNew(store: MemoryStore, at: number, operation: Parameters<typeof listedNew>[0]): void {
  const { listed, member } = listedNew(operation);
  store.add(listed, at, member);
}

export function listIn<K extends Kind>(store: MemoryStore, record: RecordBase<K>, to: string): void {
  const { kind, id, account, state, createdAt, fields } = record;
  if (areFew(kind) || state === to) return;
  store.remove(listedAt(kind, account, state), memberOf(id, fields));
  store.add(listedAt(kind, account, to), createdAt, memberOf(id, fields));
}
