import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { metricsPage } from './docs-page.ts';

const PAGE = new URL('../../docs/metrics.md', import.meta.url);

test('docs/metrics.md matches the declarations (UPDATE_DOCS=1 rewrites it)', () => {
  const fresh = metricsPage();
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(PAGE, fresh);
  expect(existsSync(PAGE) && readFileSync(PAGE, 'utf8')).toBe(fresh);
});
