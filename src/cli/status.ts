/** The status on one screen: at most 40 lines of 100 columns, most urgent first. */
import { counted, money } from '../messages/figures.ts';
import { type Words, wordFor } from '../messages/languages.ts';
import type { JsonObject } from './client.ts';
import { type Output, printable } from './output.ts';
import { itemsOf } from './record.ts';

const COLUMNS = 100;
const LABEL = 12;

/** Maximum lines of each part; together with a line for the remaining ones, they fit the screen. */
const MOST = { waiting: 4, holds: 5, campaigns: 4, operations: 7, queues: 4, balances: 4 } as const;

interface Part {
  readonly label: string;
  readonly lines: readonly string[];
  readonly most?: number;
  /** Non-empty parts need action. */
  readonly isPressing?: true;
}

export function renderStatus(body: JsonObject, output: Output): string {
  const { words } = output.speech;
  const { labels, none } = words.status;
  const orNone = (lines: readonly string[]): readonly string[] => (lines.length > 0 ? lines : [none]);
  const each = (name: string, line: (item: JsonObject, words: Words) => string): readonly string[] =>
    orNone(itemsOf(body, name).map((item) => line(item, words)));
  const trial = body['trialNumbers'];
  const parts: readonly Part[] = [
    ...(typeof trial === 'number'
      ? [{ label: labels.trial, lines: [words.status.trial(many(trial, words))], isPressing: true as const }]
      : []),
    { label: labels.inDoubt, lines: [doubtLine(itemsOf(body, 'inDoubt'), words)] },
    { label: labels.waiting, lines: each('waiting', waitingLine), most: MOST.waiting, isPressing: true },
    { label: labels.held, lines: each('holds', holdLine), most: MOST.holds, isPressing: true },
    { label: labels.campaigns, lines: each('campaigns', campaignLine), most: MOST.campaigns },
    { label: labels.operations, lines: orNone(operationLines(body['operations'], words)), most: MOST.operations },
    { label: labels.queues, lines: queueLines(itemsOf(body, 'queues'), words), most: MOST.queues },
    { label: labels.workers, lines: [workersLine(body, words)] },
    { label: labels.balances, lines: orNone(balanceLines(itemsOf(body, 'balances'), words)), most: MOST.balances },
  ];
  return parts.flatMap((part) => linesOf(part, output)).join('');
}

function linesOf({ label, lines, most = lines.length, isPressing }: Part, output: Output): string[] {
  const { none, more } = output.speech.words.status;
  const left = counted(lines.length - most, output.speech.words.figures);
  const shown = lines.length > most ? [...lines.slice(0, most), more(left)] : lines;
  return shown.map((line, at) => {
    const text = line.length > COLUMNS - LABEL ? `${line.slice(0, COLUMNS - LABEL - 1)}…` : line;
    const isStyled = isPressing && line !== none;
    return `${(at === 0 ? label : '').padEnd(LABEL)}${isStyled ? output.styled('yellow', text) : text}\n`;
  });
}

const sumOf = (value: unknown): number => (typeof value === 'number' ? value : 0);
const xof = (value: unknown, { figures }: Words): string => money(sumOf(value), figures);
const many = (value: unknown, { figures }: Words): string => counted(sumOf(value), figures);
const stateIn = (value: unknown, { states }: Words): string => wordFor(states, printable(value));

/** By machine and process, as many as fit; the console and --json list all. */
function workersLine(body: JsonObject, { status }: Words): string {
  const names = itemsOf(body, 'workersHere').map(({ name }) => printable(name).split(' ')[0]);
  return status.atWork(String(body['workers']), names.join(', '));
}

function doubtLine(ages: readonly JsonObject[], words: Words): string {
  const there = ages.filter(({ count }) => sumOf(count) > 0);
  const total = there.reduce((all, one) => all + sumOf(one['xof']), 0);
  const parts = there.map(
    (one) => `${printable(one['age'])} ${xof(one['xof'], words)} (${many(one['count'], words)})`,
  );
  return there.length === 0 ? words.status.none : words.status.list(xof(total, words), parts.join(', '));
}

