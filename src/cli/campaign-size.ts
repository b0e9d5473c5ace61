/** The effect of a start on one line: recipients, segments, cost. */
import type { Words } from '../messages/languages.ts';
import { money } from '../messages/figures.ts';
import { readCampaign } from './campaign-follow.ts';
import type { JsonObject } from './client.ts';
import { grouped } from '../messages/counts.ts';
import { printable } from './output.ts';
import { remainingOf } from './progress.ts';

/** `120 people (“Rappel”, 240 segments, about 4 800 XOF; BF has no price)`; for a running campaign, the rest. */
export function sizeOf(body: JsonObject, catalogue: Words): string {
  const { campaign: words, figures } = catalogue;
  const { name, totals, segments } = readCampaign(body, catalogue);
  const { xof, unpriced = [] } = (body['cost'] ?? {}) as { readonly xof?: number; readonly unpriced?: string[] };
  const size = segments === undefined ? '' : words.sizeSegments(grouped(segments));
  const without = unpriced.length === 0 ? '' : words.sizeUnpriced(printable(unpriced.join(', ')));
  const price = xof === undefined ? '' : words.sizeCost(money(xof, figures)) + without;
  return words.size(grouped(remainingOf(totals)), printable(name), size + price);
}
