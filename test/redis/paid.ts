/** Disbursements that are asked for while something is done to Redis, and the books of the service after it. */
import { expect, vi } from 'vitest';
import type { Answer, Service } from '../support/service.ts';

export interface Paid {
  /** Asks, and answers what the API said. */
  ask(reference: string): Promise<Answer>;
  /** Asks for so many, all accepted; their references. */
  accepted(name: string, count: number): Promise<readonly string[]>;
  /** Waits until each has succeeded, and compares with the books: every one was paid once, as the API says. */
  once(references: readonly string[]): Promise<void>;
  /** How often the service has paid one of these. */
  effects(references: readonly string[]): Promise<readonly number[]>;
}

const ENDED_LIMIT_MS = 45_000;
const LOOK_EVERY_MS = 100;

export function payingThrough(service: Pick<Service, 'call' | 'books'>): Paid {
  const aliases = new Map<string, string>();
  const ask: Paid['ask'] = (reference) => {
    // Somebody else each time, so that the books tell them apart.
    const accountAlias = aliases.get(reference) ?? `77${String(1_000_000 + aliases.size)}`;
    aliases.set(reference, accountAlias);
    const body = { reference, accountAlias, amount: 1_000, withdrawMode: 'wallet-a-senegal' };
    return service.call('POST', '/v1/disbursements', { body });
  };
  const effects: Paid['effects'] = async (references) => {
    const books = (await service.books('disbursements')) as readonly { accountAlias: string; effects: number }[];
    const paidTo = (alias: string | undefined): number =>
      books.filter(({ accountAlias }) => accountAlias === alias).reduce((sum, one) => sum + one.effects, 0);
    return references.map((reference) => paidTo(aliases.get(reference)));
  };
  return {
    ask,
    accepted: async (name, count) => {
      const references = Array.from({ length: count }, (_, index) => `${name}-${index + 1}`);
      const answers = await Promise.all(references.map(ask));
      expect(answers.map(({ status }) => status)).toEqual(references.map(() => 202));
      return references;
    },
    effects,
    once: async (references) => {
      const states = async (): Promise<readonly string[]> => {
        const found = references.map((one) => service.call('GET', `/v1/disbursements?reference=${one}`));
        return (await Promise.all(found)).map(({ status, body }) => body.items?.[0]?.state ?? body.title ?? status);
      };
      const wanted = references.map(() => 'succeeded');
      await vi.waitFor(async () => expect(await states()).toEqual(wanted), {
        timeout: ENDED_LIMIT_MS,
        interval: LOOK_EVERY_MS,
      });
      expect(await effects(references)).toEqual(references.map(() => 1));
    },
  };
}
