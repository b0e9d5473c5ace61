/** Common parts of answers. Readers must ignore unknown fields: fields may be added. */
import { z } from 'zod';
import { account, example, moment, perhaps, reason } from '../../kinds/answer-pieces.ts';
import { holdAreas } from '../../kinds/account.ts';
import { type Kind, asDeclared, statesOf } from '../../kinds/index.ts';

export { example as text, howMany as count, moment as time, perhaps, sums } from '../../kinds/answer-pieces.ts';

export const accountField = account.shown;
export const reasonField = reason.shown;

/** The answer about one operation: the shown fields of its kind, in order. */
export function answerOf(kind: Kind) {
  const { prefix, fields } = asDeclared(kind);
  const shape: Record<string, z.ZodType> = {};
  for (const [name, { shown, as = name }] of Object.entries(fields)) if (shown) shape[as] = shown;
  shape['id'] = example(`${prefix}_0f6c8d4b2a1e49578c3d`);
  shape['state'] = z.enum(statesOf(kind)).meta(shape['state']?.meta() ?? {});
  return z.looseObject(shape).meta({ id: capitalised(kind) });
}

/** `payment_request` → `PaymentRequest` */
export const capitalised = (kind: string): string =>
  kind.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

export const cursor = perhaps(example('dsb_0f6c8d4b2a1e49578c3d')).meta({
  description: 'Give it as `after` to go on; null at the end.',
});

/** Fields that lists omit: they are long, or need a query. */
export const TOLD_ALONE = ['history', 'historyDropped', 'problems', 'warnings', 'expiresAt', 'states'];

export function listAnswerOf(kind: Kind) {
  const { shape } = answerOf(kind);
  const row = Object.fromEntries(Object.entries(shape).filter(([name]) => !TOLD_ALONE.includes(name)));
  const item = z.looseObject(row).meta({ id: `${capitalised(kind)}Row` });
  return z.looseObject({ items: z.array(item), next: cursor }).meta({ id: `${capitalised(kind)}List` });
}

export const listOf = <T extends z.ZodType>(item: T, id: string) =>
  z.looseObject({ items: z.array(item), next: cursor }).meta({ id });

/** The fields of a hold. */
export const holdFields = {
  area: z.enum(holdAreas),
  reason: example('funds'),
  since: moment,
  came: example('html (text/html, begins: <b>Warning</b>)')
    .optional()
    .meta({ description: 'Of `provider_unreadable`: type, encoding and beginning of the answer that came.' }),
};
