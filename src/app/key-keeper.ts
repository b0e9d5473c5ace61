/** The callers' keys, read again each second: a revoked key ends within three seconds in this process. */
import { KeyRing } from '../api/keys.ts';
import { apiKeysOf } from '../config.ts';
import type { Public } from '../lib/public.ts';
import type { ApiKeys } from '../ledger/api-keys.ts';
import type { Container } from './container.ts';
import type { Part } from './parts.ts';

const READ_EVERY_MS = 1_000;

export interface Keys {
  readonly apiKeys: Public<ApiKeys>;
  readonly keyRing: KeyRing;
}

export function keysOf({ apiKeys, persons, config, clock }: Container): Keys {
  const keyRing = new KeyRing({
    fixed: apiKeysOf(config),
    read: () => apiKeys.all(),
    alsoCalled: () => persons.alsoCalled(),
    clock,
  });
  return { apiKeys, keyRing };
}

export function keyKeeperPart({ clock, quietly }: Container, { keyRing }: Keys): Part {
  return {
    name: 'the keeper of the keys',
    start: async () => {
      await keyRing.refresh();
      let stopped = false;
      let cancel = (): void => undefined;
      const again = (): void => {
        cancel = clock.after(READ_EVERY_MS, () => {
          // While PostgreSQL is away no cached answer is trusted: each request reads the key itself.
          keyRing
            .refresh()
            .catch((error: unknown) => quietly('the keys of callers', error))
            .finally(() => stopped || again());
        });
      };
      again();
      return async () => {
        stopped = true;
        cancel();
      };
    },
  };
}
