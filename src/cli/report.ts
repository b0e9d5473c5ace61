/** The daily report in a terminal: a row for each non-zero figure, by account and country. */
import { counted } from '../messages/figures.ts';
import { wordFor } from '../messages/languages.ts';
import type { JsonObject } from './client.ts';
import { type Output, printable } from './output.ts';
import { itemsOf } from './record.ts';

export async function printDaily(body: JsonObject, output: Output): Promise<void> {
  const { words } = output.speech;
  const { report } = words.status;
  const rows = itemsOf(body, 'rows');
  const stands = body['closed'] === true ? report.over : report.notOver;
  await output.facts([[report.date, report.day(printable(body['date']), printable(body['timezone']), stands)]]);
  for (const { account, country, texts, segments, costEstimated, ...sums } of rows) {
    await output.line(`\n${printable(account)} ${printable(country)}`.trimEnd());
    const shown = Object.entries(sums).flatMap(([name, sum]) =>
      rowOf(wordFor(report.sums, name), sum as JsonObject, output),
    );
    const byState = Object.entries(texts as JsonObject).flatMap(([state, count]) => {
      const what = report.texts(wordFor(words.campaign.bins, state));
      return count === 0
        ? []
        : [{ [report.what]: what, [report.count]: count, [report.segments]: (segments as JsonObject)[state] }];
    });
    if (shown.length > 0) {
      await output.write(output.renderTable([report.what, report.count, report.money], shown));
    }
    if (byState.length > 0) {
      await output.write(output.renderTable([report.what, report.count, report.segments], byState));
    }
    if (typeof costEstimated === 'number') {
      await output.line(`${report.estimated}  ${words.figures.money(counted(costEstimated, words.figures))}`);
    }
  }
  if (rows.length === 0) await output.note(report.empty);
}

function rowOf(what: string, { count, xof }: JsonObject, { speech: { words } }: Output): JsonObject[] {
  const { report } = words.status;
  return typeof count !== 'number' || typeof xof !== 'number' || (count === 0 && xof === 0)
    ? []
    : [{ [report.what]: what, [report.count]: count, [report.money]: counted(xof, words.figures) }];
}
