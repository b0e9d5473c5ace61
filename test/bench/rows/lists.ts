/**
 * What a page of a list costs Redis among very many operations: with each filter, at the beginning and near the end,
 * where much is found and where nearly nothing is. And what the one screen costs that says what stands where.
 */
import type { Redis } from 'ioredis';
import { keys } from '../../../src/operations/keys.ts';
import { type Named, Names, memberOf, momentOf } from '../../../src/operations/places.ts';
import { type NamedPage, Queries } from '../../../src/operations/queries.ts';
import { type Relais, startRelais } from '../contenders/relais.ts';
import { median } from '../measure.ts';
import { type Figure, interleaved, type RowMaker } from '../rows.ts';
import type { Stage } from '../stage.ts';
import { processorTime } from './commands.ts';

const PAGE = 50;
const AT_ONCE = 2_000;
const AIM_MS = 5;
/** Of each page. */
const LOOKS = 7;
const FIRST = 1_760_000_000_000;
const EVERY_MS = 50;
const KNOWN_PHONE = '+221770000000';
const LARGE_BATCH = 'bat_large';

/** One in so many. */
const RARE = 100_000;
const FAILED = 500;
/** Every second is of `main`; the others are shared out. */
const OTHERS = Array.from({ length: 49 }, (_, nth) => `shop-${nth}`);
/** What a key may see that is for three of them. */
const THREE = OTHERS.slice(0, 3);
const OF_KNOWN_PHONE = 50;

interface Made {
  readonly id: string;
  readonly state: string;
  readonly account: string;
  readonly amount: number;
  readonly createdAt: number;
  readonly named: readonly Named[];
}

function made(index: number): Made {
  const phone = index % OF_KNOWN_PHONE === 0 ? KNOWN_PHONE : `+22177${String(1_000_000 + index)}`;
  return {
    id: `dsb_${index.toString(36).padStart(22, '0')}`,
    state: index % FAILED === 1 ? 'failed' : index % RARE === 2 ? 'needs_review' : 'succeeded',
    account: index % 2 === 0 ? 'main' : (OTHERS[Math.floor(index / 2) % OTHERS.length] ?? 'main'),
    amount: index % RARE === 5 ? 2_500_000 : 500 + (index % 4_500),
    createdAt: FIRST + index * EVERY_MS,
    named: [
      ['phone', phone],
      ['transactionId', `TX-${index}`],
      ...(index % OF_KNOWN_PHONE === 7 ? ([['batch', LARGE_BATCH]] as const) : []),
    ],
  };
}

async function fill(redis: Redis, names: Names, count: number): Promise<void> {
  for (let from = 0; from < count; from += AT_ONCE) {
    const pipeline = redis.pipeline();
    for (let index = from; index < Math.min(count, from + AT_ONCE); index += 1) {
      const { id, state, account, amount, createdAt, named } = made(index);
      const fields = { amount, accountAlias: '771234567', withdrawMode: 'wallet-a-senegal', disburseId: `d${index}` };
      const story = { 'e:1': '0|create|created|', 'e:2': '210|submit|success|TX' };
      const base = {
        id,
        kind: 'disbursement',
        v: 1,
        rev: 4,
        seq: 2,
        createdAt,
        updatedAt: createdAt,
        since: createdAt,
      };
      pipeline.hset(keys.record(id), { ...base, state, account, reference: `r-${index}`, ...fields, ...story });
      pipeline.zadd(keys.listed('disbursement', account, state), createdAt, memberOf(id, fields));
      for (const { bucket, head } of await names.placesOf(named)) {
        pipeline.zadd(bucket, 0, `${head}${momentOf(createdAt)}${id}`);
      }
    }
    await pipeline.exec();
  }
  await redis.sadd(keys.accounts, 'main', ...OTHERS);
}

type Asked = Omit<NamedPage, 'limit' | 'after'>;

function filtersAmong(count: number): Readonly<Record<string, Asked>> {
  const of = (...named: Named[]) => named;
  const middle = FIRST + (count / 2) * EVERY_MS;
  const phone: Named = ['phone', KNOWN_PHONE];
  return {
    'no filter': {},
    'state=succeeded': { states: ['succeeded'] },
    'state=failed (one in 500)': { states: ['failed'] },
    'state=needs_review (one in 100,000)': { states: ['needs_review'] },
    'three states': { states: ['succeeded', 'failed', 'needs_review'] },
    'one account of fifty': { accounts: ['shop-7'] },
    'three accounts': { accounts: THREE },
    'three accounts, state=needs_review (one in 100,000)': { accounts: THREE, states: ['needs_review'] },
    'three accounts, amountMin (one in 100,000)': { accounts: THREE, amountMin: 2_000_000 },
    'three accounts, phone (one in 50)': { accounts: THREE, named: of(phone) },
    'three accounts, batch (one in 50)': { accounts: THREE, named: of(['batch', LARGE_BATCH]) },
    'createdFrom, createdTo': { createdFrom: middle - 1_000_000, createdTo: middle },
    'amountMin, nearly all': { amountMin: 600 },
    'amountMin, one in 100,000': { amountMin: 2_000_000 },
    'amountMin and amountMax, nothing': { amountMin: 5_100, amountMax: 1_999_999 },
    'phone (one in 50)': { named: of(phone) },
    'phone, state=failed: nothing': { named: of(phone), states: ['failed'] },
    'phone, amount: nothing': { named: of(phone), amountMin: 2_000_000 },
    'phone, time': { named: of(phone), createdFrom: middle - 1_000_000, createdTo: middle },
    'phone and batch: nothing': { named: of(['batch', LARGE_BATCH], phone) },
    'batch (one in 50)': { named: of(['batch', LARGE_BATCH]) },
    transactionId: { named: of(['transactionId', `TX-${Math.floor(count / 2)}`]) },
  };
}

