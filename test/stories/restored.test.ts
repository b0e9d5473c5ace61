/**
 * PostgreSQL is restored from a base backup. Since the backup work continued: payments were made and cancelled, SMS
 * were sent, people opted out. The journal in Redis has every request that left, or it is lost too and only the
 * provider knows.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import type { BookedMessage, CampaignView, DisbursementView } from '../support/views.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { Deployment } from '../support/deployment.ts';

const PEOPLE = 1_000;
const PATIENCE = { timeout: 120_000, interval: 200 };
const WALLET = 'wallet-a-senegal';
/** Pending until the operator decides. */
const PENDING = '779999902';

let opened: Deployment | undefined;
afterEach(() => opened?.close());

interface Made {
  readonly id: string;
  readonly state: string;
}
interface BookedPayment {
  readonly token: string;
  readonly accountAlias: string;
  readonly amount: number;
  readonly effects: number;
}

/** Existing operations at the backup, by their later result. */
interface Copied {
  readonly cancelled: readonly string[];
  readonly campaigns: readonly string[];
  readonly batch: { readonly id: string; readonly contentHash: string };
  readonly invoice: string;
  readonly token: string;
  readonly request: string;
  readonly awaiting: readonly string[];
}

const alias = (group: number, nth: number): string => `77${group}${String(nth).padStart(6, '0')}`;

function pay(deployment: Deployment, reference: string, more: object): Promise<Made> {
  const order = { reference, amount: 5_000, withdrawMode: WALLET };
  return deployment.maker.post<Made>('/v1/disbursements', { ...order, ...more });
}

async function everyState(deployment: Deployment, path: string): Promise<readonly DisbursementView[]> {
  return deployment.maker.all<DisbursementView>(path, 500);
}

async function campaignOf(deployment: Deployment, name: string, group: number, more: object = {}): Promise<string> {
  const made = { name, text: `${name} {{nom}}`, country: 'SN', reference: name, canary: false, ...more };
  const { id } = await deployment.maker.post<Made>('/v1/campaigns', made);
  const rows = Array.from({ length: PEOPLE / 2 }, (_, nth) => `${alias(group, nth)};N${nth}`);
  await deployment.maker.post(`/v1/campaigns/${id}/recipients`, `numero;nom\n${rows.join('\n')}\n`, 'text/csv');
  return id;
}

const viewOf = (deployment: Deployment, id: string): Promise<CampaignView> =>
  deployment.maker.get<CampaignView>(`/v1/campaigns/${id}`);

const until = (true_: () => Promise<boolean>): Promise<unknown> => vi.waitUntil(true_, PATIENCE);

