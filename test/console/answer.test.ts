/** Incomplete answers. */
import { expect, test } from 'vitest';
import { NoAnswer, wholeOf } from '../../console/asking/answer.ts';

/** Begun, and interrupted by the network. */
function brokenOff(begun: string): Response {
  const start = (line: ReadableStreamDefaultController<Uint8Array>): void =>
    line.enqueue(new TextEncoder().encode(begun));
  const pull = (line: ReadableStreamDefaultController<Uint8Array>): void =>
    line.error(new TypeError('network error'));
  return new Response(new ReadableStream({ start, pull }), { headers: { 'content-type': 'application/x-ndjson' } });
}

test('an interrupted or truncated answer counts as none: the request may have been executed', async () => {
  await expect(wholeOf(brokenOff('{"id":"dsb_1","outcome":"resolved"}\n{"id":"dsb'))).rejects.toThrow(NoAnswer);
  await expect(wholeOf(new Response('{"id":"dsb_1","sta'))).rejects.toThrow(NoAnswer);
});

test('a list comes as its lines, and nothing as nothing', async () => {
  const lines = { headers: { 'content-type': 'application/x-ndjson' } };
  expect(await wholeOf(new Response('{"id":"a"}\n{"id":null}\n', lines))).toEqual([{ id: 'a' }, { id: null }]);
  expect(await wholeOf(new Response('{"id":"a"}'))).toEqual({ id: 'a' });
  expect(await wholeOf(new Response(''))).toEqual({});
});
