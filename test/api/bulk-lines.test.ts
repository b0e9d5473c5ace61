import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Line, groupsOf } from '../../src/api/bulk-lines.ts';
import { reworded } from '../support/reworded.ts';

async function groups(...chunks: readonly (string | Uint8Array)[]): Promise<readonly (readonly Line[])[]> {
  async function* body() {
    for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  }
  const all: (readonly Line[])[] = [];
  for await (const group of groupsOf(body())) all.push(group);
  return all;
}
const linesIn = async (...chunks: readonly (string | Uint8Array)[]) => (await groups(...chunks)).flat();

describe('the lines of a body', () => {
  test('are the same however it was cut', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('{}', '', ' ', 'é€😀', '\r', '{"a":"b"}'), { maxLength: 12 }),
        fc.array(fc.nat(40), { maxLength: 6 }),
        async (lines, cuts) => {
          const bytes = Buffer.from(lines.join('\n'));
          const places = [0, ...cuts.filter((at) => at <= bytes.length).toSorted((a, b) => a - b), bytes.length];
          const pieces = places.slice(1).map((end, at) => bytes.subarray(places[at], end));
          expect(await linesIn(...pieces)).toEqual(
            lines.flatMap((line, index) => (line.trim() === '' ? [] : [{ index, text: line.trim() }])),
          );
        },
      ),
    ));

  test('have no byte order mark, and need no line feed at the end', async () => {
    expect(await linesIn('\ufeffa\r\nb')).toEqual([
      { index: 0, text: 'a' },
      { index: 1, text: 'b' },
    ]);
    expect(await linesIn('\ufeff\n')).toEqual([]);
  });

  test('that are too long or not UTF-8 are reported, and their neighbours are intact', async () => {
    const long = 'x'.repeat(30_000);
    const lines = await linesIn('a\n', long, long, long, '\nb\n', Buffer.from([0x63, 0xff, 0x0a]), 'd');
    expect(reworded(lines)).toEqual([
      { index: 0, text: 'a' },
      { index: 1, unreadable: 'is longer than 32768 bytes' },
      { index: 2, text: 'b' },
      { index: 3, unreadable: 'is not UTF-8' },
      { index: 4, text: 'd' },
    ]);
  });
});

describe('a group', () => {
  test('is what has arrived, so that no line waits for later ones', async () => {
    const sizes = (await groups('a\nb\nc', 'd\n', 'e')).map((group) => group.length);
    expect(sizes).toEqual([2, 1, 1]);
  });

  test('has at most 100 lines, and no more bytes than it can share a trip with', async () => {
    expect((await groups('a\n'.repeat(240))).map((group) => group.length)).toEqual([100, 100, 40]);
    const long = `${'x'.repeat(30_000)}\n`;
    expect((await groups(long.repeat(20))).map((group) => group.length)).toEqual([9, 9, 2]);
  });
});
