/**
 * The demo: SMS and payments through a faulty provider, a worker that is killed, and a comparison of both records at
 * the end.
 */
import { readFileSync } from 'node:fs';
import { Queue } from 'bullmq';
import { makeOrders } from '../support/orders.ts';
import type { Stage } from '../support/stage.ts';
import type {
  BookedDisbursement,
  BooksSummary,
  CampaignView,
  DisbursementView,
  UploadReport,
} from '../support/views.ts';

const PAYMENTS = 50;
const OVER_BULLMQ = 6;
const END_LIMIT_MS = 240_000;
const LOOK_EVERY_MS = 150;
const TELL_EVERY_MS = 2_000;
/** The worker is killed after about this much, in the middle of everything. */
const SENT_BEFORE_THE_LOSS = 300;
const PAID_BEFORE_THE_LOSS = 5;
const FINAL = new Set(['succeeded', 'failed', 'rejected', 'cancelled', 'needs_review']);

/** The provider's faults. The counts ensure that they occur. */
const FAULTS = [
  { fault: 'hangs before doing the work', operation: 'disbursement.submit', count: 3 },
  { fault: 'hangs after doing the work', operation: 'disbursement.submit', count: 5 },
  { fault: 'resets the connection after doing the work', operation: 'disbursement.submit', count: 2 },
  { fault: 'calls back twice', operation: 'disbursement.callback', count: 10 },
  // Row 700 of the file: at the first SMS the campaign would wait for the time-out, with nothing to show.
  { fault: 'hangs after doing the work', operation: 'sms.send', count: 1, match: '22870000699' },
  // Slow answers, so that requests are in flight whenever a worker dies.
  { fault: 'answers late', operation: 'disbursement.submit', delayMs: 700 },
  { fault: 'answers late', operation: 'sms.send', delayMs: 1_200 },
] as const;

/** A program that submits twice pays twice: no check of the provider hides our errors. */
const GULLIBLE = { tokenSingleUse: false, disburseIdUnique: false };

type Say = (text: string) => void;

interface Standing {
  readonly campaign: CampaignView;
  readonly payments: readonly DisbursementView[];
  readonly ended: number;
}

export interface Outcome {
  readonly table: string;
  /** Differences between the provider's records and the reports of relais. Empty: none. */
  readonly wrong: readonly string[];
}

export async function play(stage: Stage, say: Say): Promise<Outcome> {
  const { api, control } = stage;
  await control.post('/settings', GULLIBLE);
  for (const fault of FAULTS) await control.post('/faults', fault);
  say(
    'The provider misbehaves: 3 payments hang before they are made and 5 after, 2 connections are\n' +
      'reset after, callbacks come twice, and 50 SMS are sent without an answer. To submit twice is\nto pay twice.',
  );
  const campaign = await uploadCampaign(stage, say);
  await api.post(`/v1/campaigns/${campaign}/start`);
  await askForPayments(stage);
  say(`Started the campaign, and asked for ${PAYMENTS} payments: ${OVER_BULLMQ} as BullMQ jobs, the rest over HTTP.`);
  const end = await watch(campaign, stage, say);
  await providerAtRest(stage);
  const books = await control.get<BooksSummary>('/books/summary');
  say(`All over. The provider got ${requestsIn(books)}.`);
  return compared(end, books);
}

async function uploadCampaign({ api }: Stage, say: Say): Promise<string> {
  const csv = readFileSync(new URL('../../examples/recipients.csv', import.meta.url), 'utf8');
  const text = 'Bonjour {{prenom}}, votre solde est de {{montant}} F.';
  // An unclear SMS that is missing in the provider's statistics is sent again, so that every recipient gets one.
  const made = { name: 'Demo', text, country: 'SN', reference: 'demo', onUnknown: 'resend' };
  const { id } = await api.post<CampaignView>('/v1/campaigns', made);
  const { recipients, skipped, countries } = await api.post<UploadReport>(
    `/v1/campaigns/${id}/recipients`,
    csv,
    'text/csv',
  );
  const where = `${Object.keys(countries).length} countries`;
  say(`Read examples/recipients.csv: ${recipients} recipients in ${where}, ${skipped} rows skipped.`);
  return id;
}

/** Most over HTTP, some as any BullMQ client would. */
async function askForPayments({ api, redisUrl }: Stage): Promise<void> {
  const orders = makeOrders(PAYMENTS, 'demo');
  const intake = new Queue('intake', { prefix: '{relais}', connection: { url: redisUrl } });
  try {
    const data = orders.slice(-OVER_BULLMQ).map((order) => ({ kind: 'disbursement', ...order }));
    await intake.addBulk(data.map((one) => ({ name: 'ask', data: one })));
  } finally {
    await intake.close();
  }
  for (const order of orders.slice(0, -OVER_BULLMQ)) await api.post('/v1/disbursements', order);
}

