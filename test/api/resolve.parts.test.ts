import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';
import { dueAt } from '../support/stored.ts';

let service: Service;
beforeAll(async () => {
  // Strict, so that a submit lost before its work needs review.
  service = await startService({
    DISBURSEMENT_RESUBMIT: 'strict',
    DISBURSEMENT_QUIET_PERIOD: '200ms',
    // A fault applies once: a merely late answer must not use it up.
    UPSTREAM_TIMEOUT: '10s',
  });
});
afterEach(() => service.control('DELETE', '/faults'));
afterAll(() => service.stop());

const order = (fault: string, operation: string, more: object = { count: 1 }) =>
  service.control('POST', '/faults', { fault, operation: `disbursement.${operation}`, ...more });

const SUCCEEDS_AT_ONCE = '779999910';

let made = 0;
/** A payment that needs review, requested by the key `maker`. */
async function needingReview(accountAlias = '771234567'): Promise<{ id: string; token: string }> {
  made += 1;
  const body = { accountAlias, amount: 10_000 + made, withdrawMode: 'wallet-a-senegal' };
  const { body: asked } = await service.call('POST', '/v1/disbursements', {
    body: { ...body, reference: `review-${made}` },
  });
  return service.until(path(asked.id), ({ state }) => state === 'needs_review');
}

/** The provider reports `created`: the submit never arrived. */
async function neverExecuted() {
  await order('resets the connection before doing the work', 'submit');
  return needingReview();
}

/** It cannot be checked: the restored backup had no token. */
async function withoutToken() {
  const { id } = await neverExecuted();
  await service.ledger.query(`update relais.operation set token = null where id = '${id}'`);
  return { id };
}

/** The provider reports `pending`: it accepted the submit, and named another amount before. */
async function pendingUpstream() {
  await order('leaves the disbursement pending', 'submit');
  return namedAnotherAmount();
}

/**
 * Each check gets this answer until this payment waits: a late callback for another payment triggers a check of that
 * one too.
 */
async function namedAnotherAmount(accountAlias?: string) {
  await order('reports another amount', 'status', {});
  const waits = await needingReview(accountAlias);
  await service.control('DELETE', '/faults');
  return waits;
}

const path = (id: string): string => `/v1/disbursements/${id}`;
const note = 'Asked the provider by telephone.';
const resolve = (id: string, body: object, key = 'checker-secret') =>
  service.call('POST', `${path(id)}/resolve`, { body, key });
const record = async (id: string) => (await service.call('GET', path(id))).body;
const booked = async (token: string): Promise<{ effects: number; transactionId: string }> => {
  const books = await service.books('disbursements');
  return books.find((entry: { token: string }) => entry.token === token);
};
const effects = async (token: string): Promise<number> => (await booked(token)).effects;
const looks = async (): Promise<number> => (await service.books()).requests['disbursement.status'];
const eventsOf = async (id: string): Promise<{ type: string; data: Record<string, unknown> }[]> => {
  const { body } = await service.published('/v1/events?limit=500');
  return body.events.filter((event: { data: { id: string } }) => event.data.id === id);
};

