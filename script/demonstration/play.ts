/** The demonstration itself, from the file of recipients to the comparison with the books. */
import { Queue } from 'bullmq';
import { compareAll } from './comparison.ts';
import { loseWorker } from './loss.ts';
import { type Order, makeOrders } from './orders.ts';
import { COUNTRY, TEXT, describeReport, readFile } from './recipients.ts';
import type { Stage } from './stage.ts';
import type { Story } from './story.ts';
import type { Verdicts } from './verdict-text.ts';
import type { BookedDisbursement, BooksSummary, CampaignView, UploadReport } from './views.ts';
import { Watcher } from './watcher.ts';

const DISBURSEMENTS = 50;
const OVER_BULLMQ = 6;
const END_LIMIT_MS = 60_000;
const LOOK_EVERY_MS = 150;
/** The worker dies when about this much is done, in the middle of everything. */
const TEXTS_BEFORE_THE_LOSS = 300;
const DISBURSEMENTS_BEFORE_THE_LOSS = 5;

/** What the service does wrong. The counts make sure that it happens. */
const FAULTS = [
  { fault: 'hangs before doing the work', operation: 'disbursement.submit', count: 3 },
  { fault: 'hangs after doing the work', operation: 'disbursement.submit', count: 5 },
  { fault: 'resets the connection after doing the work', operation: 'disbursement.submit', count: 2 },
  { fault: 'calls back twice', operation: 'disbursement.callback', count: 10 },
  // Row 700 of the file: at the first texts the campaign would wait for the time-out, and there would be nothing to see.
  { fault: 'hangs after doing the work', operation: 'sms.send', count: 1, match: '22870000699' },
  // Slow answers, so that there is something under way whenever a worker dies.
  { fault: 'answers late', operation: 'disbursement.submit', delayMs: 700 },
  { fault: 'answers late', operation: 'sms.send', delayMs: 1_200 },
] as const;

/** A program that asks twice pays twice: no check of the service stands between a mistake of ours and the books. */
const GULLIBLE = { tokenSingleUse: false, disburseIdUnique: false };

export async function play(stage: Stage, story: Story): Promise<Verdicts> {
  await stage.control.post('/settings', GULLIBLE);
  for (const fault of FAULTS) await stage.control.post('/faults', fault);
  story.say(
    'The service misbehaves: 3 submits time out before they pay and 5 after, 2 are cut off after; callbacks ' +
      'come twice; 50 texts are sent and never answered. To submit twice is to pay twice.',
  );
  const csv = readFile();
  const campaign = await uploadCampaign(csv, stage, story);
  await stage.api.post(`/v1/campaigns/${campaign}/start`);
  const orders = makeOrders(DISBURSEMENTS, Date.now().toString(36));
  await askForAll(orders, stage);
  const doors = `${DISBURSEMENTS - OVER_BULLMQ} over HTTP, ${OVER_BULLMQ} as BullMQ jobs`;
  story.say(`Started the campaign, and asked for ${DISBURSEMENTS} disbursements: ${doors}.`);
  await watch(campaign, orders, stage, story);
  await serviceAtRest(stage);
  story.say(`All over. ${describeSummary(await stage.control.get<BooksSummary>('/books/summary'))}`);
  await tellMissedFaults(stage, story);
  return compareAll({ csv, campaign, orders }, stage);
}

async function uploadCampaign(csv: string, { api }: Stage, story: Story): Promise<string> {
  const reference = `demo-${Date.now().toString(36)}`;
  // A text in doubt that the statistics of the service do not have is sent again, so that nobody goes without.
  const asked = { name: 'Demonstration', text: TEXT, country: COUNTRY, reference, onUnknown: 'resend' };
  const { id } = await api.post<CampaignView>('/v1/campaigns', asked);
  const report = await api.post<UploadReport>(`/v1/campaigns/${id}/recipients`, csv, 'text/csv');
  story.say(`Read examples/recipients.csv: ${describeReport(report)}`);
  return id;
}

