import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { eventsPage } from './docs-page.ts';

const PAGE = new URL('../../docs/events.md', import.meta.url);

test('docs/events.md says what the catalogue says (UPDATE_DOCS=1 rewrites it)', () => {
  const fresh = eventsPage();
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(PAGE, fresh);
  expect(existsSync(PAGE) && readFileSync(PAGE, 'utf8')).toBe(fresh);
});
