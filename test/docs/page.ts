import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';

/** A generated page must match the declarations. `UPDATE_DOCS=1` rewrites it. */
export function expectPage(path: string, fresh: string): void {
  const page = new URL(`../../${path}`, import.meta.url);
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(page, fresh);
  expect(readFileSync(page, 'utf8'), `${path} is stale: UPDATE_DOCS=1 npx vitest run --project unit`).toBe(fresh);
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