/** Some of every kind, open and finished. */
async function everyKind(deployment: Deployment): Promise<Copied> {
  const { maker, control } = deployment;
  for (let nth = 0; nth < 5; nth += 1) await pay(deployment, `closed-${nth}`, { accountAlias: alias(0, nth) });
  await pay(deployment, 'pending', { accountAlias: PENDING });
  const { id: invoice } = await maker.post<Made>('/v1/invoices', {
    totalAmount: 15_000,
    store: { name: 'Shop' },
    reference: 'invoice',
  });
  const { token } = await maker.get<{ token: string }>(`/v1/invoices/${invoice}`);
  const asked = { amount: 5_000, feesPaidBy: 'customer', email: 'payer@shop.example', reference: 'request' };
  const { referenceNumber: request } = await maker.post<{ referenceNumber: string }>('/v1/payment-requests', asked);
  await until(async () => (await booked(deployment)).filter(({ effects }) => effects > 0).length === 5);
  await until(async () =>
    (await everyState(deployment, '/v1/disbursements')).some(({ state }) => state === 'pending'),
  );

  await maker.post('/v1/accounts/main/stop');
  const cancelled: string[] = [];
  for (let nth = 0; nth < 10; nth += 1) {
    cancelled.push((await pay(deployment, `cancelled-${nth}`, { accountAlias: alias(1, nth) })).id);
    await pay(deployment, `queued-${nth}`, { accountAlias: alias(2, nth) });
  }
  const notBefore = new Date(systemClock.now() + 5_000).toISOString();
  await pay(deployment, 'not-before', { accountAlias: alias(3, 0), notBefore });
  const awaiting = [
    (await pay(deployment, 'awaiting-0', { accountAlias: alias(3, 1), amount: 900_000 })).id,
    (await pay(deployment, 'awaiting-1', { accountAlias: alias(3, 2), amount: 900_000 })).id,
  ];
  for (let nth = 0; nth < 5; nth += 1) {
    const credit = { accountAlias: `shop-${nth}`, amount: 10_000, reference: `credit-${nth}` };
    await maker.post('/v1/direct-credits', credit);
  }
  const rows = [0, 1, 2].map((nth) => `row-${nth};${alias(4, nth)};${2_000 + nth};${WALLET}`);
  const file = `reference;accountAlias;amount;withdrawMode\r\n${rows.join('\r\n')}\r\n`;
  const batch = await maker.post<Copied['batch']>('/v1/disbursement-batches', file, 'text/csv');

  const running = await campaignOf(deployment, 'running', 5, { perSecond: 250 });
  const ready = await campaignOf(deployment, 'ready', 6);
  const sendAt = new Date(systemClock.now() + 6_000).toISOString();
  const scheduled = await campaignOf(deployment, 'scheduled', 7, { sendAt });
  await maker.post(`/v1/campaigns/${scheduled}/start`);
  await maker.post(`/v1/campaigns/${running}/start`);
  await until(async () => (await viewOf(deployment, running)).totals.sent >= 100);
  for (const queue of ['sms-batch', 'sms-otp']) await maker.post(`/v1/queues/${queue}/pause`);
  await maker.post('/v1/messages', [
    { to: `+221${alias(8, 0)}`, text: 'One by one', reference: 'message' },
    { to: `+221${alias(8, 1)}`, text: 'Code 4711', reference: 'code', lane: 'otp' },
  ]);
  expect((await control.get<{ directCredits: readonly object[] }>('/books')).directCredits).toEqual([]);
  return { cancelled, campaigns: [running, ready, scheduled], batch, invoice, token, request, awaiting };
}

/** Every open operation finishes: the state when the data is lost. */
async function goOn(deployment: Deployment, copied: Copied): Promise<void> {
  const { maker, checker, control } = deployment;
  for (const id of copied.cancelled) await maker.post(`/v1/disbursements/${id}/cancel`);
  const [approved = '', calledOff = ''] = copied.awaiting;
  await checker.post(`/v1/disbursements/${approved}/approve`);
  await maker.post(`/v1/disbursements/${calledOff}/cancel`);
  const { id, contentHash } = copied.batch;
  await checker.post(`/v1/disbursement-batches/${id}/approve`, { contentHash });
  await maker.post('/v1/accounts/main/release');
  for (const queue of ['sms-batch', 'sms-otp']) await maker.post(`/v1/queues/${queue}/resume`);
  await maker.post(`/v1/campaigns/${copied.campaigns[1]}/start`);
  await maker.post('/v1/opt-outs', { phones: [`+221${alias(8, 2)}`] });
  const pending = (await booked(deployment)).find(({ accountAlias }) => accountAlias === PENDING);
  await control.post(`/disbursements/${pending?.token}`, { status: 'success' });
  await control.post(`/invoices/${copied.token}`, { status: 'completed' });
  await control.post(`/payment-requests/${copied.request}`, { status: 'completed' });
  const over = new Set(['succeeded', 'cancelled']);
  await until(async () => (await everyState(deployment, '/v1/disbursements')).every(({ state }) => over.has(state)));
  for (const campaign of copied.campaigns) {
    await until(async () => (await viewOf(deployment, campaign)).state === 'finished');
  }
  await until(async () => (await maker.get<Made>(`/v1/invoices/${copied.invoice}`)).state === 'completed');
  await until(async () => (await credited(deployment)).length === 5);
}

