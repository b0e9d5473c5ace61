/**
 * Many payments in review, decided by one request: each is checked at the provider first, and logged like a single
 * decision.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, type Service, startService } from '../support/service.ts';
import { DEEP } from '../support/deep.ts';

const MANY = DEEP ? 10_000 : 300;

let service: Service;
beforeAll(async () => {
  service = await startService({ API_RATE: '0' });
});
afterAll(() => service.stop());

let tag = 0;
let made = 0;
beforeEach(() => {
  tag += 1;
});

/** Requested by `maker`, and in review as after a recovery; nothing of them was ever sent. */
async function waiting(count: number, reason = `case_${tag}`): Promise<string[]> {
  const lines = Array.from({ length: count }, (_, at) => {
    const reference = `selected-${(made += 1)}`;
    const asked = { accountAlias: `77${1_000_000 + at}`, amount: 1_000 + at, withdrawMode: 'wallet-a-senegal' };
    return JSON.stringify({ ...asked, reference, notBefore: '2100-01-01T00:00:00Z' });
  });
  const headers = { 'content-type': 'application/x-ndjson' };
  const { body } = await service.call('POST', '/v1/disbursements', { body: `${lines.join('\n')}\n`, headers });
  const ids = linesOf(body).map(({ id }) => String(id));
  await service.ledger.query(`update relais.operation
    set state = 'needs_review', reason = '${reason}', queue = null, due_at = null, version = version + 1
    where id in ('${ids.join("', '")}')`);
  return ids;
}

const linesOf = (body: unknown): Record<string, any>[] =>
  String(body)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const note = 'Asked the provider by telephone';
const ask = (body: object, key = 'checker-secret'): Promise<Answer> =>
  service.call('POST', '/v1/review/resolve', { body, key });
const word = (more: object = {}) => ({ where: { reason: `case_${tag}` }, outcome: 'failed', note, ...more });
const stateOf = async (id: string): Promise<string> =>
  (await service.call('GET', `/v1/disbursements/${id}`)).body.state;
const sum = (count: number): number => (count * (1_000 + 1_000 + count - 1)) / 2;

describe('a dry run', () => {
  test('reports count and sum, and changes nothing', async () => {
    const [first = ''] = await waiting(3);
    const { status, body } = await ask(word());
    expect([status, body]).toEqual([
      200,
      {
        dryRun: true,
        count: 3,
        xof: sum(3),
        reasons: { [`case_${tag}`]: { count: 3, xof: sum(3) } },
        selection: expect.stringMatching(/^[0-9a-f]{16}$/),
      },
    ]);
    expect(await stateOf(first)).toBe('needs_review');
  });

  test.for([
    [{ amountMin: 1_001 }, 2],
    [{ amountMax: 1_001 }, 2],
    [{ account: 'main' }, 3],
    [{ withdrawMode: 'wallet-b-senegal' }, 0],
    [{ createdTo: '2020-01-01T00:00:00Z' }, 0],
    [{ createdFrom: '2020-01-01T00:00:00Z' }, 3],
    [{ batch: 'bat_none' }, 0],
  ] as const)('chooses by %j', async ([filter, count]) => {
    await waiting(3);
    const where = { reason: `case_${tag}`, ...filter };
    const { status, body } = await ask(word({ where }));
    expect([status, body.count]).toEqual([200, count]);
  });

  test.for([
    [{ where: {} }, 422],
    [{ where: { reasn: 'x' } }, 422],
    [{ outcome: 'paid' }, 422],
    [{ note: '' }, 422],
  ] as const)('%j is refused', async ([more, status]) => {
    expect((await ask(word(more))).status).toBe(status);
  });

  test('is for keys that may approve, and shows a key no other account', async () => {
    await waiting(1);
    expect((await ask(word(), 'reader-secret')).status).toBe(403);
  });
});

