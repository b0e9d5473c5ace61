/**
 * Very many payments that need review, decided by one command at a shell. 300; RELAIS_DEEP=1 makes it 10,000.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { AS_SHIPPED } from '../../script/shipped.ts';
import { DEEP } from '../support/deep.ts';
import { Deployment } from '../support/deployment.ts';

const MANY = DEEP ? 10_000 : 300;
const AT_ONCE = 500;
const LIMIT_MS = 1_800_000;
const MAKER = 'maker-secret-of-24-characters';
const CHECKER = 'checker-secret-of-24-characters';

let deployment: Deployment;
beforeAll(async () => {
  deployment = await Deployment.open({
    UPSTREAM_RATE: '0',
    WORKER_CONCURRENCY: '25',
    LOG_LEVEL: 'warn',
    ...AS_SHIPPED,
  });
  await deployment.start();
});
afterAll(() => deployment?.close());

async function payMany(): Promise<void> {
  for (let from = 0; from < MANY; from += AT_ONCE) {
    const lines = Array.from({ length: Math.min(AT_ONCE, MANY - from) }, (_, at) => {
      const nth = from + at;
      const asked = { accountAlias: `77${1_000_000 + nth}`, amount: 1_000 + nth, withdrawMode: 'wallet-a-senegal' };
      return JSON.stringify({ ...asked, reference: `reviewed-${nth}` });
    });
    const answer = await fetch(`${deployment.maker.base}/v1/disbursements`, {
      method: 'POST',
      headers: { authorization: `Bearer ${MAKER}`, 'content-type': 'application/x-ndjson' },
      body: lines.join('\n'),
    });
    expect((await answer.text()).match(/"outcome":"accepted"/g)).toHaveLength(lines.length);
  }
}

const standing = async (state: string): Promise<number> => {
  const { operations } = await deployment.checker.get<{ operations: Record<string, Record<string, number>> }>(
    '/v1/status',
  );
  return operations['disbursement']?.[state] ?? 0;
};
const untilAll = (state: string): Promise<void> =>
  vi.waitFor(async () => expect(await standing(state)).toBe(MANY), { timeout: LIMIT_MS, interval: 500 });

test(
  `${MANY} payments that need review are decided by one command`,
  async () => {
    await deployment.control.post('/faults', { fault: 'reports another amount', operation: 'disbursement.status' });
    await payMany();
    await untilAll('needs_review');

    const checker = deployment.shellOf(CHECKER);
    const word = ['--where', 'account=main', '--outcome', 'succeeded', '--note', 'seen in their dashboard', '--json'];
    const { count, selection } = JSON.parse(await checker('review', 'resolve', ...word));
    expect(count).toBe(MANY);
    const lines = (await checker('review', 'resolve', ...word, '--confirm', `${count}:${selection}`))
      .trim()
      .split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ outcome: 'done', resolved: MANY, refused: 0 });
    expect(await standing('succeeded')).toBe(MANY);
  },
  LIMIT_MS,
);
