/** The .lua files say what they take and answer; what is made from them says the same, and Lua has nothing to object. */
import { mkdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { complaintsAbout, complaintsAboutSource, librariesBeside } from '../../script/lua/check.ts';
import { SCRIPT_FOLDERS, filesIn, scriptsIn } from '../../script/lua/compose.ts';
import { kinds } from '../../src/kinds/index.ts';
import { assertArrow, stateOf } from '../../src/kinds/states.ts';
import { expectPage } from '../docs/page.ts';

/** Besides those that run, one that shows every type on its way. */
const FOLDERS = [...SCRIPT_FOLDERS, 'test/redis/scripts'];
const scripts = FOLDERS.flatMap(scriptsIn);
const rootOf = (path: string): URL => new URL(`../../${path}`, import.meta.url);

describe.each(scripts.map((script) => [script.path, script] as const))('%s', (_path, script) => {
  test('is what its TypeScript was made from', () => {
    if (process.env['UPDATE_DOCS'] === '1') mkdirSync(new URL('.', rootOf(script.target)), { recursive: true });
    expectPage(script.target, script.typescript);
  });
  test('names what it uses, and uses what it names', () => expect(complaintsAbout(script)).toEqual([]));
});

test('no script reads KEYS or ARGV by number: its head names them', () => {
  const sources = [...scripts.map(({ path }) => path), ...FOLDERS.flatMap(librariesBeside)];
  const complaints = sources.flatMap((path) =>
    complaintsAboutSource(readFileSync(rootOf(path), 'utf8')).map((complaint) => `${path}: ${complaint}`),
  );
  expect(complaints).toEqual([]);
});

test('every arrow that a script draws is one of the lifecycle', () => {
  const drawn = scripts.flatMap(({ head }) => head.arrows.filter(({ kind }) => kind !== ''));
  const unknown = drawn.filter(({ kind: name, from, to }) => {
    const kind = kinds.find((one) => one === name);
    try {
      // What is over may be opened again where a person asks for a retry.
      if (kind && !stateOf(kind, from).retried?.includes(to)) assertArrow(kind, from, to);
      return !kind;
    } catch {
      return true;
    }
  });
  expect(unknown).toEqual([]);
});

test('nothing is left of a script that went away', () => {
  const made = FOLDERS.flatMap((folder) => filesIn(`${folder}/generated`, '.ts'));
  expect(made.toSorted()).toEqual(scripts.map(({ target }) => target).toSorted());
});