describe('an operator’s decision is accepted unless the provider contradicts it', () => {
  test.for(['failed', 'cancelled'])('%s, when it was never executed', async (outcome) => {
    const { id, token } = await neverExecuted();
    const before = await looks();
    const { status, body } = await resolve(id, { outcome, note });
    expect([status, body.state]).toEqual([200, outcome]);
    expect(await looks()).toBe(before + 1);
    expect(await effects(token)).toBe(0);
    expect((await eventsOf(id)).at(-1)).toMatchObject({
      type: `disbursement.${outcome}`,
      data: { resolvedBy: 'checker' },
    });
  });

  test('succeeded, when the provider confirms it', async () => {
    // A callback would trigger a check that settles it before the test's decision.
    await order('never calls back', 'callback', {});
    const { id, token } = await namedAnotherAmount(SUCCEEDS_AT_ONCE);
    const { status, body } = await resolve(id, { outcome: 'succeeded', note });
    expect([status, body.state]).toEqual([200, 'succeeded']);
    expect(await effects(token)).toBe(1);
    expect(body.transactionId).toBe((await booked(token)).transactionId);
  });

  test('succeeded, by the transaction that was read in the dashboard, and is found by it', async () => {
    const { id } = await withoutToken();
    const said = { outcome: 'succeeded', note, transactionId: 'TX-SEEN-1' };
    const { status, body } = await resolve(id, said);
    expect([status, body.state, body.transactionId]).toEqual([200, 'succeeded', 'TX-SEEN-1']);
    expect((await eventsOf(id)).at(-1)?.data).toMatchObject({ transactionId: 'TX-SEEN-1' });
    const found = await service.call('GET', '/v1/search?q=TX-SEEN-1');
    expect(found.body.items.map((one: { id: string }) => one.id)).toEqual([id]);

    const other = await withoutToken();
    const refused = await resolve(other.id, said);
    expect([refused.status, refused.body.rule]).toEqual([409, 'identity']);
    expect((await record(other.id)).state).toBe('needs_review');
    expect((await resolve(other.id, { ...said, transactionId: 'TX-SEEN-2' })).status).toBe(200);
  });

  test('a transaction id is refused for an unpaid payment', async () => {
    const { id } = await neverExecuted();
    const { status, body } = await resolve(id, { outcome: 'failed', note, transactionId: 'TX-SEEN-3' });
    expect([status, body.problems[0].pointer]).toEqual([422, '/transactionId']);
  });

  test('succeeded, as the transaction of a lost token, although the provider reports `created` for this one', async () => {
    const { id, token } = await neverExecuted();
    const bare = await resolve(id, { outcome: 'succeeded', note });
    expect([bare.status, bare.body.upstream]).toEqual([409, 'created']);
    expect(bare.body.detail).toContain('transactionId');
    const { status, body } = await resolve(id, { outcome: 'succeeded', note, transactionId: 'TX-SEEN-4' });
    expect([status, body.state, body.transactionId]).toEqual([200, 'succeeded', 'TX-SEEN-4']);
    // Nothing was paid with this token, so later answers about it no longer count.
    expect(body.token).toBeNull();
    expect((await record(id)).history.at(-2)).toMatchObject({ operation: 'named', code: 'token', detail: token });
    expect(await dueAt(service, id)).toBeUndefined();
  });

  test('the decider and the reason are stored with the record', async () => {
    const { id } = await neverExecuted();
    await resolve(id, { outcome: 'failed', note });
    const known = await record(id);
    expect(known).toMatchObject({ resolvedBy: 'checker', note });
    expect(known.history.at(-1)).toMatchObject({ operation: 'resolve', code: 'failed', detail: 'checker' });
    const { body } = await service.call('GET', `/v1/explain/${id}`);
    expect(body.summary).toContain(`Decided by checker: “${note}”.`);
    expect(body.story.at(-1).what).toBe('resolved as failed by checker');
  });
});

describe('resubmit', () => {
  test('sends the same token again, after the provider has just reported that it was never executed', async () => {
    const { id, token } = await neverExecuted();
    const { status } = await resolve(id, { outcome: 'resubmit', note });
    expect(status).toBe(200);
    const done = await service.until(path(id), ({ state }) => state === 'succeeded');
    expect(done).toMatchObject({ token, resolvedBy: 'checker', note });
    expect(await effects(token)).toBe(1);
  });

  test('is refused above a limit that was lowered meanwhile', async () => {
    const { id, token } = await neverExecuted();
    const limit = (value: number, key: string) =>
      service.call('POST', '/v1/limits/MAX_DISBURSEMENT', { body: { value }, key });
    await limit(5_000, 'maker-secret');
    const { status, body } = await resolve(id, { outcome: 'resubmit', note });
    expect([status, body.rule]).toEqual([409, 'limit']);
    for (const key of ['maker-secret', 'checker-secret']) await limit(2_000_000, key);
    expect((await resolve(id, { outcome: 'resubmit', note })).status).toBe(200);
    await service.until(path(id), ({ state }) => state === 'succeeded');
    expect(await effects(token)).toBe(1);
  });

  test('is refused once the provider has accepted it, and causes no second payment', async () => {
    const { id, token } = await pendingUpstream();
    const { status, body } = await resolve(id, { outcome: 'resubmit', note });
    expect([status, body.upstream]).toEqual([409, 'pending']);
    await service.control('POST', `/disbursements/${token}`, { status: 'success' });
    await service.until(path(id), ({ state }) => state === 'succeeded');
    expect(await effects(token)).toBe(1);
  });
});

