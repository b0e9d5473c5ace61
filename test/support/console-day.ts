/**
 * A day at an organisation that pays people and sends SMS: a bit of everything that the console shows, with realistic
 * names.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { allEntries } from '../../console/shell/entries.ts';
import { Asking } from './asking.ts';
import { type ConsoleWorld, needReview, pay, people } from './console-world.ts';
import { messyList } from './messy-list.ts';

/** The price list is written to the folder. */
export function settingsOf(folder: string): Readonly<Record<string, string>> {
  const prices = join(folder, 'prices.json');
  writeFileSync(prices, '{"SN": 20, "CI": 25}');
  return {
    SMS_PRICES_FILE: prices,
    SMS_BUDGET_DAY: '500000',
    CAMPAIGN_APPROVAL_ABOVE: '1500recipients',
    MAX_DISBURSEMENT: '900000',
    ALLOW_LOOPBACK_ENDPOINTS: 'on',
    DIRECT_CREDIT: 'on',
    WORKER_CONCURRENCY: '10',
  };
}

interface Made {
  readonly id: string;
}

/** Created items, by the name of their pages. */
export interface Day {
  readonly paid: string;
  readonly uncertain: string;
  readonly waits: string;
  readonly batch: string;
  readonly unpaid: string;
  readonly running: string;
  readonly finished: string;
  readonly submitted: string;
  readonly messy: string;
  readonly draft: string;
  readonly endpoint: string;
}

const FIRST_NAMES = [
  'Awa',
  'Moussa',
  'Fatou',
  'Ousmane',
  'Aïssatou',
  'Modou',
  'Ndèye',
  'Cheikh',
  'Khady',
  'Ibrahima',
];
const AGENCIES = ['Dakar Plateau', 'Thiès', 'Kaolack', 'Mbour', 'Saint-Louis', 'Ziguinchor'];
const of = (list: readonly string[], at: number): string => list[at % list.length] ?? '';
const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const two = (at: number): string => String(at).padStart(2, '0');

const SALARIES = 34;

interface Status {
  readonly operations: { readonly disbursement: Readonly<Record<string, number>> };
}

/** Salaries: paid, failed, unknown, and in review. */
async function payments(world: ConsoleWorld): Promise<Pick<Day, 'paid' | 'uncertain' | 'waits'>> {
  const salary = (at: number) => ({
    accountAlias: `77${String(5_120_408 + at * 10_477)}`,
    amount: 35_000 + ((at * 7_919) % 60) * 1_000,
    reference: `salaire-2026-11-${two(at + 1)}`,
  });
  const before = (await world.api.get<Status>('/v1/status')).operations.disbursement['succeeded'] ?? 0;
  const [paid = ''] = await Promise.all(times(SALARIES, (at) => pay(world, salary(at))));
  // Before the provider names other amounts.
  const arePaid = async (): Promise<void> => {
    const { operations } = await world.api.get<Status>('/v1/status');
    expect(operations.disbursement['succeeded']).toBe(SALARIES + before);
  };
  await vi.waitFor(arePaid, { timeout: 60_000, interval: 200 });
  await pay(world, { accountAlias: '779999901', amount: 12_500, reference: 'remboursement-1187' });
  const [uncertain = ''] = await Promise.all(
    times(2, (at) =>
      pay(world, { accountAlias: '779999902', amount: 48_000 + at * 5_500, reference: `avance-${at}` }),
    ),
  );
  const waits = await pay(world, { accountAlias: '774418203', amount: 650_000, reference: 'loyer-agence-thies' });
  await pay(world, { accountAlias: '765550142', amount: 184_000, reference: 'fournisseur-2291' });
  await needReview(
    world,
    times(3, (at) => ({
      accountAlias: `7633${String(102_77 + at * 991)}1`.slice(0, 9),
      amount: 27_500 + at * 6_000,
      reference: `prime-${two(at + 11)}`,
    })),
  );
  return { paid, uncertain, waits };
}

const BATCHES = '/v1/disbursement-batches';
const COLUMNS = 'Nom;Objet;reference;accountAlias;amount;withdrawMode';
const LAST_NAMES = ['Diop', 'Ndiaye', 'Fall', 'Sarr', 'Gueye', 'Ba', 'Sow'];
const nameOf = (at: number): string => `${of(FIRST_NAMES, at)} ${of(LAST_NAMES, at)}`;

interface Filed extends Made {
  readonly contentHash: string;
  readonly state: string;
}

