/** A one-time password that is asked for while a campaign runs: who goes before it, and how long it takes. */
import { setTimeout as delay } from 'node:timers/promises';
import { keys } from '../../../src/operations/keys.ts';
import { requestsIn } from '../../../src/operations/slice-form.ts';
import { prepareCampaign } from '../contenders/relais-campaign.ts';
import { type Relais, startRelais } from '../contenders/relais.ts';
import type { RowMaker } from '../rows.ts';
import { CONCURRENCY, numberOf } from '../work.ts';
import { keysLike } from '../../support/fresh-redis.ts';

const LATENCY_MS = 200;
const PASSWORDS = 40;
const EVERY_MS = 100;
const RECIPIENTS = 100_000;
const PASSWORDS_FROM = 4_000_000;
const WAIT_MS = 20_000;

interface Sent {
  readonly acceptedAt: number;
  readonly sentAt: number;
}

export const otpRows: RowMaker = async (stage) => {
  await stage.freshBooks();
  const relais = await startRelais(stage);
  try {
    const prepared = await prepareCampaign(relais, 'in the way', { first: 0, recipients: RECIPIENTS });
    await stage.latency(LATENCY_MS);
    const alone = await sendPasswords(relais, 'alone', PASSWORDS / 2);
    await relais.ask('POST', `/v1/campaigns/${prepared.id}/start`);
    await delay(1_000);
    const behind = await sendPasswords(relais, 'behind', PASSWORDS);
    const requests = await sentTimesOf(relais, prepared.id);
    await relais.ask('POST', `/v1/campaigns/${prepared.id}/cancel`);
    const before = behind.map(
      ({ acceptedAt, sentAt }) => requests.filter((at) => at >= acceptedAt && at < sentAt).length,
    );
    const waits = (of: readonly Sent[]): number => p95(of.map(({ acceptedAt, sentAt }) => sentAt - acceptedAt));
    return [
      {
        title: `a one-time password behind a running campaign, ${LATENCY_MS} ms of latency`,
        figures: [
          { label: 'requests sent before it, p95', values: [p95(before)], unit: 'requests' },
          { label: 'from acceptance to its request, p95', values: [waits(behind)], unit: 'ms' },
          { label: 'the same with nothing else to do', values: [waits(alone)], unit: 'ms' },
        ],
        aims: [{ text: 'requests before it, for each slot', value: p95(before) / CONCURRENCY, most: 0.5 }],
      },
    ];
  } finally {
    await relais.stop();
  }
};

async function sendPasswords(relais: Relais, name: string, count: number): Promise<Sent[]> {
  const sending: Promise<Sent>[] = [];
  for (let index = 0; index < count; index += 1) {
    sending.push(sendPassword(relais, `${name}-${index}`, PASSWORDS_FROM + index));
    await delay(EVERY_MS);
  }
  return Promise.all(sending);
}

async function sendPassword(relais: Relais, reference: string, index: number): Promise<Sent> {
  const body = { to: numberOf(index), text: `Votre code est ${1_000 + (index % 9_000)}`, lane: 'otp', reference };
  const { items } = await relais.ask<{ items: { id: string }[] }>('POST', '/v1/messages', body);
  const key = keys.record(items[0]?.id ?? '');
  const giveUp = AbortSignal.timeout(WAIT_MS);
  for (;;) {
    const [createdAt, sentAt] = await relais.look.hmget(key, 'createdAt', 'sentAt');
    if (createdAt && sentAt) return { acceptedAt: Number(createdAt), sentAt: Number(sentAt) };
    if (giveUp.aborted) throw new Error(`a one-time password was not sent within ${WAIT_MS} ms`);
    await delay(50);
  }
}

/** When each request of a campaign was about to be sent, by the clock of Redis. */
async function sentTimesOf({ look }: Relais, campaign: string): Promise<number[]> {
  const names = await keysLike(look, `${keys.record(campaign)}.*`);
  const pipeline = look.pipeline();
  for (const name of names) pipeline.hgetall(name);
  const answers = (await pipeline.exec()) ?? [];
  return answers.flatMap(([, fields]) => requestsIn(fields as Readonly<Record<string, string>>).map(({ at }) => at));
}

function p95(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.95))] ?? 0;
}
