import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { expectPage } from '../docs/page.ts';
import { generated, withGeneratedParts } from './docs-tables.ts';

const PAGES = ['docs/sandbox.md', 'docs/sandbox-reference.md'];
const textOf = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test.for(PAGES)('%s has the tables of the declarations', (path) =>
  expectPage(path, withGeneratedParts(textOf(path))),
);

test('each table has a place in one page', () => {
  for (const name of Object.keys(generated)) {
    expect(
      PAGES.filter((path) => textOf(path).includes(`<!-- ${name} -->`)),
      name,
    ).toHaveLength(1);
  }
});
