import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withGeneratedParts } from './docs-tables.ts';

const PAGE = new URL('../../docs/sandbox.md', import.meta.url);

test('docs/sandbox.md says what the declarations say (UPDATE_DOCS=1 rewrites it)', () => {
  const page = readFileSync(PAGE, 'utf8');
  const fresh = withGeneratedParts(page);
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(PAGE, fresh);
  else expect(page).toBe(fresh);
});