/** A batch that waits for its approval; its first recipients were paid a few minutes ago. */
async function filed(world: ConsoleWorld): Promise<string> {
  const rows = times(18, (at) => {
    const phone = at < 2 ? 5_120_408 + at * 10_477 : 6_240_113 + at * 31_337;
    return `${nameOf(at)};Bourse du premier semestre;bourse-${two(at + 1)};77${phone};${40_000 + (at % 5) * 5_000};wallet-b-senegal`;
  });
  return (
    await world.api.post<Filed>(`${BATCHES}?name=bourses-2026-11.csv`, [COLUMNS, ...rows].join('\n'), 'text/csv')
  ).id;
}

/** A finished batch of which the provider failed three payments. */
async function unpaid(world: ConsoleWorld): Promise<string> {
  const rows = times(40, (at) => {
    const phone =
      at % 17 === 3 ? `7${of(['0', '6', '8'], Math.floor(at / 17))}9999901` : `78${4_120_408 + at * 10_477}`;
    return `${nameOf(at)};Salaire de novembre;paie-${two(at + 1)};${phone};${150_000 + ((at * 7_919) % 60) * 1_000};wallet-a-senegal`;
  });
  const owner = new Asking(world.api.base, people.moussa.key);
  const made = await world.api.post<Filed>(
    `${BATCHES}?name=salaires-2026-11.csv`,
    [COLUMNS, ...rows].join('\n'),
    'text/csv',
  );
  await owner.post(`${BATCHES}/${made.id}/approve`, { contentHash: made.contentHash });
  const isFinished = async (): Promise<void> => {
    expect((await world.api.get<Filed>(`${BATCHES}/${made.id}`)).state).toBe('finished');
  };
  await vi.waitFor(isFinished, { timeout: 60_000, interval: 200 });
  return made.id;
}

async function collecting({ api }: ConsoleWorld): Promise<void> {
  const store = { name: 'Librairie du Plateau' };
  for (const [at, totalAmount] of [15_000, 99_901, 99_902, 42_500].entries())
    await api.post('/v1/invoices', { totalAmount, store, reference: `commande-${1_040 + at}` });
  for (const [at, amount] of [5_000, 99_901].entries())
    await api.post('/v1/payment-requests', {
      amount,
      phone: '+221771234567',
      feesPaidBy: 'customer',
      reference: `cotisation-${at}`,
    });
  await api.post('/v1/direct-credits', {
    accountAlias: '771230001',
    amount: 7_500,
    reference: 'geste-commercial-12',
  });
  await api.post('/v1/messages', {
    to: '+221771234567',
    text: 'Votre commande 1040 est prête. Librairie du Plateau',
  });
}

interface Sending {
  readonly name: string;
  readonly people: number;
  readonly more?: object;
}

async function campaign({ api }: ConsoleWorld, { name, people: count, more }: Sending): Promise<string> {
  const reference = name.toLowerCase().replace(/\P{L}+/gu, '-');
  const text = 'Bonjour {{prenom}}, votre relevé est prêt à l’agence {{agence}}. Venez avec votre pièce d’identité.';
  const { id } = await api.post<Made>('/v1/campaigns', { name, reference, text, quietHours: false, ...more });
  const rows = times(count, (at) => `77${String(1_000_000 + at * 7)};${of(FIRST_NAMES, at)};${of(AGENCIES, at)}`);
  const ends = [
    '779999902;Abdou;Thiès',
    '779999901;Coumba;Mbour',
    '779999906;Bineta;Kaolack',
    'sans numéro;Ami;Thiès',
  ];
  await api.post(`/v1/campaigns/${id}/recipients`, ['phone;prenom;agence', ...rows, ...ends].join('\n'), 'text/csv');
  return id;
}

/** A draft with a realistic office file. */
async function drafted(world: ConsoleWorld, name: string, file: Buffer): Promise<string> {
  const { id } = await world.api.post<Made>('/v1/campaigns', {
    name,
    reference: name.toLowerCase().replace(/\P{L}+/gu, '-'),
    text: 'Bonjour {{Prénom}}, votre agence de {{Agence}} vous attend. À bientôt…',
  });
  const sent = await fetch(`${world.api.base}/v1/campaigns/${id}/file?name=clients.xlsx`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer demo',
      'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    },
    body: new Uint8Array(file),
  });
  if (!sent.ok) throw new Error(await sent.text());
  return id;
}

