/** The .lua files say what they take and answer; what is made from them says the same, and Lua has nothing to object. */
import { mkdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { complaintsAbout, complaintsAboutSource, librariesBeside } from '../../script/lua/check.ts';
import { SCRIPT_FOLDERS, filesIn, generatedFrom, scriptsIn } from '../../script/lua/compose.ts';
import { kinds, stateOf, statesOf } from '../../src/kinds/index.ts';
import { campaignSwitches } from '../../src/kinds/campaign-switches.ts';
import { expectPage } from '../docs/page.ts';

/** Besides those that run, one that shows every type on its way. */
const FOLDERS = [...SCRIPT_FOLDERS, 'test/redis/scripts'];
const scripts = FOLDERS.flatMap(scriptsIn);
const rootOf = (path: string): URL => new URL(`../../${path}`, import.meta.url);

test.each(FOLDERS)('the scripts of %s are what their TypeScript was made from', (folder) => {
  const { target, typescript } = generatedFrom(folder);
  if (process.env['UPDATE_DOCS'] === '1') mkdirSync(new URL('.', rootOf(target)), { recursive: true });
  expectPage(target, typescript);
  expect(filesIn(`${folder}/generated`, '.ts')).toEqual([target]);
});

test.each(scripts.map((script) => [script.path, script] as const))(
  '%s names what it uses, and uses what it names',
  (_path, script) => expect(complaintsAbout(script)).toEqual([]),
);

test('no script reads KEYS or ARGV by number: its head names them', () => {
  const sources = [...scripts.map(({ path }) => path), ...FOLDERS.flatMap(librariesBeside)];
  const complaints = sources.flatMap((path) =>
    complaintsAboutSource(readFileSync(rootOf(path), 'utf8')).map((complaint) => `${path}: ${complaint}`),
  );
  expect(complaints).toEqual([]);
});

/** The arrows of the table, with those that a person or a late word of upstream may draw. */
function isArrow(name: string, from: string, to: string): boolean {
  const kind = kinds.find((one) => one === name);
  if (!kind || !statesOf(kind).some((state) => state === from)) return false;
  const { to: next = [], late = [], retried = [] } = stateOf(kind, from);
  return [...next, ...late, ...retried].includes(to);
}

describe('every arrow is one of the lifecycle', () => {
  const drawn = scripts.flatMap(({ head }) => head.arrows.filter(({ kind }) => kind !== ''));
  test.each(drawn)('$kind: $from -> $to, by its script', ({ kind, from, to }) => {
    expect(isArrow(kind, from, to)).toBe(true);
  });

  const switched = Object.values(campaignSwitches).flatMap(({ from, to }) =>
    from.map((state) => [state, to] as const),
  );
  test.each(switched)('campaign: %s -> %s, by a switch', (from, to) => {
    expect(isArrow('campaign', from, to)).toBe(true);
  });
});
