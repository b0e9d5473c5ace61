/** What stands where, on one screen: at most 40 lines of 100 columns, the most pressing first. */
import { describeXof } from '../lib/money.ts';
import type { JsonObject } from './client.ts';
import { grouped, type Output, printable } from './output.ts';
import { itemsOf } from './record.ts';

const COLUMNS = 100;
const LABEL = 12;

/** So many lines of each part; together with one line that says how many more there are, they fit the screen. */
const MOST = { waiting: 4, holds: 5, campaigns: 4, operations: 7, queues: 4, balances: 4 } as const;

export function renderStatus(body: JsonObject, output: Output): string {
  const parts: readonly (readonly [label: string, lines: readonly string[], most?: number])[] = [
    ['in doubt', [doubtLine(itemsOf(body, 'inDoubt'))]],
    ['waiting', orNone(itemsOf(body, 'waiting').map(waitingLine)), MOST.waiting],
    ['held', orNone(itemsOf(body, 'holds').map(holdLine)), MOST.holds],
    ['campaigns', orNone(itemsOf(body, 'campaigns').map(campaignLine)), MOST.campaigns],
    ['operations', operationLines(body['operations']), MOST.operations],
    ['queues', queueLines(itemsOf(body, 'queues')), MOST.queues],
    ['workers', [`${String(body['workers'])} at work`]],
    ['balances', orNone(balanceLines(itemsOf(body, 'balances'))), MOST.balances],
    ['redis', [redisLine(body['redis'])]],
  ];
  return parts.flatMap(([label, lines, most]) => partOf(label, shortened(lines, most), output)).join('');
}

function partOf(label: string, lines: readonly string[], output: Output): string[] {
  return lines.map((line, at) => {
    const text = line.length > COLUMNS - LABEL ? `${line.slice(0, COLUMNS - LABEL - 1)}…` : line;
    const isPressing = (label === 'held' || label === 'waiting') && line !== NONE;
    return `${(at === 0 ? label : '').padEnd(LABEL)}${isPressing ? output.styled('yellow', text) : text}\n`;
  });
}

const NONE = 'none';
const orNone = (lines: readonly string[]): readonly string[] => (lines.length > 0 ? lines : [NONE]);

function shortened(lines: readonly string[], most = lines.length): readonly string[] {
  return lines.length > most ? [...lines.slice(0, most), `… and ${grouped(lines.length - most)} more`] : lines;
}

const sumOf = (value: unknown): number => (typeof value === 'number' ? value : 0);
const xof = (value: unknown): string => describeXof(sumOf(value));
const many = (value: unknown): string => grouped(sumOf(value));

function doubtLine(ages: readonly JsonObject[]): string {
  const there = ages.filter(({ count }) => sumOf(count) > 0);
  const total = there.reduce((all, one) => all + sumOf(one['xof']), 0);
  const parts = there.map((one) => `${printable(one['age'])} ${xof(one['xof'])} (${many(one['count'])})`);
  return there.length === 0 ? NONE : `${xof(total)}: ${parts.join(', ')}`;
}

function waitingLine({ kind, state, count, xof: sum }: JsonObject): string {
  const money = sumOf(sum) > 0 ? `, ${xof(sum)}` : '';
  return `${many(count)} ${printable(kind)} ${printable(state)}${money}`;
}

function holdLine({ account, area, reason, since, count, xof: sum }: JsonObject): string {
  const behind = area === 'messaging' ? `${many(count)} recipients` : `${many(count)} payments, ${xof(sum)}`;
  return `${printable(account)} ${printable(area)}: ${printable(reason)} since ${minute(since)}; behind it ${behind}`;
}

/** `2026-11-21T08:00:00.000Z` → `2026-11-21 08:00Z` */
const minute = (time: unknown): string => printable(time).replace(/T(\d\d:\d\d).*Z$/, ' $1Z');

function campaignLine({ id, name, state, reason, waiting, total, eta }: JsonObject): string {
  const why = typeof reason === 'string' ? ` (${printable(reason)})` : '';
  const end = typeof eta === 'string' ? `, done ${minute(eta)}` : '';
  return `${printable(id)} ${printable(state)}${why}, ${many(waiting)} of ${many(total)} to go${end}: ${printable(name)}`;
}

function operationLines(operations: unknown): readonly string[] {
  const kinds = Object.entries((operations ?? {}) as Readonly<Record<string, JsonObject>>);
  const there = kinds.filter(([, states]) => Object.keys(states).length > 0);
  return orNone(
    there.map(([kind, states]) => {
      const counts = Object.entries(states).map(([state, count]) => `${state} ${many(count)}`);
      return `${kind}: ${counts.join(', ')}`;
    }),
  );
}

function queueLines(queues: readonly JsonObject[]): readonly string[] {
  const behind = queues
    .filter(({ waiting }) => sumOf(waiting) > 0)
    .toSorted((a, b) => sumOf(b['oldestMs']) - sumOf(a['oldestMs']));
  if (behind.length === 0) return ['nothing waits for a worker'];
  return behind.map(
    ({ name, waiting, oldestMs }) =>
      `${printable(name)}: ${many(waiting)}, the oldest for ${spanOf(sumOf(oldestMs))}`,
  );
}

/** As a person says it: `4 min`. */
function spanOf(ms: number): string {
  const [minutes, hours] = [ms / 60_000, ms / 3_600_000];
  if (minutes < 1) return `${Math.round(ms / 1_000)} s`;
  return hours < 2
    ? `${Math.round(minutes)} min`
    : hours < 48
      ? `${Math.round(hours)} h`
      : `${Math.round(hours / 24)} d`;
}

/** A line for each account; countries that have nothing, and of which nothing is on its way, are left out. */
function balanceLines(balances: readonly JsonObject[]): readonly string[] {
  const accounts = [...new Set(balances.map(({ account }) => printable(account)))];
  return accounts.map((account) => {
    const own = balances.filter((one) => printable(one['account']) === account);
    const there = own.filter((one) => sumOf(one['xof']) !== 0 || sumOf(one['inFlight']) > 0);
    const parts = there.map((one) => {
      const flying = sumOf(one['inFlight']) > 0 ? ` (${many(one['inFlight'])} on the way)` : '';
      return `${printable(one['country'])} ${one['xof'] === null ? 'not known' : many(one['xof'])}${flying}`;
    });
    return `${account}: ${parts.join(', ') || 'nothing'} XOF, at ${minute(own[0]?.['at'])}`;
  });
}

function redisLine(redis: unknown): string {
  const { daysUntilFull: days } = (redis ?? {}) as JsonObject;
  if (typeof days !== 'number') return 'no end of its memory is in sight';
  return days === 0 ? 'full: nothing new is accepted' : `full in ${grouped(Math.round(days))} days, as it grows now`;
}
