import { describe, expect, test } from 'vitest';
import { apiThat, type Asked } from './api-double.ts';
import { relais } from './terminal.ts';

const event = (sequence: number) => ({ id: `dsb_x.${sequence}`, type: 'disbursement.succeeded', sequence });

/** A stream of this many events, numbered from 1; the cursor of the n-th is `n-0`. */
const streamOf = (length: () => number) => (asked: Asked) => {
  const after = Number((asked.query['after'] ?? '0-0').split('-')[0]);
  const last = Math.min(length(), after + Number(asked.query['limit'] ?? 100));
  const events = Array.from({ length: last - after }, (_, at) => event(after + at + 1));
  return { body: { events, next: `${last}-0` } };
};
const sequences = (stdout: string): number[] =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).sequence);

describe('events', () => {
  test('are printed as JSON lines until there is nothing new', async () => {
    const { env } = await apiThat(streamOf(() => 1_203));
    const { code, stdout, stderr, slept } = await relais(['events'], { env });
    expect(code).toBe(0);
    expect(sequences(stdout)).toHaveLength(1_203);
    expect(stderr).toBe('Next: relais events --after 1203-0\n');
    expect(slept).toEqual([]);
  });

  test('continue after a cursor, and stop after a number', async () => {
    const { env } = await apiThat(streamOf(() => 50));
    const { stdout, stderr } = await relais(['events', '--after', '7-0', '--limit', '3'], { env });
    expect(sequences(stdout)).toEqual([8, 9, 10]);
    expect(stderr).toContain('--after 10-0');
  });

  test('of some types are asked for by their names', async () => {
    const { asked, env } = await apiThat(streamOf(() => 0));
    await relais(['events', '--types', 'message.sent,campaign.finished'], { env });
    expect(asked[0]?.query).toMatchObject({ types: 'message.sent,campaign.finished' });
    expect(await relais(['events', '--types', 'message.lost'])).toMatchObject({ code: 2 });
  });

  test('that are stepped over move the reader on', async () => {
    const places = ['4-0', '8-0', '8-0'];
    const { asked, env } = await apiThat((_asked, at) => ({ body: { events: [], next: places[at - 1] } }));
    await relais(['events', '--types', 'message.sent'], { env });
    expect(asked.map(({ query }) => query['after'])).toEqual([undefined, '4-0', '8-0']);
  });

  test('that expired are reported, not skipped silently', async () => {
    const { env } = await apiThat(() => ({ status: 410, body: { title: 'Gone', oldest: '90-0' } }));
    const { code, stderr } = await relais(['events', '--after', '1-0', '--follow'], { env });
    expect(code).toBe(1);
    expect(stderr).toContain('90-0');
    expect(stderr).toContain('without --after');
  });
});

test('the continuing command requests the same types', async () => {
  const { env } = await apiThat(({ query }) => ({
    body: { events: query['after'] === '1203-0' ? [] : [{ id: '1203-0' }], next: '1203-0' },
  }));
  const { stderr } = await relais(['events', '--types', 'disbursement.succeeded'], { env });
  expect(stderr).toBe('Next: relais events --after 1203-0 --types disbursement.succeeded\n');
});
