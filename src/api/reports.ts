/** What a day came to, for the people who account for it. */
import { z } from 'zod';
import { dateIn } from '../lib/zone.ts';
import { CSV_HEAD, type DailyReport, PAGE_POLICY, dailyCsv, dailyPage, rowsOf } from './daily.ts';
import { accountsListed } from './gates.ts';
import { dailyReport } from './openapi/answers-reports.ts';
import { listedAccount, route } from './route.ts';
import { invalid } from './problem.ts';

const DAY_MS = 86_400_000;

const getDailyReport = route(
  {
    method: 'get',
    path: '/v1/reports/daily',
    id: 'getDailyReport',
    tag: 'Operating',
    cli: { name: 'report daily', example: '--date 2026-11-22' },
    summary: 'What a day came to, by account and country; as CSV, or as a page to print, by `Accept`.',
    description:
      'opening + accepted - (succeeded + failed + rejected + cancelled) = closing, in XOF and in number. The day is that ' +
      'of TIMEZONE. One that is over does not change: what comes later is told on the day on which it came. Kept for ' +
      'REPORTS_KEEP.',
    role: 'read',
    scope: 'list',
    query: {
      date: z.iso
        .date('must be a day such as 2026-11-22')
        .optional()
        .meta({ description: 'The day, as 2026-11-22. Absent: today.' }),
      account: listedAccount,
    },
    answers: {
      200: {
        says: 'The day.',
        schema: dailyReport,
        files: {
          'text/csv': { says: 'One line each.', example: CSV_HEAD },
          'text/html': { says: 'A page to print.', example: '<!doctype html>…' },
        },
      },
    },
  },
  async ({ context, key, query, request, response }) => {
    const { timezone, keepMs, book } = context.reports;
    const now = context.clock.now();
    const today = dateIn(timezone, now);
    const { date = today } = query;
    if (date > today) throw invalid([{ pointer: '/date', message: `is not over, nor begun: today is ${today}` }]);
    if (date < dateIn(timezone, now - keepMs - DAY_MS)) {
      throw invalid([{ pointer: '/date', message: `is no longer kept: REPORTS_KEEP is ${keepMs / DAY_MS} days` }]);
    }
    const accounts = accountsListed(context, key, query.account);
    const { closed, lines } = await book.day(date, today);
    const rows = rowsOf(lines.filter(({ account }) => accounts?.includes(account) ?? true));
    const report: DailyReport = { date, timezone, closed, rows };
    const wanted = request.accepts(['json', 'csv', 'html']);
    if (wanted === 'csv') response.type('text/csv').send(dailyCsv(report));
    else if (wanted === 'html')
      response.set('Content-Security-Policy', PAGE_POLICY).type('html').send(dailyPage(report));
    else return report;
    return undefined;
  },
);

export const reportRoutes = [getDailyReport];