/** Watches until everything has ended, and kills a worker in between. */
async function watch(id: string, stage: Stage, say: Say): Promise<Standing> {
  const limitMono = performance.now() + END_LIMIT_MS;
  for (let isLost = false, toldMono = 0; ; await pause()) {
    const standing = await look(id, stage);
    const { campaign, ended } = standing;
    if (performance.now() - toldMono > TELL_EVERY_MS) {
      toldMono = performance.now();
      say(`${campaign.totals.sent} SMS sent, ${ended} of ${PAYMENTS} payments ended`);
    }
    if (!isLost && campaign.totals.sent >= SENT_BEFORE_THE_LOSS && ended >= PAID_BEFORE_THE_LOSS) {
      isLost = true;
      await replaceWorker(id, stage, say);
    }
    const isOver = campaign.state === 'finished' && ended === PAYMENTS;
    if (isOver || performance.now() > limitMono) return standing;
  }
}

async function look(id: string, { api }: Stage): Promise<Standing> {
  const campaign = await api.get<CampaignView>(`/v1/campaigns/${id}`);
  const { items } = await api.get<{ items: readonly DisbursementView[] }>('/v1/disbursements?limit=100');
  return { campaign, payments: items, ended: items.filter(({ state }) => FINAL.has(state)).length };
}

async function replaceWorker(id: string, stage: Stage, say: Say): Promise<void> {
  const [victim] = stage.workers;
  if (victim === undefined) throw new Error('there is no worker to kill');
  victim.signal('SIGKILL');
  await victim.ended;
  const { campaign, payments } = await look(id, stage);
  const submitting = payments.filter(({ state }) => state === 'submitting').length;
  say(
    `Killed ${victim.name} (pid ${victim.pid}) with SIGKILL: ${campaign.totals.sending} SMS and ${submitting} payments ` +
      'are under way,\nand no answer to them is recorded.',
  );
  const { name, pid } = await stage.startWorker();
  say(`Started ${name} (pid ${pid}) instead: it takes over what the dead one held.`);
}

/** An accepted payment may be executed after our final status; the comparison must wait. */
async function providerAtRest({ control }: Stage): Promise<void> {
  const limitMono = performance.now() + END_LIMIT_MS / 20;
  for (;;) {
    const booked = await control.get<readonly BookedDisbursement[]>('/books/disbursements');
    if (booked.every(({ status }) => status !== 'pending') || performance.now() > limitMono) return;
    await pause();
  }
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));

function requestsIn({ requests }: BooksSummary): string {
  const count = (operation: string): number => requests[operation] ?? 0;
  return (
    `${count('disbursement.submit')} submits and ${count('disbursement.status')} status checks,\n` +
    `${count('sms.send')} SMS requests and ${count('sms.stats')} checks of them`
  );
}

/** A program's own report proves nothing: the provider's records show what took effect. */
function compared({ campaign: { totals }, payments }: Standing, books: BooksSummary): Outcome {
  const states = countOf(payments.map(({ state }) => state));
  const doubtful = (states['needs_review'] ?? 0) + totals.unknown;
  const open = PAYMENTS - payments.filter(({ state }) => FINAL.has(state)).length + totals.queued + totals.sending;
  const { succeeded = 0 } = states;
  const reported = Object.entries(states).map(([state, count]) => `${count} ${state}`);
  const rows = [
    ['', 'relais reports', 'the books of the provider'],
    [
      'SMS',
      `${totals.sent} sent, ${totals.failed} failed, ${totals.unknown} unknown`,
      `${books.messagesSent} sent, ${books.messagesRepeated} of them twice`,
    ],
    ['payments', reported.join(', '), `${books.effects} made, ${books.doubleEffects} of them twice`],
  ];
  return {
    table: rows.map(([what = '', ...cells]) => `  ${what.padEnd(10)}${cells[0]?.padEnd(40)}${cells[1]}`).join('\n'),
    wrong: [
      ...(books.doubleEffects + books.messagesRepeated > 0 ? ['WRONG: something took effect twice.'] : []),
      ...(open > 0 ? [`NOT OVER: ${open} have not ended.`] : []),
      ...(isBetween(books.effects, succeeded, doubtful) && isBetween(books.messagesSent, totals.sent, doubtful)
        ? []
        : ['WRONG: the reports of relais are not what took effect.']),
    ],
  };
}

const isBetween = (booked: number, reported: number, doubtful: number): boolean =>
  booked >= reported && booked <= reported + doubtful;

function countOf(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
