import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { schema, VERSION } from '../../src/history/schema.ts';
import { type Table, tables } from '../../src/kinds/tables.ts';
import { expectPage, table } from './page.ts';

const PAGE = 'docs/history.md';
const [OPENS, CLOSES] = ['<!-- tables -->', '<!-- /tables -->'];

test('docs/history.md has each table and column that is declared', () => {
  const page = readFileSync(new URL(`../../${PAGE}`, import.meta.url), 'utf8');
  const [before, after] = [page.slice(0, page.indexOf(OPENS)), page.slice(page.indexOf(CLOSES))];
  expectPage(PAGE, `${before}${OPENS}\n\n${tables.map(tableOf).join('\n')}\n${after}`);
});

test('what is declared is what its version was declared with: raise VERSION when it changes', () => {
  const fingerprint = createHash('sha256').update(schema.join('\n').replace(/\s+/g, ' ')).digest('hex').slice(0, 12);
  expect({ VERSION, fingerprint }).toMatchInlineSnapshot(`
    {
      "VERSION": 9,
      "fingerprint": "8556e243ffae",
    }
  `);
});

function tableOf({ table: name, by, says, columns, key }: Table): string {
  const rows = columns.map((column) => [
    `\`${column.name}\`${key.includes(column.name) ? ' (key)' : ''}`,
    `${column.type}${column.sure ? '' : ', or empty'}`,
    column.says ?? '',
  ]);
  return `### ${name}\n\n${says} Cut by ${by}.\n\n${table(['column', 'is', ''], rows)}\n`;
}