function waitingLine({ kind, state, count, xof: sum }: JsonObject, words: Words): string {
  const sums = sumOf(sum) > 0 ? `, ${xof(sum, words)}` : '';
  const what = wordFor(words.status.kinds, printable(kind));
  return `${many(count, words)} ${what} ${stateIn(state, words)}${sums}`;
}

function holdLine({ account, area, reason, since, count, xof: sum, came }: JsonObject, words: Words): string {
  const { hold, areas, recipients, payments } = words.status;
  const behind =
    area === 'messaging' ? recipients(many(count, words)) : payments(many(count, words), xof(sum, words));
  const where = wordFor(areas, printable(area));
  const line = hold(printable(account), where, printable(reason), minute(since, words), behind);
  return came === undefined ? line : `${line}; ${words.status.came(printable(came))}`;
}

/** To the minute: `2026-11-21 08:00Z`, `21/11/2026 08:00 UTC` */
function minute(time: unknown, { figures }: Words): string {
  const [, year = '', month = '', day = '', clock = ''] =
    /^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d).*Z$/.exec(printable(time)) ?? [];
  const written = `${year}-${month}-${day} ${clock}Z`;
  return year === '' ? printable(time) : figures.time({ year, month, day, clock, written });
}

function campaignLine({ id, name, state, reason, waiting, total, eta }: JsonObject, words: Words): string {
  const { status } = words;
  const stands = stateIn(state, words);
  const why = typeof reason === 'string' ? status.because(stands, printable(reason)) : stands;
  const end = typeof eta === 'string' ? status.done(minute(eta, words)) : '';
  const rest = status.campaign(printable(id), why, many(waiting, words), many(total, words));
  return status.list(`${rest}${end}`, printable(name));
}

function operationLines(operations: unknown, words: Words): readonly string[] {
  const kinds = Object.entries((operations ?? {}) as Readonly<Record<string, JsonObject>>);
  const there = kinds.filter(([, states]) => Object.keys(states).length > 0);
  return there.map(([kind, states]) => {
    const counts = Object.entries(states).map(([state, count]) => `${stateIn(state, words)} ${many(count, words)}`);
    return words.status.list(wordFor(words.status.kinds, kind), counts.join(', '));
  });
}

function queueLines(queues: readonly JsonObject[], words: Words): readonly string[] {
  const behind = queues
    .filter(({ waiting }) => sumOf(waiting) > 0)
    .toSorted((a, b) => sumOf(b['oldestMs']) - sumOf(a['oldestMs']));
  if (behind.length === 0) return [words.status.nothingWaits];
  return behind.map(({ name, waiting, oldestMs }) =>
    words.status.queue(printable(name), many(waiting, words), spanOf(sumOf(oldestMs), words)),
  );
}

/** For display: `4 min`. */
function spanOf(ms: number, { status }: Words): string {
  const [minutes, hours] = [ms / 60_000, ms / 3_600_000];
  if (minutes < 1) return `${Math.round(ms / 1_000)} s`;
  return hours < 2
    ? `${Math.round(minutes)} min`
    : hours < 48
      ? `${Math.round(hours)} h`
      : `${Math.round(hours / 24)} ${status.day}`;
}

/** A line for each account; countries without a balance and without payments in flight are omitted. */
function balanceLines(balances: readonly JsonObject[], words: Words): readonly string[] {
  const { status } = words;
  const accounts = [...new Set(balances.map(({ account }) => printable(account)))];
  return accounts.map((account) => {
    const own = balances.filter((one) => printable(one['account']) === account);
    const there = own.filter((one) => sumOf(one['xof']) !== 0 || sumOf(one['inFlight']) > 0);
    const parts = there.map((one) => {
      const flying = sumOf(one['inFlight']) > 0 ? status.onTheWay(many(one['inFlight'], words)) : '';
      return `${printable(one['country'])} ${one['xof'] === null ? status.notKnown : many(one['xof'], words)}${flying}`;
    });
    return status.balance(account, parts.join(', ') || status.nothing, minute(own[0]?.['at'], words));
  });
}
