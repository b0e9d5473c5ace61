import { expect, test } from 'vitest';
import { apiThat } from './api-double.ts';
import { relais } from './terminal.ts';

const found = { lines: 3, first: '1-0', last: '3-0', sealedTo: '3-0' };

test('relais audit verify ends with 0 where every line fits', async () => {
  const { env } = await apiThat(() => ({ body: { ...found, fits: true, fault: null } }));
  const { code, stdout } = await relais(['audit', 'verify'], { env });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/lines +3\nsigned up to +3-0/)]);
});

test('where one does not, it ends with 1 and names the first', async () => {
  const fault = { id: '2-0', why: 'its hash does not fit' };
  const { env } = await apiThat(() => ({ body: { ...found, fits: false, fault } }));
  const { code, stdout } = await relais(['audit', 'verify'], { env });
  expect([code, stdout]).toEqual([1, expect.stringMatching(/changed line +2-0: its hash does not fit/)]);
});
