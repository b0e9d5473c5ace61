/** What a day came to, at a shell: a row for each figure that is not nothing, under its account and country. */
import type { JsonObject } from './client.ts';
import { type Output, grouped, printable } from './output.ts';
import { itemsOf } from './record.ts';
import { labelOf } from './words.ts';

export async function printDaily(body: JsonObject, output: Output): Promise<void> {
  const rows = itemsOf(body, 'rows');
  const stands = body['closed'] === true ? 'over: it does not change any more' : 'not over yet';
  await output.facts([['date', `${printable(body['date'])} (${printable(body['timezone'])}), ${stands}`]]);
  for (const { account, country, texts, segments, costEstimated, ...sums } of rows) {
    await output.line(`\n${printable(account)} ${printable(country)}`.trimEnd());
    const shown = Object.entries(sums).flatMap(([name, sum]) => rowOf(labelOf(name), sum as JsonObject));
    const byState = Object.entries(texts as JsonObject).flatMap(([state, count]) =>
      count === 0 ? [] : [{ what: `texts ${state}`, count, segments: (segments as JsonObject)[state] }],
    );
    if (shown.length > 0) await output.write(output.renderTable(['what', 'count', 'xof'], shown));
    if (byState.length > 0) await output.write(output.renderTable(['what', 'count', 'segments'], byState));
    if (typeof costEstimated === 'number') await output.line(`texts, estimated  ${grouped(costEstimated)} XOF`);
  }
  if (rows.length === 0) await output.note('Nothing happened on that day, and nothing stood.');
}

function rowOf(what: string, { count, xof }: JsonObject): JsonObject[] {
  return typeof count !== 'number' || typeof xof !== 'number' || (count === 0 && xof === 0)
    ? []
    : [{ what, count, xof: grouped(xof) }];
}
