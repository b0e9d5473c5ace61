import { expect, test } from 'vitest';
import { systemRandom } from '../../src/lib/random.ts';
import { KeptFiles } from '../../src/operations/kept-files.ts';
import { odsOf } from '../files/workbooks.ts';
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

test('a person on a sheet that cannot be seen is found in a kept file, too', async () => {
  const files = new KeptFiles({ redis: store.redis, random: systemRandom });
  const row = (text: string): string =>
    `<table:table-row><table:table-cell><text:p>${text}</text:p></table:table-cell></table:table-row>`;
  const hidden = '<style:style style:name="h"><style:table-properties table:display="false"/></style:style>';
  const first = `${hidden}${row('numero')}${row('+221771000001')}`;
  const workbook = odsOf(
    `${first}</table:table><table:table table:name="B" table:style-name="h">${row('n')}${row('+221771000002')}`,
  );
  async function* source(): AsyncGenerator<Uint8Array> {
    yield workbook;
  }
  await files.keep('cmp_2', source(), { name: 'people.ods', type: 'application/x', at: 1, most: 1_000_000 });
  const mentioned = (number: string) => files.mentions('cmp_2', (cell) => cell === number);
  expect(await Promise.all(['+221771000001', '+221771000002', '+221771000003'].map(mentioned))).toEqual([
    true,
    true,
    false,
  ]);
});