async function booked({ control }: Deployment): Promise<readonly BookedPayment[]> {
  return control.get<readonly BookedPayment[]>('/books/disbursements');
}

async function credited({ control }: Deployment): Promise<readonly { readonly accountAlias: string }[]> {
  return control.get('/books/directCredits');
}

/** Operations executed more often than requested, and payments made after their cancellation. */
async function damage(deployment: Deployment): Promise<Readonly<Record<string, unknown>>> {
  const texts = await deployment.control.get<readonly BookedMessage[]>('/books/messages');
  const credits = (await credited(deployment)).map(({ accountAlias }) => accountAlias);
  const paid = new Map<string, number>();
  for (const { accountAlias, effects } of await booked(deployment)) {
    paid.set(accountAlias, (paid.get(accountAlias) ?? 0) + effects);
  }
  const calledOff = [...Array.from({ length: 10 }, (_, nth) => alias(1, nth)), alias(3, 2)];
  return {
    textsTwice: texts.filter(({ times }) => times > 1).length,
    creditedTwice: credits.length - new Set(credits).size,
    paidTwice: [...paid.values()].filter((times) => times > 1).length,
    calledOffAndPaid: calledOff.filter((one) => (paid.get(one) ?? 0) > 0).length,
  };
}
const NO_DAMAGE = { textsTwice: 0, creditedTwice: 0, paidTwice: 0, calledOffAndPaid: 0 };

/** A user who knows nothing of a loss: resumes everything that the restored ledger has stopped. */
async function letGo(deployment: Deployment, copied: Copied): Promise<void> {
  const { maker } = deployment;
  await maker.post('/v1/accounts/main/release');
  for (const queue of ['sms-batch', 'sms-otp']) await maker.post(`/v1/queues/${queue}/resume`);
  for (const id of copied.campaigns) await maker.ask(`/v1/campaigns/${id}/resume`, { method: 'POST' });
}

/** The journal has each payment that left and each cancelled one, so no operator has to decide. */
async function expectSettled(deployment: Deployment): Promise<void> {
  for (const { reference, state } of await everyState(deployment, '/v1/disbursements')) {
    const isCancelled = reference?.startsWith('cancelled') === true || reference === 'awaiting-1';
    expect(state, reference ?? '').toBe(isCancelled ? 'cancelled' : 'succeeded');
  }
}

/** Nothing is due except operations that need review. */
async function isQuiet(deployment: Deployment, copied: Copied): Promise<boolean> {
  const states = (await everyState(deployment, '/v1/disbursements')).map(({ state }) => state);
  const open = ['queued', 'held', 'created', 'submitting', 'unknown', 'pending'];
  if (states.some((state) => open.includes(state))) return false;
  for (const id of copied.campaigns) {
    const { state, totals } = await viewOf(deployment, id);
    if (state === 'running' || totals.sending > 0) return false;
  }
  return true;
}

interface Sum {
  readonly count: number;
  readonly xof: number;
}
type Row = { readonly kind: string } & Readonly<
  Record<'open' | 'settled' | 'needsReview' | 'underWay' | 'held', Sum>
>;
interface Told {
  readonly state: string;
  readonly lastBeat: string;
  readonly last: { readonly items: readonly Row[]; readonly next: readonly string[] };
}

/** Invoices and payment requests are checked as before, also while nothing may leave. */
const LED_ON = ['batch', 'campaign', 'direct_credit', 'disbursement', 'message', 'recipient'];

async function told(deployment: Deployment, ...flags: readonly string[]): Promise<Told> {
  const { code, stdout, log } = await deployment.command('recover', ...flags);
  expect(code, log).toBe(0);
  return JSON.parse(stdout) as Told;
}

