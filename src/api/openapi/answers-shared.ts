/** Pieces that several answers are made of. Readers leave alone what they do not know: fields may be added. */
import { z } from 'zod';

export const time = z.iso.datetime().meta({ example: '2026-11-21T08:00:00.000Z' });
export const perhaps = <T extends z.ZodType>(type: T) => z.nullable(type);
export const text = (example: string) => z.string().meta({ example });
export const count = z.int().nonnegative().meta({ example: 2 });
export const xof = z.int().meta({ description: 'Whole XOF.', example: 25_000 });

export const accountField = text('main').meta({ description: 'The name of the account.' });
export const referenceField = perhaps(text('order-1042')).meta({ description: 'The name that the caller gave it.' });
export const reasonField = perhaps(text('funds')).meta({
  description: 'Why, as a word for programs. `GET /v1/explain/{word}` says it in a sentence.',
});

export const decisionFields = {
  resolvedBy: z.string().optional().meta({ description: 'The name of the key that resolved it last.' }),
  note: z.string().optional().meta({ description: 'Why it was resolved so.' }),
};

const historyLine = z.looseObject({
  at: time,
  operation: text('submit').meta({ description: 'What was asked, or `callback` for what was posted to us.' }),
  code: text('ok').meta({ description: "The service's code, or ours for an exchange that gave none." }),
  httpStatus: z.int().optional().meta({ example: 200 }),
  detail: z.string().optional(),
});

export const historyFields = {
  history: z
    .array(historyLine)
    .meta({ description: 'What the service said, in order: the first and the last lines.' }),
  historyDropped: z.int().optional().meta({ description: 'How many lines in the middle are no longer kept.' }),
};

const cursor = perhaps(text('dsb_0f6c8d4b2a1e49578c3d')).meta({
  description: 'Give it as `after` to go on; null at the end.',
});

/** In the place of a record that cannot be read; nobody acts on one. */
const unreadable = z
  .looseObject({ id: text('dsb_0f6c8d4b2a1e49578c3d'), state: z.literal('unreadable') })
  .meta({ id: 'Unreadable', description: 'Written by another version, or damaged: `relais doctor` names it.' });

export const listOf = <T extends z.ZodType>(item: T, id: string) =>
  z.looseObject({ items: z.array(z.union([item, unreadable])), next: cursor }).meta({ id });

/** By state or country or mode: how many, and how much. */
export const sums = z
  .record(z.string(), z.looseObject({ count, xof }))
  .meta({ example: { succeeded: { count: 2, xof: 50_000 } } });
