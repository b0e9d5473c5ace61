/** A one-time password that is asked for while a campaign runs: who goes before it, and how long it takes. */
import { setTimeout as delay } from 'node:timers/promises';
import { keys } from '../../../src/operations/keys.ts';
import { RECIPIENTS_PER_REQUEST } from '../../../src/operations/slice-form.ts';
import { prepareCampaign } from '../contenders/relais-campaign.ts';
import { type Relais, startRelais } from '../contenders/relais.ts';
import type { RowMaker } from '../rows.ts';
import type { Stage } from '../stage.ts';
import { CONCURRENCY, numberOf } from '../work.ts';

const LATENCY_MS = 200;
const PASSWORDS = 40;
const EVERY_MS = 100;
const RECIPIENTS = 100_000;
const PASSWORDS_FROM = 4_000_000;
const WAIT_MS = 20_000;

interface Accepted {
  readonly to: string;
  /** By the clock of Redis, which is that of this machine. */
  readonly acceptedAt: number;
}

/** `arrivedAt`: when the service had it in hand. */
interface Sent extends Accepted {
  readonly arrivedAt: number;
}

export const otpRows: RowMaker = async (stage) => {
  await stage.freshBooks();
  const relais = await startRelais(stage);
  try {
    const prepared = await prepareCampaign(relais, 'in the way', { first: 0, recipients: RECIPIENTS });
    await stage.latency(LATENCY_MS);
    const first = await sendPasswords(relais, { from: 0, count: PASSWORDS / 2 });
    const alone = arrivedOf(first, await stage.messages());
    await relais.ask('POST', `/v1/campaigns/${prepared.id}/start`);
    await delay(1_000);
    const passwords = await sendPasswords(relais, { from: PASSWORDS, count: PASSWORDS });
    await relais.ask('POST', `/v1/campaigns/${prepared.id}/cancel`);
    const booked = await stage.messages();
    const behind = arrivedOf(passwords, booked);
    const single = new Set([...alone, ...behind].map(({ to }) => to));
    const ofCampaign = booked.filter(({ to }) => !single.has(to)).map(({ firstAt }) => firstAt);
    const before = behind.map(
      ({ acceptedAt, arrivedAt }) =>
        ofCampaign.filter((at) => at >= acceptedAt && at < arrivedAt).length / RECIPIENTS_PER_REQUEST,
    );
    const waits = (of: readonly Sent[]): number => p95(of.map(({ acceptedAt, arrivedAt }) => arrivedAt - acceptedAt));
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

async function sendPasswords(relais: Relais, { from, count }: { from: number; count: number }): Promise<Accepted[]> {
  const sending: Promise<Accepted>[] = [];
  for (let index = from; index < from + count; index += 1) {
    sending.push(sendPassword(relais, index));
    await delay(EVERY_MS);
  }
  return Promise.all(sending);
}

async function sendPassword(relais: Relais, index: number): Promise<Accepted> {
  const to = numberOf(PASSWORDS_FROM + index);
  const body = { to, text: `Votre code est ${1_000 + (index % 9_000)}`, lane: 'otp', reference: `otp-${index}` };
  const { items } = await relais.ask<{ items: { id: string }[] }>('POST', '/v1/messages', body);
  const key = keys.record(items[0]?.id ?? '');
  const giveUp = AbortSignal.timeout(WAIT_MS);
  for (;;) {
    const [createdAt, state] = await relais.look.hmget(key, 'createdAt', 'state');
    if (createdAt && state === 'sent') return { to, acceptedAt: Number(createdAt) };
    if (giveUp.aborted) throw new Error(`a one-time password was not sent within ${WAIT_MS} ms`);
    await delay(50);
  }
}

function arrivedOf(passwords: readonly Accepted[], booked: Awaited<ReturnType<Stage['messages']>>): Sent[] {
  const firstAt = new Map(booked.map((message) => [message.to, message.firstAt]));
  return passwords.map((password) => {
    const arrivedAt = firstAt.get(password.to);
    if (arrivedAt === undefined) throw new Error('a one-time password is not in the books of the service');
    return { ...password, arrivedAt };
  });
}

function p95(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.95))] ?? 0;
}
