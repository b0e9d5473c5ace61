import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';

const ROOT = new URL('../../', import.meta.url);

/** `src/queues/<name>.ts` and `routes-*.ts` stand for any file of that form. */
function isThere(path: string): boolean {
  if (!/[<*]/.test(path)) return existsSync(new URL(path, ROOT));
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const form = path
    .slice(folder.length)
    .replaceAll('.', '\\.')
    .replace(/<\w+>|\*/g, '[\\w-]+');
  return readdirSync(new URL(folder, ROOT)).some((name) => new RegExp(`^${form}$`).test(name));
}

test.for(['CONTRIBUTING.md', 'docs/house.md'])('every file that %s sends to is there', (page) => {
  const text = readFileSync(new URL(page, ROOT), 'utf8');
  const named = [...text.matchAll(/`((?:src|test|docs|script)\/[\w/.<>*-]+)`/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((path) => !isThere(path))).toEqual([]);
});