describe('the provider’s status takes precedence', () => {
  test.for([
    ['succeeded', neverExecuted, 'created'],
    ['succeeded', pendingUpstream, 'pending'],
    ['failed', pendingUpstream, 'pending'],
    ['cancelled', pendingUpstream, 'pending'],
  ] as const)('%s is refused, and nothing is changed', async ([outcome, review, upstream]) => {
    const { id } = await review();
    const before = await record(id);
    const { status, body } = await resolve(id, { outcome, note });
    expect([status, body.upstream]).toEqual([409, upstream]);
    expect(body.detail).toContain('Nothing was changed');
    expect({ ...(await record(id)), updatedAt: '' }).toEqual({ ...before, updatedAt: '' });
  });

  test('a late success settles it without an operator', async () => {
    const { id, token } = await pendingUpstream();
    await service.control('POST', `/disbursements/${token}`, { status: 'success' });
    await service.until(path(id), ({ state }) => state === 'succeeded');
    expect((await eventsOf(id)).at(-1)).toMatchObject({ type: 'disbursement.succeeded', data: { late: true } });
    expect((await resolve(id, { outcome: 'failed', note })).body).toMatchObject({ status: 409, state: 'succeeded' });
  });

  test('a final status that contradicts the operator is accepted at once', async () => {
    const { id, token } = await pendingUpstream();
    await order('never calls back', 'callback', {});
    await service.control('POST', `/disbursements/${token}`, { status: 'success' });
    expect((await resolve(id, { outcome: 'failed', note })).status).toBe(409);
    await service.until(path(id), ({ state }) => state === 'succeeded');
  });

  test('when it cannot be asked, nothing is changed, and the answer is 504', async () => {
    const { id } = await neverExecuted();
    const before = await record(id);
    await order('resets the connection before doing the work', 'status', {});
    const { status, body } = await resolve(id, { outcome: 'failed', note });
    expect([status, body.type]).toEqual([504, expect.stringMatching(/no-answer$/)]);
    expect({ ...(await record(id)), updatedAt: '' }).toEqual({ ...before, updatedAt: '' });
    await service.control('DELETE', '/faults');
    expect((await resolve(id, { outcome: 'failed', note })).status).toBe(200);
  });
});

describe('rights', () => {
  test('deciding about one’s own payment is refused', async () => {
    const { id } = await neverExecuted();
    const { status, body } = await resolve(id, { outcome: 'failed', note }, 'maker-secret');
    expect([status, body.detail]).toEqual([403, expect.stringContaining('A different person must approve it')]);
    expect((await record(id)).state).toBe('needs_review');
  });

  test('not without an outcome that there is, a note of a few words, or with anything else', async () => {
    const { id } = await neverExecuted();
    for (const [body, pointer] of [
      [{ outcome: 'failed' }, '/note'],
      [{ outcome: 'failed', note: '  a ' }, '/note'],
      [{ outcome: 'failed', note: 'x'.repeat(501) }, '/note'],
      [{ outcome: 'paid', note: 'because' }, '/outcome'],
      [{ note: 'because' }, '/outcome'],
      [{ outcome: 'failed', note: 'because', by: 'me' }, '/by'],
    ] as const) {
      const answer = await resolve(id, body);
      expect(answer.status).toBe(422);
      expect(answer.body.problems.map((problem: { pointer: string }) => problem.pointer)).toEqual([pointer]);
    }
    expect((await record(id)).state).toBe('needs_review');
  });

  test('a payment without a review cannot be decided', async () => {
    const { body } = await service.call('POST', '/v1/disbursements', {
      body: { accountAlias: '771234567', amount: 500, withdrawMode: 'wallet-a-senegal', reference: 'fine' },
    });
    await service.until(path(body.id), ({ state }) => state === 'succeeded');
    const answer = await resolve(body.id, { outcome: 'failed', note });
    expect(answer.status).toBe(409);
    expect((await record(body.id)).state).toBe('succeeded');
  });
});
