import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KeptFiles as LedgerKeptFiles } from '../../src/ledger/kept-files.ts';
import { Database } from '../../src/ledger/pool.ts';
import type { Public } from '../../src/lib/public.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { KeptFiles } from '../../src/operations/kept-files.ts';
import { odsOf } from '../files/workbooks.ts';
import { freshLedger } from '../support/fresh-ledger.ts';
import { freshRedis } from '../support/fresh-redis.ts';

interface Store {
  readonly files: Public<KeptFiles>;
  readonly close: () => Promise<void>;
}

async function inRedis(): Promise<Store> {
  const fresh = await freshRedis();
  return { files: new KeptFiles({ redis: fresh.redis, random: systemRandom }), close: () => fresh.close() };
}

async function inLedger(): Promise<Store> {
  const ledger = await freshLedger();
  const database = new Database(ledger);
  const close = async (): Promise<void> => {
    await database.close();
    await ledger.close();
  };
  return { files: new LedgerKeptFiles({ database, random: systemRandom }), close };
}

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

describe.each([
  ['Redis', inRedis],
  ['the ledger', inLedger],
])('a kept file in %s', (_store, open) => {
  let store: Store;
  let files: Store['files'];
  beforeAll(async () => {
    store = await open();
    ({ files } = store);
  });
  afterAll(() => store?.close());

  test('a file that comes byte by byte is looked at once, byte by byte', async () => {
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

  test('a second file replaces the first with its report, and one that breaks off replaces nothing', async () => {
    const about = { name: 'people.csv', type: 'text/csv', most: 100 };
    await files.keep('cmp_3', bytes('numero\n1'), { ...about, at: 1 });
    const first = await files.find('cmp_3');
    if (first) await files.judged('cmp_3', first, { wishes: { sheet: 'A' }, report: { total: 1 } });
    expect(await files.find('cmp_3')).toMatchObject({ wishes: { sheet: 'A' }, report: { total: 1 } });
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('numero\n2');
      throw new Error('the sender went away');
    }
    await expect(files.keep('cmp_3', broken(), { ...about, at: 2 })).rejects.toThrow('went away');
    await expect(files.keep('cmp_3', bytes('x'.repeat(101)), { ...about, at: 2 })).rejects.toThrow('more than 100');
    await files.outdated('cmp_3');
    expect(await files.find('cmp_3')).toMatchObject({ at: 1, wishes: { sheet: 'A' }, report: undefined });
    await files.keep('cmp_3', bytes('numero\n3'), { ...about, at: 3 });
    if (first) await files.judged('cmp_3', first, { wishes: { sheet: 'B' }, report: undefined });
    expect(await files.find('cmp_3')).toMatchObject({ at: 3, bytes: 8, wishes: undefined, report: undefined });
    await files.forget('cmp_3');
    expect(await files.find('cmp_3')).toBeUndefined();
    for await (const piece of files.open('cmp_3')) expect(piece).toBeUndefined();
  });
});

test('a file in the ledger expires after three days', async () => {
  const ledger = await freshLedger();
  const database = new Database(ledger);
  let at = Date.parse('2026-11-28T12:00:00Z');
  const files = new LedgerKeptFiles({ database, random: systemRandom, now: () => new Date(at) });
  await files.keep('cmp_1', bytes('numero\n1'), { name: '', type: 'text/csv', at, most: 100 });
  at += 3 * 86_400_000 - 1;
  expect([await files.expire(10), (await files.find('cmp_1'))?.bytes]).toEqual([0, 8]);
  at += 1;
  expect(await files.find('cmp_1')).toBeUndefined();
  expect([await files.expire(10), await files.expire(10)]).toEqual([1, 0]);
  expect(await ledger.query('select from relais.kept_file_piece')).toEqual([]);
  await database.close();
  await ledger.close();
});
