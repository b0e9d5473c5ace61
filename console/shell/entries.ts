/** What the navigation leads to, in its order: a page that is named here is looked at by the tests of every page. */
import type { ApiKeyRequest } from '../../src/client/generated/api.ts';
import type { Words } from '../words/words.ts';

type Named = { [K in keyof Words['shell']]: Words['shell'][K] extends string ? K : never }[keyof Words['shell']];

/** What a key may be made for. */
export type Role = ApiKeyRequest['roles'][number];

export interface Entry {
  readonly to: string;
  readonly name: Named;
  /** One of them is enough. */
  readonly roles: readonly Role[];
  /** It concerns all accounts: a key of some does not get there. */
  readonly ofAll?: boolean;
}

/** What people come for each day; then what is there to see and to switch. */
export const entries: Readonly<Record<'daily' | 'running', readonly Entry[]>> = {
  daily: [
    { to: '/', name: 'today', roles: ['read'] },
    { to: '/operations', name: 'operations', roles: ['read'] },
    { to: '/review', name: 'review', roles: ['read'] },
    { to: '/approvals', name: 'approvals', roles: ['read'] },
    { to: '/campaigns', name: 'campaigns', roles: ['read'] },
    { to: '/opt-outs', name: 'optOuts', roles: ['read'] },
    { to: '/reports', name: 'reports', roles: ['read'] },
    { to: '/balances', name: 'balances', roles: ['read'] },
  ],
  running: [
    { to: '/health', name: 'health', roles: ['read'], ofAll: true },
    { to: '/doctor', name: 'doctor', roles: ['operate', 'admin'], ofAll: true },
    { to: '/accounts', name: 'holds', roles: ['read'] },
    { to: '/queues', name: 'queues', roles: ['read'] },
    { to: '/endpoints', name: 'endpoints', roles: ['read'] },
    { to: '/limits', name: 'limits', roles: ['read'] },
    { to: '/audit', name: 'audit', roles: ['operate', 'admin'], ofAll: true },
    { to: '/keys', name: 'keys', roles: ['admin'], ofAll: true },
    { to: '/forget', name: 'forget', roles: ['operate'], ofAll: true },
  ],
};

/** The entry that an address belongs to; undefined where it is none of the navigation's. */
export function entryAt(address: string): Entry | undefined {
  const place = address.startsWith('/o/') ? '/operations' : address;
  return [...entries.daily, ...entries.running].find(
    ({ to }) => place === to || (to !== '/' && place.startsWith(`${to}/`)),
  );
}