const NOT_OF_A_PAGE = /^(exec|multi|info|config|client|hello|auth|select)/;

/** Time of Redis and its commands, of all that is asked meanwhile. */
async function spentOn<T>(look: Redis, work: () => Promise<T>): Promise<{ ms: number; commands: number; value: T }> {
  await look.config('RESETSTAT');
  const value = await work();
  const stats = await look.info('commandstats');
  let [micros, commands] = [0, 0];
  for (const [, name = '', calls, time] of stats.matchAll(/cmdstat_(\S+?):calls=(\d+),usec=(\d+)/g)) {
    if (NOT_OF_A_PAGE.test(name)) continue;
    micros += Number(time);
    commands += Number(calls);
  }
  return { ms: micros / 1_000, commands, value };
}

interface Parts {
  readonly look: Redis;
  readonly queries: Queries;
  readonly count: number;
}

async function figuresOf(parts: Parts, label: string, asked: Asked): Promise<Figure[]> {
  const { look, queries, count } = parts;
  const deep = `${FIRST + Math.floor(count * 0.1) * EVERY_MS}.dsb_zzz`;
  const figures: Figure[] = [];
  for (const [where, after] of [
    ['first page', undefined],
    ['at nine tenths', deep],
  ] as const) {
    const spent: number[] = [];
    let told = '';
    for (let nth = 0; nth < LOOKS; nth += 1) {
      const { ms, commands, value } = await spentOn(look, () =>
        queries.page('disbursement', { ...asked, limit: PAGE, after }),
      );
      spent.push(ms);
      told = `${value.items.length} found${value.next === undefined ? ', the end' : ''}, ${commands} commands`;
    }
    figures.push({ label: `${label}, ${where}: ${told}`, values: spent, unit: 'ms' });
  }
  return figures;
}

/** Holds of every account, and more campaigns under way than a screen shows. */
const CAMPAIGNS = 200;

async function fillStatus(relais: Relais): Promise<void> {
  const { look } = relais;
  const { id } = await relais.ask<{ id: string }>('POST', '/v1/campaigns', {
    name: 'november',
    text: 'Bonjour',
    reference: 'november',
  });
  const pipeline = look.pipeline();
  for (let nth = 0; nth < CAMPAIGNS; nth += 1) {
    const [copy, at] = [`${id.slice(0, -3)}${String(nth).padStart(3, '0')}`, FIRST + nth];
    const account = OTHERS[nth % OTHERS.length] ?? 'main';
    pipeline.copy(keys.record(id), keys.record(copy), 'REPLACE');
    pipeline.hset(keys.record(copy), { id: copy, account, state: 'running', 't:total': 1_000, 't:queued': 1_000 });
    pipeline.zadd(keys.index('campaign'), at, copy).zadd(keys.state('campaign', 'running'), at, copy);
  }
  for (const account of OTHERS) {
    pipeline.hset(keys.account(account), { 'held:payments.stopped': FIRST, 'held:messaging.budget': FIRST });
    pipeline.sadd(keys.heldAccounts, account);
  }
  await pipeline.exec();
}

async function statusFigures(relais: Relais, { dir, program }: Stage): Promise<{ figures: Figure[]; times: number }> {
  const spent: number[] = [];
  let commands = 0;
  for (let nth = 0; nth < LOOKS; nth += 1) {
    const screen = await spentOn(relais.look, () => relais.ask('GET', '/v1/status'));
    spent.push(screen.ms);
    ({ commands } = screen);
  }
  const ms = await processorTime(dir, { RELAIS_URL: relais.api, RELAIS_API_KEY: 'dev' });
  const took = await interleaved(3 * LOOKS, { nothing: ms('--eval', '0'), status: ms(program, 'status') });
  const figures = [
    {
      label: `status, ${OTHERS.length} accounts held, ${CAMPAIGNS} campaigns: ${commands} commands`,
      values: spent,
      unit: 'ms',
    },
    { label: 'node that does nothing', values: took.nothing, unit: 'ms of processor' },
    { label: 'relais status, of all this', values: took.status, unit: 'ms of processor' },
  ];
  return { figures, times: median(took.status) / median(took.nothing) };
}

export const listRows: RowMaker = async (stage, { backlog: count }) => {
  const relais = await startRelais(stage, { workers: 0 });
  const { look } = relais;
  try {
    const names = Names.of({ redis: look });
    await fillStatus(relais);
    await look.config('SET', 'appendfsync', 'no');
    await fill(look, names, count);
    const parts = { look, queries: new Queries(look), count };
    const figures: Figure[] = [];
    for (const [label, asked] of Object.entries(filtersAmong(count))) {
      figures.push(...(await figuresOf(parts, label, asked)));
    }
    // What interrupts Redis adds to its time, and nothing takes away from it.
    const dearest = Math.max(...figures.map(({ values }) => Math.min(...values)));
    const screen = await statusFigures(relais, stage);
    return [
      {
        title: `a page of ${PAGE} among ${count.toLocaleString('en')} disbursements of ${1 + OTHERS.length} accounts`,
        figures: [...figures, ...screen.figures],
        aims: [
          { text: 'ms of Redis for the dearest page, undisturbed', value: dearest, most: AIM_MS },
          { text: 'times `node -e 0`: `relais status` of all this', value: screen.times, most: 7 },
        ],
        notes: ['As Redis tells of its commands (INFO commandstats).'],
      },
    ];
  } finally {
    await relais.stop();
  }
};
