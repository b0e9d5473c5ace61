import { expect, test } from 'vitest';
import { systemRandom } from '../../src/lib/random.ts';
import { KeptFiles } from '../../src/operations/kept-files.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';

const store = storeOfThisFile();

test('a file that comes byte by byte is looked at once, byte by byte', async () => {
  const files = new KeptFiles({ redis: store.redis, random: systemRandom });
  const text = 'numero;prenom\n+221771000001;Awa\n'.repeat(100);
  let looks = 0;
  async function* source(): AsyncGenerator<Uint8Array> {
    for (const byte of Buffer.from(text)) {
      const length = {
        get: () => {
          looks += 1;
          return 1;
        },
      };
      yield Object.defineProperty(Buffer.from([byte]), 'length', length);
    }
  }
  await files.keep('cmp_1', source(), { name: 'people.csv', type: 'text/csv', at: 1, most: 1_000_000 });
  const kept: Uint8Array[] = [];
  for await (const piece of files.open('cmp_1')) kept.push(piece);
  expect([Buffer.concat(kept).toString(), (await files.find('cmp_1'))?.bytes]).toEqual([text, text.length]);
  expect(looks).toBeLessThan(text.length * 20);
});
