/** What docs/sizing.md is made of: bytes that were measured, and what follows from them. */
import { table } from './page.ts';

/** Of PostgreSQL 18; `test/history/size.parts.test.ts` measures them anew. */
export const bytesOfRow = {
  disbursements: { row: 746, indexes: 519 },
  events: { row: 357, indexes: 121 },
  recipients: { row: 149, indexes: 126 },
  batch_rows: { row: 283, indexes: 106 },
} as const;

/** Of Redis: see docs/performance.md and docs/redis.md; a stub as it stands in a bucket of some hundred. */
export const bytesOfRedis = {
  payment: 1_485,
  event: 205,
  recipient: 25,
  batchRow: 153,
  stub: 25,
  base: 100_000_000,
} as const;

const DAYS = { month: 30, payments: 7, texts: 4.5, events: 30, identity: 400 } as const;
const PAYMENTS_PER_TEXT = 0.05;
const GROUPED = /\B(?=(\d{3})+(?!\d))/g;

const millions = (count: number): string => `${String(count / 1_000_000)} million`;
const whole = (count: number): string => String(Math.round(count)).replace(GROUPED, ',');
/** Two digits that count. */
const gb = (bytes: number): string => `${Number((bytes / 1e9).toPrecision(2))} GB`;

const sum = ({ row, indexes }: { readonly row: number; readonly indexes: number }): number => row + indexes;

export function bytesTable(): string {
  const rows = Object.entries(bytesOfRow).map(([name, one]) => [
    `\`${name}\``,
    whole(one.row),
    whole(one.indexes),
    whole(sum(one)),
  ]);
  return table(['table', 'row', 'its indexes', 'together'], rows);
}

export function sizesTable(): string {
  const rows = [1_000_000, 10_000_000, 100_000_000].map((texts) => {
    const payments = texts * PAYMENTS_PER_TEXT;
    const money = payments * (sum(bytesOfRow.disbursements) + sum(bytesOfRow.events));
    const people = texts * sum(bytesOfRow.recipients);
    const share = (days: number): number => days / DAYS.month;
    const open =
      payments * share(DAYS.payments) * bytesOfRedis.payment +
      payments * share(DAYS.events) * bytesOfRedis.event +
      texts * share(DAYS.texts) * bytesOfRedis.recipient +
      payments * share(DAYS.identity) * bytesOfRedis.stub;
    const whole12 =
      12 * (payments * bytesOfRedis.payment + texts * bytesOfRedis.recipient) + payments * bytesOfRedis.event;
    return [
      millions(texts),
      whole(payments),
      gb(bytesOfRedis.base + whole12),
      gb(bytesOfRedis.base + open),
      gb(people),
      gb(money),
      gb(12 * (people + money)),
    ];
  });
  const head = [
    'texts a month',
    'payments',
    'Redis after a year, nothing leaves',
    'Redis, with history',
    'PostgreSQL a month: people',
    'payments and events',
    'a year of both',
  ];
  return table(head, rows);
}
