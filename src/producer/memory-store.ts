/** Identities in memory, by the rules of the ledger. Nothing is executed. */
import type { RequestOf } from '../kinds/index.ts';
import type { Accepted, NewOperation } from '../operations/accepting.ts';
import { type AskedFields, differing } from '../operations/differing.ts';
import { payeeOf } from '../provider/capabilities.ts';
import type { AcceptanceStore, MessageIdentity } from './acceptance-store.ts';

type Operations = Pick<AcceptanceStore, 'accept' | 'differs'>;

export function acceptanceInMemory(): AcceptanceStore {
  const operations = memoryOperations();
  return {
    ...operations,
    message: (request, identity) => operations.accept(messageOf(request, identity)),
    dryRun: () => operations,
  };
}

function memoryOperations(): Operations {
  const stored = new Map<string, NewOperation>();
  const ownerOfReference = new Map<string, string>();
  const differs: Operations['differs'] = async (id, asked) => {
    const other = stored.get(id);
    return other ? differing(asked, asWritten(other)) : [];
  };
  const holderOf = (operation: NewOperation): string | undefined => {
    const { id, idOfReference } = operation;
    if (stored.has(id)) return id;
    const owner = ownerOfReference.get(nameOf(operation));
    return owner ?? (idOfReference !== undefined && stored.has(idOfReference) ? idOfReference : undefined);
  };
  const accept = async (operation: NewOperation): Promise<Accepted> => {
    const { id, state, fingerprint } = operation;
    const holder = holderOf(operation);
    if (holder === id && stored.get(id)?.fingerprint === fingerprint) return { outcome: 'duplicate', id, state };
    if (holder !== undefined) return { outcome: 'conflict', id: holder, differs: await differs(holder, operation) };
    stored.set(id, operation);
    if (operation.reference !== undefined) ownerOfReference.set(nameOf(operation), id);
    return { outcome: 'accepted', id, state };
  };
  return { accept: accept as Operations['accept'], differs };
}

const nameOf = ({ kind, account, reference = '' }: NewOperation): string => `${kind} ${account} ${reference}`;

function asWritten({ kind, fields, reference }: NewOperation): Record<string, string> {
  const all: AskedFields['fields'] = { ...fields, kind, reference };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}

function messageOf(
  request: RequestOf<'message'>,
  { id, fingerprint, reference, idOfReference, act }: MessageIdentity,
) {
  const { account, lane, to, text, from, expiresAt } = request;
  return {
    kind: 'message',
    state: 'queued',
    id,
    fingerprint,
    account,
    act,
    dueInMs: 0,
    ...(reference === undefined ? {} : { reference }),
    ...(idOfReference === undefined ? {} : { idOfReference }),
    phone: payeeOf(to, undefined),
    fields: {
      to,
      text,
      lane,
      ...(from === undefined ? {} : { from }),
      ...(expiresAt === undefined ? {} : { expiresAt: Date.parse(expiresAt) }),
    },
  } as const;
}