/** Most through the front door, some as any BullMQ client would. */
async function askForAll(orders: readonly Order[], { api, redisUrl }: Stage): Promise<void> {
  const intake = new Queue('intake', { prefix: '{relais}', connection: { url: redisUrl } });
  try {
    const jobs = orders
      .slice(-OVER_BULLMQ)
      .map((order) => ({ name: 'ask', data: { kind: 'disbursement', ...order } }));
    await intake.addBulk(jobs);
  } finally {
    await intake.close();
  }
  for (const order of orders.slice(0, -OVER_BULLMQ)) await api.post('/v1/disbursements', order);
}

/** Watches until everything has ended, and takes a worker away in between. */
async function watch(campaign: string, orders: readonly Order[], stage: Stage, story: Story): Promise<void> {
  const limitMono = performance.now() + END_LIMIT_MS;
  const watcher = new Watcher(stage.api, campaign);
  for (let lost = false; performance.now() < limitMono; await pause()) {
    const { view, perSecond, ended } = await watcher.look();
    const ends = `${ended} of ${orders.length} disbursements have ended`;
    if (view.state === 'finished') story.waiting(ends);
    else story.progress({ ...view, reason: view.reason ?? undefined, perSecond });
    if (!lost && view.totals.sent >= TEXTS_BEFORE_THE_LOSS && ended >= DISBURSEMENTS_BEFORE_THE_LOSS) {
      lost = true;
      await replaceWorker(campaign, { texts: view.totals.sent, disbursements: ended }, stage, story);
    }
    if (view.state === 'finished' && ended === orders.length) return;
  }
  story.say(`Not everything has ended after ${END_LIMIT_MS / 1_000} s.`);
}

async function replaceWorker(
  campaign: string,
  done: { readonly texts: number; readonly disbursements: number },
  stage: Stage,
  story: Story,
): Promise<void> {
  const [victim] = stage.workers;
  if (victim === undefined) throw new Error('there is no worker to lose');
  const { texts, disbursements } = await loseWorker(victim, stage, campaign);
  story.shout(
    `Killed ${victim.name} (pid ${victim.pid}) with SIGKILL, after ${done.texts} texts and ${done.disbursements} ` +
      `disbursements: ${texts} texts and ${disbursements} disbursements are with the service, or about to be, and nobody ` +
      'has written down an answer.',
  );
  const { name, pid } = await stage.startWorker();
  story.say(`Started ${name} (pid ${pid}) instead: it takes up what the dead one held.`);
}

/** What the service has taken in may take effect after we have our last word; a comparison must not come too early. */
async function serviceAtRest({ control }: Stage): Promise<void> {
  const limitMono = performance.now() + END_LIMIT_MS / 6;
  for (;;) {
    const booked = await control.get<readonly BookedDisbursement[]>('/books/disbursements');
    if (booked.every(({ status }) => status !== 'pending') || performance.now() > limitMono) return;
    await pause();
  }
}

/** A fault with a count removes itself when it has struck so often, so what still stands has not happened in full. */
async function tellMissedFaults({ control }: Stage, story: Story): Promise<void> {
  const { faults } = await control.get<{ faults: readonly { fault: string; count?: number; strikes: number }[] }>(
    '/faults',
  );
  for (const { fault, count, strikes } of faults) {
    if (count !== undefined) story.say(`“${fault}” was ordered ${count} times and came ${strikes} times.`);
  }
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));

function describeSummary({ requests, callbacks, breaches }: BooksSummary): string {
  const count = (operation: string): number => requests[operation] ?? 0;
  const [submits, looks] = [count('disbursement.submit'), count('disbursement.status')];
  const [sends, textLooks] = [count('sms.send'), count('sms.stats')];
  return (
    `The service saw ${submits} submits and ${looks} questions about them, ${sends} requests with texts and ` +
    `${textLooks} questions about them; it posted ${callbacks} callbacks, and found ${breaches} breaches of its rules.`
  );
}
