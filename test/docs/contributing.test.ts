import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';

const ROOT = new URL('../../', import.meta.url);
const page = readFileSync(new URL('CONTRIBUTING.md', ROOT), 'utf8');

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

const named = [...page.matchAll(/`((?:src|test|docs|script)\/[\w/.<>*-]+)`/g)].map(([, path = '']) => path);

test('every file that CONTRIBUTING.md sends to is there', () => {
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((path) => !isThere(path))).toEqual([]);
});
