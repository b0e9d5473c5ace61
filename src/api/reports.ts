/** The daily report for accounting. */
import { z } from 'zod';
import { csvCell } from '../files/csv.ts';
import { askedTime } from '../kinds/request-pieces.ts';
import { dateIn, onClockOf } from '../lib/zone.ts';
import { looksCursor } from '../ledger/balances.ts';
import { CSV_HEAD, type DailyReport, PAGE_POLICY, dailyCsv, dailyPage, rowsOf } from './daily.ts';
import { accountsListed } from './gates.ts';
import { balancesSeen, dailyReport } from './openapi/answers-reports.ts';
import { languageAccepted } from '../messages/languages.ts';
import { type AnyAsked, after, limit, listedAccount, route } from './route.ts';
import { invalid } from './problem.ts';
import { message } from '../messages/message.ts';
import { says } from '../messages/schemas.ts';

const DAY_MS = 86_400_000;
const SEEN_HEAD = 'at;account;country;xof\r\n';

const getDailyReport = route(
  {
    method: 'get',
    path: '/v1/reports/daily',
    id: 'getDailyReport',
    tag: 'Operating',
    cli: { name: 'report daily', example: '--date 2026-11-22' },
    summary: 'Get the daily report',
    description:
      'By account and country; as CSV or as a page to print, by `Accept`. opening + accepted - (succeeded + failed ' +
      '+ rejected + cancelled) = closing, in XOF and in number. The day is a day of TIMEZONE. A finished day does ' +
      'not change: later changes are reported on the day they happen. Stored for REPORTS_KEEP.',
    role: 'read',
    scope: 'list',
    query: {
      date: z.iso.date(says('day')).optional().meta({ description: 'The day, such as 2026-11-22. Default: today.' }),
      account: listedAccount,
    },
    answers: {
      200: {
        says: 'The day.',
        schema: dailyReport,
        files: {
          'text/csv': { says: 'One line each.', example: CSV_HEAD },
          'text/html': {
            says: 'A page to print, in the language of `Accept-Language`.',
            example: '<!doctype html>…',
          },
        },
      },
    },
  },
  async ({ context, key, query, request, response }) => {
    const { timezone, keepMs, book } = context.reports;
    const now = context.clock.now();
    const today = dateIn(timezone, now);
    const { date = today } = query;
    if (date > today) throw invalid([{ pointer: '/date', message: message('day_to_come', { today }) }]);
    if (date < dateIn(timezone, now - keepMs - DAY_MS)) {
      throw invalid([{ pointer: '/date', message: message('day_not_stored', { days: keepMs / DAY_MS }) }]);
    }
    const accounts = accountsListed(context, key, query.account);
    const { closed, lines } = await book.day(date, today);
    const rows = rowsOf(lines.filter(({ account }) => accounts?.includes(account) ?? true));
    const report: DailyReport = { date, timezone, closed, rows };
    const wanted = request.accepts(['json', 'csv', 'html']);
    if (wanted === 'csv') response.type('text/csv').send(dailyCsv(report));
    else if (wanted === 'html') sendPage(report, { request, response });
    else return report;
    return undefined;
  },
);

/** For users: in French if their browser requests it. */
function sendPage(report: DailyReport, { request, response }: Pick<AnyAsked, 'request' | 'response'>): void {
  const language = languageAccepted(request.get('accept-language')) ?? 'en';
  response
    .set({ 'Content-Security-Policy': PAGE_POLICY, 'Content-Language': language, Vary: 'Accept, Accept-Language' })
    .type('html')
    .send(dailyPage(report, language));
}

const time = (description: string) => askedTime.transform(Date.parse).optional().meta({ description });

const getBalancesSeen = route(
  {
    method: 'get',
    path: '/v1/reports/balances',
    id: 'getBalancesSeen',
    tag: 'Operating',
    cli: { name: 'report balances', example: '--from 2026-11-01T00:00:00Z', columns: ['at', 'account', 'balances'] },
    summary: 'List recorded balances',
    description:
      'Newest first; as CSV by `Accept`. Recorded every BALANCE_INTERVAL. The provider calls its own figures an ' +
      'approximation. The last 5040 records of each account are stored: five weeks, at ten minutes each.',
    role: 'read',
    scope: 'list',
    query: {
      from: time('Recorded at this time or later.'),
      to: time('Recorded at this time or before.'),
      account: listedAccount,
      after: after(looksCursor),
      limit: limit(144, 1_000),
    },
    answers: {
      200: {
        says: 'A page of them.',
        schema: balancesSeen,
        files: { 'text/csv': { says: 'One line for each country.', example: SEEN_HEAD } },
        headers: { 'X-Next': 'With CSV: what `next` is with JSON; absent at the end.' },
      },
    },
  },
  async ({ context, key, query: { account, ...page }, request, response }) => {
    const accounts = accountsListed(context, key, account) ?? context.accountNames;
    const { items, next } = await context.seenBalances.history(accounts, page);
    const rows = items.map(({ account: of, seen }) => ({
      at: new Date(seen.at).toISOString(),
      account: of,
      balances: seen.balances,
    }));
    if (request.accepts(['json', 'csv']) !== 'csv') return { items: rows, next: next ?? null };
    if (next) response.set('X-Next', next);
    const lines = rows.flatMap(({ at, account: of, balances }) =>
      Object.entries(balances).map(([country, xof]) =>
        [onClockOf(context.reports.timezone, at), of, country, xof ?? ''].map(csvCell).join(';'),
      ),
    );
    response.type('text/csv').send(`\ufeff${SEEN_HEAD}${lines.map((line) => `${line}\r\n`).join('')}`);
    return undefined;
  },
);

export const reportRoutes = [getDailyReport, getBalancesSeen];