describe('a confirmation', () => {
  const confirmed = async (more: object = {}): Promise<object> => {
    const { count, selection } = (await ask(word(more))).body;
    return word({ ...more, confirm: { count, selection } });
  };

  test('decides each by the guard of a single one, with a line of the audit and an event for each', async () => {
    const ids = await waiting(5);
    const answer = await ask(await confirmed());
    expect(answer.status).toBe(200);
    const lines = linesOf(answer.body);
    expect(lines.slice(0, -1).map(({ id, outcome, state }) => [id, outcome, state])).toEqual(
      expect.arrayContaining(ids.map((id) => [id, 'resolved', 'failed'])),
    );
    expect(lines.at(-1)).toEqual({ id: null, outcome: 'done', resolved: 5, xof: sum(5), refused: 0 });
    expect(await Promise.all(ids.map(stateOf))).toEqual(ids.map(() => 'failed'));
    const { items } = (await service.call('GET', '/v1/audit?limit=500')).body;
    const told = items.filter(({ target, act }: any) => ids.includes(target) && act === 'disbursement.resolve');
    expect(told.map(({ by }: { by: string }) => by)).toEqual(ids.map(() => 'checker'));
    const { events } = (await service.published('/v1/events?limit=500&types=disbursement.failed')).body;
    expect(events.filter(({ data }: any) => ids.includes(data.id))).toHaveLength(5);
  });

  test('names the count and the selection: one that came meanwhile, and all is refused', async () => {
    const [first = ''] = await waiting(2);
    const body = await confirmed();
    await waiting(1);
    const { status, body: problem } = await ask(body);
    expect([status, problem.rule, problem.count]).toEqual([409, 'content-changed', 3]);
    expect(await stateOf(first)).toBe('needs_review');
  });

  test('is for one outcome: as many under another are refused', async () => {
    const [first = ''] = await waiting(2);
    const { count, selection } = (await ask(word())).body;
    expect((await ask(word({ outcome: 'cancelled', confirm: { count, selection } }))).status).toBe(409);
    expect(await stateOf(first)).toBe('needs_review');
  });

  test('by their author decides none', async () => {
    const ids = await waiting(2);
    const { count, selection } = (await ask(word())).body;
    const answer = await ask(word({ confirm: { count, selection } }), 'maker-secret');
    const lines = linesOf(answer.body);
    expect(lines[0]).toMatchObject({ outcome: 'refused', problem: { rule: 'other-person' } });
    expect(lines.at(-1)).toMatchObject({ resolved: 0, refused: 2 });
    expect(await stateOf(ids[0] ?? '')).toBe('needs_review');
  });

  test('reports each one that the provider contradicts, and continues with the others', async () => {
    await waiting(1);
    const where = { reason: `case_${tag}` };
    const { count, selection } = (await ask({ where, outcome: 'resubmit', note })).body;
    const lines = linesOf((await ask({ where, outcome: 'resubmit', note, confirm: { count, selection } })).body);
    expect(lines[0]).toMatchObject({ outcome: 'refused', problem: { rule: 'upstream' } });
  });

  test(`of ${MANY} that breaks off is gone on with: each is decided once`, { timeout: 600_000 }, async () => {
    const ids = await waiting(MANY);
    const before = await announced();
    const { count, selection } = (await ask(word())).body;
    expect(count).toBe(MANY);
    // The caller disconnects after the first lines, like a closed terminal.
    const body = word({ confirm: { count, selection } });
    await service.call('POST', '/v1/review/resolve', { body, key: 'checker-secret', until: '\n' });
    let left = await ask(word());
    while (left.body.count === MANY) left = await ask(word());
    // The running decisions end before the rest is counted.
    const rest = await settled();
    expect(rest.count).toBeLessThan(MANY);
    const lines = linesOf((await ask(word({ confirm: rest }))).body);
    expect(lines.at(-1)).toMatchObject({ outcome: 'done', resolved: rest.count });
    expect((await ask(word())).body.count).toBe(0);
    expect((await announced()) - before).toBe(MANY);
    expect(await stateOf(ids[0] ?? '')).toBe('failed');
  });

  const announced = async (): Promise<number> => {
    await service.published('/v1/events?limit=1');
    const [row] = await service.ledger.query<{ count: number }>(
      "select count(*)::int as count from relais.event where type = 'disbursement.failed'",
    );
    return row?.count ?? 0;
  };

  async function settled(): Promise<{ count: number; selection: string }> {
    for (let before = -1; ; ) {
      const { count, selection } = (await ask(word())).body;
      if (count === before) return { count, selection };
      before = count;
    }
  }
});
