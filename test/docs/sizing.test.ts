import { readFileSync } from 'node:fs';
import { test } from 'vitest';
import { expectPage } from './page.ts';
import { bytesTable, sizesTable } from './sizing.ts';

const PAGE = 'docs/sizing.md';

test('docs/sizing.md says what follows from the bytes that were measured', () => {
  const page = readFileSync(new URL(`../../${PAGE}`, import.meta.url), 'utf8');
  const filled = [
    ['bytes', bytesTable()],
    ['sizes', sizesTable()],
  ].reduce((text, [name = '', made = '']) => {
    const [opens, closes] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    return `${text.slice(0, text.indexOf(opens))}${opens}\n${made}\n${text.slice(text.indexOf(closes))}`;
  }, page);
  expectPage(PAGE, filled);
});
