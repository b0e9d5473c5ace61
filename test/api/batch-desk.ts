import type { Answer, Service } from '../support/service.ts';
import { storedIn } from '../support/stored.ts';

export const BATCHES = '/v1/disbursement-batches';
export const HEADER = 'reference;accountAlias;amount;withdrawMode\r\n';

/** A file of `count` people, with references that begin with `tag`. */
export const people = (tag: string, count = 3): string =>
  HEADER +
  Array.from(
    { length: count },
    (_, at) => `${tag}-${at};${770_000_000 + at};${1_000 + at};wallet-a-senegal\r\n`,
  ).join('');

interface Sending {
  readonly type?: string;
  readonly key?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Requests of tests about batches. */
export function deskOf(service: () => Service) {
  return {
    send: (
      body: string | Uint8Array,
      { type = 'text/csv', key, query = '', headers }: Sending = {},
    ): Promise<Answer> => {
      const how = { body, headers: { 'content-type': type, ...headers }, ...(key ? { key } : {}) };
      return service().call('POST', `${BATCHES}${query}`, how);
    },
    approve: (id: string, contentHash: unknown, key = 'checker-secret'): Promise<Answer> =>
      service().call('POST', `${BATCHES}/${id}/approve`, { body: { contentHash }, key }),
    get: async (path: string) => (await service().call('GET', `${BATCHES}/${path}`)).body,
    disbursements: (): Promise<number> => storedIn(service(), 'disbursement'),
  };
}
