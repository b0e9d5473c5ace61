/** Values of the shared statements: one array per parameter, in the order of their heads. */
import { type Opinions, declarationOf, limitsOf } from '../kinds/limits.ts';
import { ValueRefused } from './errors.ts';
import type { Change, NewOperation, Signal, Wanted } from './operation-items.ts';
import { isStorable } from './storable.ts';

type Columns<Item> = readonly ((item: Item) => unknown)[];

function json(value: object | undefined): string | undefined {
  if (value === undefined) return undefined;
  let text: string;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new ValueRefused('a value cannot be written as JSON', { cause });
  }
  if (!isStorable(text)) throw new ValueRefused('a value is no text for PostgreSQL');
  return text;
}

const names = (list: readonly string[] | undefined): string | undefined =>
  list === undefined || list.length === 0 ? undefined : `,${list.join(',')},`;

const accepted: Columns<NewOperation> = [
  ({ id }) => id,
  ({ kind }) => kind,
  ({ account }) => account,
  ({ reference }) => reference,
  ({ idempotencyKey }) => idempotencyKey,
  ({ otherId }) => otherId,
  ({ fingerprint }) => fingerprint,
  ({ state }) => state,
  ({ queue }) => queue,
  ({ amount }) => amount,
  ({ counted }) => counted ?? false,
  ({ beneficiary }) => beneficiary,
  ({ meantAgain }) => meantAgain ?? false,
  ({ approval }) => approval,
  ({ request }) => json(request),
  ({ facts }) => json(facts ?? {}),
  ({ metadata }) => json(metadata),
  ({ payeeName }) => payeeName,
  ({ purpose }) => purpose,
  ({ providerId }) => providerId,
  ({ notBefore }) => notBefore,
  ({ batch }) => batch,
  ({ createdBy }) => createdBy,
  ({ approvedBy }) => approvedBy,
  ({ trace }) => trace,
  ({ dueMs }) => dueMs,
  ({ event }) => json(event),
  ({ act }) => json(act),
];

const changed: Columns<Change> = [
  ({ id }) => id,
  ({ lease }) => lease,
  ({ was }) => was,
  ({ state }) => state,
  ({ rev }) => rev,
  ({ inRecovery }) => inRecovery ?? false,
  ({ unlessHeld }) => unlessHeld,
  ({ queue }) => queue,
  ({ dueMs }) => dueMs,
  ({ keepMs }) => keepMs,
  ({ nudgeMs }) => nudgeMs ?? 0,
  ({ sendMs }) => sendMs,
  ({ token }) => token,
  ({ transactionId }) => transactionId,
  ({ providerRef }) => providerRef,
  ({ sends }) => sends,
  ({ tries }) => tries,
  ({ reason }) => reason,
  ({ tokenMs }) => tokenMs,
  ({ sentMs }) => sentMs,
  ({ quietMs }) => quietMs,
  ({ cleared }) => names(cleared),
  ({ more }) => json(more),
  ({ facts }) => json(facts),
  ({ factTimes }) => json(factTimes),
  ({ erased }) => (erased === undefined || erased.length === 0 ? undefined : erased.join(',')),
  ({ lines }) => (lines === undefined || lines.length === 0 ? undefined : lines.join('\n')),
  ({ event }) => json(event),
  ({ act }) => json(act),
  ({ finished }) => finished ?? false,
  ({ forgetsCallback }) => forgetsCallback ?? false,
  ({ totals }) => json(totals),
];

const signalled: Columns<Signal> = [
  ({ id }) => id,
  ({ queue }) => queue,
  ({ lookedAt }) => names(lookedAt) ?? ',',
  ({ agrees }) => names(agrees) ?? ',',
  ({ line }) => line,
  ({ posted }) => posted ?? '',
  ({ intervalMs }) => intervalMs,
];

const wanted: Columns<Wanted> = [
  ({ id }) => id,
  ({ lookedAt }) => names(lookedAt) ?? ',',
  ({ leaseMs }) => leaseMs,
  ({ known }) => known,
];

const identity: Columns<NewOperation> = [
  ({ id }) => id,
  ({ kind }) => kind,
  ({ account }) => account,
  ({ reference }) => reference,
  ({ idempotencyKey }) => idempotencyKey,
  ({ otherId }) => otherId,
];

const arrays =
  <Item>(columns: Columns<Item>) =>
  (items: readonly Item[]): readonly unknown[] =>
    columns.map((read) => items.map((item) => read(item) ?? null));

export const acceptValues = arrays(accepted);
export const changeValues = arrays(changed);
export const signalValues = arrays(signalled);
export const wantedValues = arrays(wanted);
export const identityValues = arrays(identity);

/** Limits as `limits_in_force` reads them: those of the process, and the defaults. */
export function limitsJson(own: Opinions): string {
  const ofPayments = limitsOf('payments');
  const asked = ofPayments.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]] as const]));
  const fallback = ofPayments.flatMap((name) => {
    const value = declarationOf(name).fallback;
    return value === undefined ? [] : [[name, value] as const];
  });
  return JSON.stringify({ own: Object.fromEntries(asked), fallback: Object.fromEntries(fallback) });
}
