import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { apiThat } from './api-double.ts';
import { relais } from './terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'relais-cli-'));
afterAll(() => rmSync(folder, { recursive: true }));
const MISSING = join(folder, 'nosuch.csv');

describe.each(['opt-outs add', 'opt-outs remove', 'messages send', 'disburse send'])('%s', (command) => {
  test.each([
    [MISSING, `${MISSING}: there is no such file.\nCheck its name, and the folder that you are in.`],
    [folder, `${folder}: it is a folder.\nName a file in it.`],
  ])('of %s names the problem and what to do, and sends nothing', async (file, told) => {
    const { asked, env } = await apiThat(() => ({ body: {} }));
    const { code, stderr } = await relais([...command.split(' '), file], { env });
    expect([code, asked]).toEqual([1, []]);
    expect(stderr).toContain(told);
  });
});

test('a list of problems that cannot be written is reported', async () => {
  const file = join(folder, 'salaries.csv');
  writeFileSync(file, 'reference,amount\na,1\n');
  const { env } = await apiThat(({ headers }) =>
    headers.accept === 'text/csv'
      ? { headers: { 'content-type': 'text/csv' }, body: 'reference,amount,problem\n' }
      : { status: 201, body: { id: 'bat_1', state: 'invalid', rows: 1, problems: [] } },
  );
  const nowhere = join(folder, 'nowhere', 'problems.csv');
  const { code, stderr } = await relais(['disburse', 'batch', file, '--csv', nowhere], { env });
  expect([code, stderr]).toEqual([1, expect.stringContaining(nowhere)]);
});
