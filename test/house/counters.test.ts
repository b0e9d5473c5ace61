/** The counters of script/measure-house on small trees: one that counts nothing would look like a goal that is met. */
import { describe, expect, test } from 'vitest';
import { followId, privateFunctions } from '../../script/house/calls.ts';
import { cyclesOf } from '../../script/house/cycles.ts';
import { houseOf } from '../../script/house/questions.ts';
import { answer, render, rowsOfWalks } from '../../script/house/table.ts';
import { sourceOf } from '../../script/house/tree.ts';
import * as words from '../../script/house/words.ts';

const one = (text: string, path = 'src/a.ts') => [sourceOf(path, text)];

function tree(files: Readonly<Record<string, string>>) {
  return Object.entries(files).map(([path, text]) => sourceOf(path, text));
}

describe('following an id', () => {
  const files = tree({
    'src/p/send.ts': `
      import { begin, type Attempt } from './attempt.ts';
      import { finish as end } from './finish.ts';
      import { unrelated } from './other.ts';
      export async function send(id: string, bench: Bench) {
        const attempt = await begin(id);
        unrelated(bench);
        const list = [1].map((n) => n);
        const { record } = attempt;
        return end({ record }, bench);
      }`,
    'src/p/attempt.ts': `
      export const begin = (id: string) => read(id);
      function read(id: string) { return { record: id }; }
      export const note = ({ record }: Attempt) => record;`,
    'src/p/finish.ts': `
      import { note } from './attempt.ts';
      export function finish(held: Held, bench: Bench) { return twice(held.record) ?? note(held); }
      function twice(record: string) { return note(record); }`,
    'src/p/other.ts': 'export const unrelated = (bench: Bench) => bench;',
  });
  const start = { path: 'src/p/send.ts', name: 'send' };

  test('counts each function of another file once, and the files entered again', () => {
    const { entries, again } = followId(files, [start]);
    expect(entries.map(({ name }) => name)).toEqual(['send', 'begin', 'finish', 'note']);
    expect(again).toBe(1);
  });
  test('says that there is nothing to start from', () => {
    expect(() => followId(files, [{ ...start, name: 'post' }])).toThrow('no function post in src/p/send.ts');
  });
  test('follows a function that is handed over with the id, and the members of a list', () => {
    const handed = tree({
      'src/p/a.ts': `
        import { b } from './b.ts';
        import { c } from './c.ts';
        export function a(ids: string[]) { retry(ids, b); ids.map((id) => c(id)); }`,
      'src/p/b.ts': 'export function b(id: string) {}',
      'src/p/c.ts': 'export function c(id: string) {}',
    });
    expect(followId(handed, [{ path: 'src/p/a.ts', name: 'a' }]).entries).toHaveLength(3);
  });
});

test('a private function counts as called once when nothing else names it', () => {
  const files = one(`
    function once() {}
    const arrow = () => once();
    function twice() { return arrow; }
    function handed() {}
    export function door() { return twice(arrow()) + twice() + list.map(handed); }
    class Desk { #shut() {} #open() { this.#shut(); this.#open(); this.#open(); } }`);
  expect(privateFunctions(files)).toEqual({ all: 6, once: 2 });
});

test('circles are found, with types and without', () => {
  const files = tree({
    'src/a.ts': "import type { B } from './b.ts';",
    'src/b.ts': "import { c } from './c.ts';",
    'src/c.ts': "import { type A } from './a.ts';",
    'src/d.ts': "export { e } from './e.ts';",
    'src/e.ts': "import { d } from './d.ts';",
  });
  expect(cyclesOf(files, { types: true })).toEqual([
    ['src/a.ts', 'src/b.ts', 'src/c.ts'],
    ['src/d.ts', 'src/e.ts'],
  ]);
  expect(cyclesOf(files, { types: false })).toEqual([['src/d.ts', 'src/e.ts']]);
});

describe('one fact', () => {
  const fact = { words: ['dsb', 'prq', 'msg'], atLeast: 2 };

  test.for([
    "const prefixes = ['dsb', 'prq'];",
    "const prefixes = { disbursement: 'dsb', request: 'prq' };",
    'const kinds = { dsb: 1, prq: 2 };',
    "type Prefix = 'dsb' | 'prq';",
    'interface Kinds { dsb: string; prq: string }',
    "const help = 'one of dsb, prq';",
    'const text = `dsb prq`;',
  ])('is written down by %s', (text) => {
    expect(words.filesThatList(one(text), fact)).toEqual(['src/a.ts']);
  });
  test('is not written down where one word of it is used', () => {
    expect(words.filesThatList(one("const a = 'dsb'; const b = 'prq'; // dsb, prq"), fact)).toEqual([]);
  });
  test('a word is spelt in code and not in a sentence; a member is declared and not read', () => {
    const files = one("const a = { delay: config.DELAY }; say('see DELAY');");
    expect([words.filesThatSpell(files, 'DELAY'), words.filesThatDeclare(files, 'delay')]).toEqual([
      ['src/a.ts'],
      ['src/a.ts'],
    ]);
    const reads = one("const { delay } = a; say('see DELAY');");
    expect([words.filesThatSpell(reads, 'DELAY'), words.filesThatDeclare(reads, 'delay')]).toEqual([[], []]);
  });
});

test('casts through unknown, and answers that are dropped, are found with their line', () => {
  expect(words.castTwice(one('\nconst a = b as unknown as C; const d = e as C;'))).toEqual(['src/a.ts:2']);
  const ends = 'async () => {\n await settle(a);\n void finish(b);\n return keep(c);\n const d = settle(e);\n}';
  expect(words.droppedAnswers(one(`const x = ${ends};`))).toEqual(['src/a.ts:2', 'src/a.ts:3']);
});

test('comments are counted where they are comments', () => {
  const files = one("/** Who asks. */\nconst a = 'who'; // by whom");
  expect([words.commentsWith(files, /\bwho\b/i), words.commentsWith(files, /\bwhom\b/i)]).toEqual([1, 1]);
});

describe('the table', () => {
  const asked = { question: 'how many', goal: 1, neverNone: true, count: () => ({ today: 0, where: [] }) } as const;
  const house = houseOf([]);

  test('says what could not be counted instead of none', () => {
    const [row] = answer([asked], house);
    expect(row).toMatchObject({ today: null, why: 'nothing found: what the counter looks for is gone' });
    expect(render(rowsOfWalks('no Redis'), { where: false })).toContain('not counted: files that work for one row');
  });
  test('lists question, today and goal', () => {
    const rows = answer([{ ...asked, count: () => ({ today: 3, where: ['src/a.ts'] }) }], house);
    expect(render(rows, { where: true })).toBe(
      ['| question | today | goal |', '| -------- | ----: | ---: |', '| how many |     3 |  ≤ 1 |', ''].join('\n') +
        '\nhow many\n  src/a.ts',
    );
  });
  test('sums up what ran', () => {
    const disbursement = [
      { path: 'src/a.ts', lines: 3 },
      { path: 'src/b.ts', lines: 4 },
    ];
    expect(rowsOfWalks({ disbursement, recipient: [] }).map(({ today }) => today)).toEqual([2, 7, null, null]);
  });
});
