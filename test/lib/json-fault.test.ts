import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonFault } from '../../src/lib/json-fault.ts';

test.for([
  ['a comma too much', '{"a": 1,}', 1, 9, false],
  ['a missing comma', '{\n  "a": 1\n  "b": 2\n}', 3, 3, false],
  ['no colon', '{"a" 1}', 1, 6, false],
  ['single quotes', "{'a': 1}", 1, 2, false],
  ['a name without quotes', '{a: 1}', 1, 2, false],
  ['a number with a zero before it', '{"a": 01}', 1, 7, false],
  ['no number', '{"a": NaN}', 1, 7, false],
  ['a line break in a string', '{"a": "x\ny"}', 1, 9, false],
  ['an escape that is none', '{"a": "\\x"}', 1, 8, false],
  ['more behind the value', '{"a": 1} {}', 1, 10, false],
  ['a bracket of the other kind', '[1, 2}', 1, 6, false],
  ['the end of an object', '{"a": 1', 1, 8, true],
  ['the end of a string', '{"a": "x', 1, 9, true],
  ['nothing', '', 1, 1, true],
] as const)('%s is found at its position', ([_what, text, line, column, isEnd]) => {
  expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
  expect(jsonFault(text)).toEqual({ line, column, isEnd });
});

test('every text that JSON.parse refuses has a fault within it, and a valid one has none before its end', () => {
  const parts = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"a"',
    ':',
    ',',
    '1',
    '-0.5e3',
    'true',
    'null',
    ' ',
    '\n',
    '"\\n"',
    'x',
  );
  const parses = (text: string): boolean => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('');
      const { isEnd, line, column } = jsonFault(text);
      const lines = text.split('\n');
      expect(column).toBeLessThanOrEqual((lines[line - 1]?.length ?? 0) + 1);
      // Truncated at its error, a text is the beginning of some JSON.
      if (parses(text)) expect(isEnd).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});
