/**
 * Ten thousand requests a minute at the page that stops texts, most of them guesses, while a campaign is sent, payments
 * are made and callbacks come in by the same listener: nobody is refused or lost for it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { BookedDisbursement, BookedMessage, CampaignView } from '../../script/demonstration/views.ts';
import { Secret } from '../../src/lib/secret.ts';
import { callbackPath } from '../../src/webhooks/receiver.ts';
import { openWorld, type World } from '../support/world.ts';

const CALLBACK_SECRET = 'only-for-the-story-of-a-flood';
const PEOPLE = 1_000;
const PAYMENTS = 60;
const FLOOD = 10_000;
const AT_ONCE = 20;
const PROBES = 200;
const LIMIT_MS = 600_000;

let world: World;
beforeAll(async () => {
  world = await openWorld({ settings: { CALLBACK_SECRET } });
});
afterAll(() => world?.close());

const webhooks = (): string => world.front.urls['webhooks'] ?? '';
const post = async (path: string): Promise<number> => {
  const answer = await fetch(`${webhooks()}${path}`, { method: 'POST', body: 'data[status]=success' });
  await answer.arrayBuffer();
  return answer.status;
};

async function startCampaign(): Promise<string> {
  const body = {
    name: 'flood',
    text: 'Promo {{prenom}} STOP {{stop}}',
    country: 'SN',
    quietHours: false,
    reference: 'flood',
  };
  const { id } = await world.api.post<CampaignView>('/v1/campaigns', body);
  const rows = Array.from({ length: PEOPLE }, (_, at) => `+22177${1_000_000 + at};A${at}`);
  const upload = await fetch(`${world.front.urls['api']}/v1/campaigns/${id}/recipients`, {
    method: 'POST',
    headers: { authorization: 'Bearer demo', 'content-type': 'text/csv' },
    body: `to;prenom\n${rows.join('\n')}`,
  });
  expect(upload.status).toBe(200);
  await world.api.post(`/v1/campaigns/${id}/start`, {});
  return id;
}

async function pay(): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < PAYMENTS; at += 1) {
    const asked = { accountAlias: `77${2_000_000 + at}`, amount: 1_000 + at, withdrawMode: 'wallet-a-senegal' };
    ids.push((await world.api.post<{ id: string }>('/v1/disbursements', { ...asked, reference: `flood-${at}` })).id);
  }
  return ids;
}

/** Callbacks as the provider sends them, one after the other: the status of each answer. */
async function probe(ids: readonly string[], goesOn: (made: number) => boolean): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let at = 0; goesOn(at); at += 1) {
    const id = ids[at % ids.length] ?? '';
    const path = callbackPath([new Secret(CALLBACK_SECRET)], { account: 'main', kind: 'disbursement', id });
    statuses.push(await post(path));
    await sleep(5);
  }
  return statuses;
}

/** What it answered, by status. */
async function flood(): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  let next = 0;
  const one = async (): Promise<void> => {
    while (next < FLOOD) {
      const status = await post(`/s/${String(next++).padStart(18, 'Q')}`);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return statuses;
}

const linkIn = (text = ''): string => new URL(/https?:\S+/.exec(text)?.[0] ?? '').pathname;
const messages = () => world.control.get<readonly BookedMessage[]>('/books/messages');

test(
  'a flood of guesses at the page of opting out takes nothing from callbacks, texts and payments',
  async () => {
    const ids = await pay();
    const calm = await probe(ids, (made) => made < PROBES);
    const campaign = await startCampaign();
    let flooding = true;
    const flooded = flood().finally(() => (flooding = false));
    const during = await probe(ids, () => flooding);
    const statuses = await flooded;

    const settled = async (): Promise<void> => {
      expect((await world.api.get<CampaignView>(`/v1/campaigns/${campaign}`)).state).toBe('finished');
      const { operations } = await world.api.get<{ operations: { disbursement?: Record<string, number> } }>(
        '/v1/status',
      );
      expect(operations.disbursement).toMatchObject({ succeeded: PAYMENTS });
    };
    await vi.waitFor(settled, { timeout: LIMIT_MS, interval: 250 });

    // Every guess was answered, as a right one is or with "not yet"; no callback was refused.
    expect([...statuses.keys()].filter((status) => status !== 404 && status !== 429)).toEqual([]);
    expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBe(FLOOD);
    expect(new Set([...calm, ...during])).toEqual(new Set([200]));
    expect(during.length).toBeGreaterThan(0);
    const booked = await world.control.get<readonly BookedDisbursement[]>('/books/disbursements');
    expect(booked.map(({ effects }) => effects)).toEqual(Array.from({ length: PAYMENTS }, () => 1));
    const texts = await messages();
    expect([texts.length, texts.filter(({ times }) => times !== 1)]).toEqual([PEOPLE, []]);

    // Nobody was opted out by a guess; the right link still works, once the bucket has filled again.
    const { optedOut } = await world.api.get<{ optedOut: boolean }>('/v1/opt-outs?phone=%2B221771000000');
    expect(optedOut).toBe(false);
    const right = linkIn(texts[0]?.text);
    await vi.waitFor(async () => expect(await post(right)).toBe(200), { timeout: 10_000, interval: 250 });
    process.stdout.write(
      `callbacks during the flood: ${during.length}; ` +
        `guesses: ${[...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')}\n`,
    );
  },
  LIMIT_MS + 60_000,
);
