/** The navigation in order: the tests of all pages visit each page that is listed here. */
import type { ApiKeyRequest } from '../../src/client/generated/api.ts';
import type { Words } from '../words/words.ts';

type Named = { [K in keyof Words['shell']]: Words['shell'][K] extends string ? K : never }[keyof Words['shell']];

/** The roles of a key. */
export type Role = ApiKeyRequest['roles'][number];

export interface Entry {
  readonly to: string;
  readonly name: Named;
  /** Any one is sufficient. */
  readonly roles: readonly Role[];
  /** Concerns all accounts: a key limited to some has no access. */
  readonly ofAll?: boolean;
}

/** By what people come to do. */
export const JOBS = ['first', 'send', 'pay', 'collect', 'control', 'operate'] as const;
export type Job = (typeof JOBS)[number];

export const entries: Readonly<Record<Job, readonly Entry[]>> = {
  first: [{ to: '/', name: 'today', roles: ['read'] }],
  send: [
    { to: '/campaigns', name: 'campaigns', roles: ['read'] },
    { to: '/opt-outs', name: 'optOuts', roles: ['read'] },
  ],
  pay: [
    { to: '/pay', name: 'pay', roles: ['enqueue', 'enqueue-payments'] },
    { to: '/balances', name: 'balances', roles: ['read'] },
  ],
  collect: [{ to: '/collect', name: 'collect', roles: ['enqueue', 'enqueue-payments'] }],
  control: [
    { to: '/approvals', name: 'approvals', roles: ['read'] },
    { to: '/review', name: 'review', roles: ['read'] },
    { to: '/operations', name: 'operations', roles: ['read'] },
    { to: '/reports', name: 'reports', roles: ['read'] },
    { to: '/reconcile', name: 'reconcile', roles: ['read'] },
    { to: '/limits', name: 'limits', roles: ['read'] },
    { to: '/audit', name: 'audit', roles: ['operate', 'admin'], ofAll: true },
  ],
  operate: [
    { to: '/health', name: 'health', roles: ['read'], ofAll: true },
    { to: '/doctor', name: 'doctor', roles: ['operate', 'admin'], ofAll: true },
    { to: '/accounts', name: 'holds', roles: ['read'] },
    { to: '/queues', name: 'queues', roles: ['read'] },
    { to: '/endpoints', name: 'endpoints', roles: ['read'] },
    { to: '/keys', name: 'keys', roles: ['admin'], ofAll: true },
    { to: '/forget', name: 'forget', roles: ['operate'], ofAll: true },
  ],
};

export const allEntries: readonly Entry[] = JOBS.flatMap((job) => entries[job]);

/** The navigation entry of an address; undefined: none. */
export function entryAt(address: string): Entry | undefined {
  const place = address.startsWith('/o/') ? '/operations' : address;
  return allEntries.find(({ to }) => place === to || (to !== '/' && place.startsWith(`${to}/`)));
}