/** Rows whose parts do not add up to the whole. */
function sumsThatAreWrong(rows: readonly Row[]): readonly Row[] {
  const of = ({ settled, needsReview, underWay, held }: Row, what: keyof Sum): number =>
    [settled, needsReview, underWay, held].reduce((sum, part) => sum + part[what], 0);
  return rows.filter((row) => row.open.count !== of(row, 'count') || row.open.xof !== of(row, 'xof'));
}

test('a deployment that is restored from a backup sends, credits and pays nothing again, and the journal settles it', async () => {
  opened = await Deployment.open({ APPROVAL_ABOVE: '500000', DIRECT_CREDIT: 'on' });
  const deployment = opened;
  await deployment.start();
  // A provider that pays every submit: only our own guards prevent a second payment after a restore.
  await deployment.control.post('/settings', { disburseIdUnique: false });
  const copied = await everyKind(deployment);
  const copy = await deployment.copy();
  await goOn(deployment, copied);
  expect(await damage(deployment)).toEqual(NO_DAMAGE);
  await deployment.stop();
  await deployment.restore(copy);
  await deployment.start();

  // Users need not know of the loss: relais reports it, and what to do.
  const refused = await deployment.maker.ask('/v1/disbursements', {
    method: 'POST',
    body: { reference: 'new', accountAlias: alias(9, 0), amount: 5_000, withdrawMode: WALLET },
  });
  expect([refused.status, refused.body['type']]).toEqual([
    503,
    expect.stringMatching(/^http:.*\/problems\/recovering$/),
  ]);
  expect((await deployment.metrics.ask('/readyz')).status).toBe(503);
  const shown = await told(deployment, '--json');
  expect(shown).toMatchObject({ state: 'recovering' });
  const { last } = await told(deployment, '--apply', '--json');
  const next = last.next.join('\n');
  expect(next).toContain(`Keys revoked since ${shown.lastBeat} are valid again`);
  expect(next).toContain(`Opt-outs since ${shown.lastBeat} are lost`);
  expect(sumsThatAreWrong(last.items)).toEqual([]);
  expect(last.items.map(({ kind }) => kind)).toEqual(expect.arrayContaining(LED_ON));

  await letGo(deployment, copied);
  await until(() => isQuiet(deployment, copied));
  expect(await damage(deployment)).toEqual(NO_DAMAGE);
  await expectSettled(deployment);
  expect((await deployment.maker.get<Made>(`/v1/invoices/${copied.invoice}`)).state).toBe('completed');
});

test('a backup that is restored while all are stopped is known by the witness in a file, however young it is', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'relais-witness-'));
  try {
    opened = await Deployment.open({ WITNESS_FILE: join(dir, 'witness'), DIRECT_CREDIT: 'on' });
    const deployment = opened;
    await deployment.start();
    await deployment.maker.post('/v1/accounts/main/stop');
    await pay(deployment, 'open', { accountAlias: alias(0, 0) });
    const copy = await deployment.copy();
    await deployment.maker.post('/v1/accounts/main/release');
    await until(async () => (await booked(deployment)).some(({ effects }) => effects > 0));
    await deployment.stop();
    await deployment.bell.strike('flush', 0);
    await deployment.restore(copy);
    await deployment.start();

    expect(await told(deployment, '--json')).toMatchObject({ because: 'witness', proven: true });
    const confirmed = await deployment.command('recover', '--nothing-was-lost');
    expect(confirmed.code).toBe(1);
    expect(confirmed.log).toContain('Data was lost (witness)');
    await told(deployment, '--apply', '--json');
    await deployment.maker.post('/v1/accounts/main/release');
    await until(async () => (await everyState(deployment, '/v1/disbursements'))[0]?.state === 'needs_review');
    expect(await damage(deployment)).toEqual(NO_DAMAGE);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
