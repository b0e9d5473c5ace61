/** As lib/stand.lua has it: what may wait with its account, and what is in doubt by when the doubt began. */
import { type Kind, standsAs } from '../../src/kinds/index.ts';
import { DOUBT_FIELD, DOUBT_SLOT_MS, keys, UNSENT_FIELD, UNSENT_XOF_FIELD } from '../../src/operations/keys.ts';
import type { MemoryStore } from './memory-store.ts';

interface Standing {
  readonly account: string;
  readonly at: number;
  /** When it entered the state that it leaves. */
  readonly since: number;
  readonly from?: string;
  readonly to: string;
  readonly xof: number | undefined;
}

export function standIn(store: MemoryStore, kind: Kind, { account, at, since, from = '', to, xof }: Standing): void {
  if (xof === undefined || from === to) return;
  const counts = keys.counts(kind);
  const left = from === '' ? undefined : standsAs(kind, from);
  const entered = standsAs(kind, to);
  const wait = (by: number): void => {
    store.increase(counts, UNSENT_FIELD + account, by);
    store.increase(counts, UNSENT_XOF_FIELD + account, by * xof);
  };
  const doubt = (began: number, by: number): void => {
    const field = DOUBT_FIELD + Math.floor(began / DOUBT_SLOT_MS);
    if (store.increase(counts, field, by * xof) === 0) store.dropFields(counts, [field]);
  };
  if (left === 'doubt') doubt(since, -1);
  if (entered === 'doubt') doubt(at, 1);
  if (left === entered) return;
  if (left === 'unsent') wait(-1);
  if (entered === 'unsent') wait(1);
}
