/** Work without Redis and network: counting the segments of texts. */
import { countSegments } from '../../../src/lib/segments.ts';
import { textOf } from '../work.ts';

const SOME = 1_000;

/** Texts counted per second; every tenth has a character that is not of the plain alphabet. */
export async function segments({ count }: { count: number }): Promise<number> {
  const texts = Array.from({ length: SOME }, (_, index) => (index % 10 === 0 ? `${textOf(index)} ✓` : textOf(index)));
  let sum = 0;
  const started = performance.now();
  for (let index = 0; index < count; index += 1) sum += countSegments(texts[index % SOME] ?? '').segments;
  const ms = performance.now() - started;
  if (sum < count) throw new Error('a text without a segment');
  return (count * 1_000) / ms;
}