async function campaigns(
  world: ConsoleWorld,
): Promise<Pick<Day, 'running' | 'finished' | 'submitted' | 'messy' | 'draft'>> {
  const finished = await campaign(world, { name: 'Relevés d’octobre', people: 240 });
  await world.api.post(`/v1/campaigns/${finished}/start`);
  const running = await campaign(world, { name: 'Relevés de novembre', people: 1_200, more: { perSecond: 4 } });
  await world.api.post(`/v1/campaigns/${running}/start`);
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  const later = await campaign(world, { name: 'Vœux de fin d’année', people: 800, more: { sendAt: tomorrow } });
  await world.api.post(`/v1/campaigns/${later}/start`);
  const submitted = await campaign(world, { name: 'Fermeture du 11 décembre', people: 2_400 });
  await world.api.post(`/v1/campaigns/${submitted}/start`);
  const messy = await drafted(world, 'Clients actifs', messyList(3_000).file);
  const draft = await drafted(world, 'Rappel des échéances', messyList(10).file);
  return { finished, running, submitted, messy, draft };
}

/** The account's balance, as a worker would have read it each ten minutes since the morning. */
async function balances(world: ConsoleWorld): Promise<void> {
  const now = Date.now();
  const looks = times(60, (at) => {
    const SN = 9_400_000 - at * 96_000 - ((at * 7_919) % 13) * 21_000 + (at > 38 ? 4_000_000 : 0);
    return { at: now - (60 - at) * 600_000, balances: { SN, CI: 2_150_000 - at * 11_000 } };
  });
  await world.noteBalances(looks);
}

async function desk(world: ConsoleWorld): Promise<string> {
  const owner = new Asking(world.api.base, people.moussa.key);
  await owner.post('/v1/keys', { name: 'awa-telephone', person: 'awa', roles: ['read', 'enqueue'] });
  await owner.post('/v1/keys', { name: 'comptabilite', person: 'khady', roles: ['read', 'approve'] });
  await owner.post('/v1/limits/MAX_DISBURSEMENT', { value: 750_000 });
  await owner.post('/v1/limits/MAX_DISBURSEMENT', { value: 880_000 });
  await owner.post('/v1/opt-outs', { phones: times(6, (at) => `+22177${String(8_100_233 + at * 4_127)}`) });
  await owner.post('/v1/event-endpoints', {
    url: 'https://compta.example.sn/relais',
    types: ['disbursement.failed'],
  });
  const { id } = await owner.post<Made>('/v1/event-endpoints', { url: 'http://127.0.0.1:9/relais' });
  return id;
}

export async function aDay(world: ConsoleWorld): Promise<Day> {
  const endpoint = await desk(world);
  await collecting(world);
  const payroll = await unpaid(world);
  const paying = await payments(world);
  const batch = await filed(world);
  const sending = await campaigns(world);
  await balances(world);
  return { ...paying, ...sending, batch, unpaid: payroll, endpoint };
}

const STEPS = ['file', 'people', 'text', 'cost', 'sending', 'test', 'start'];

/** Every kind of page by name. Pages in the navigation are included automatically. */
export function pagesOf(day: Day): Readonly<Record<string, string>> {
  return {
    ...Object.fromEntries(allEntries.map(({ to, name }) => [name, to])),
    'operations-batch': '/operations/batch',
    'operations-message': '/operations/message',
    'operations-invoice': '/operations/invoice',
    'operations-none': '/operations/disbursement?state=cancelled',
    'one-paid': `/o/${day.paid}`,
    'one-uncertain': `/o/${day.uncertain}`,
    'one-batch': `/o/${day.batch}`,
    'one-batch-unpaid': `/o/${day.unpaid}`,
    search: '/search?q=775120408',
    'search-nothing': '/search?q=personne-ne-porte-ce-nom',
    'approval-payment': `/approvals/${day.waits}`,
    'approval-batch': `/approvals/${day.batch}`,
    'approval-campaign': `/approvals/${day.submitted}`,
    'campaign-running': `/campaigns/${day.running}`,
    'campaign-finished': `/campaigns/${day.finished}`,
    'review-many': '/review/many',
    endpoint: `/endpoints/${day.endpoint}`,
    new: '/campaigns/new',
    'pay-file': '/pay/file',
    'collect-request': '/collect/request',
    // Decisions about a realistic office list; and the later steps with a short one.
    ...Object.fromEntries(
      STEPS.map((step, at) => [`make-${step}`, `/campaigns/${at < 2 ? day.messy : day.draft}/make/${step}`]),
    ),
    'no-such-page': '/no-such-page',
  };
}
