/** Fields of several kinds, and parts of their answers. Readers must ignore unknown fields. */
import { z } from 'zod';
import { derived, maybeJson, maybeText, shown, text, time } from './fields.ts';

export const moment = z.iso.datetime().meta({ example: '2026-11-21T08:00:00.000Z' });
export const perhaps = <T extends z.ZodType>(type: T) => z.nullable(type);
export const example = (value: string) => z.string().meta({ example: value });
export const howMany = z.int().nonnegative().meta({ example: 2 });
export const xof = z.int().meta({ description: 'Whole XOF.', example: 25_000 });

/** By state, country or mode: count and sum. */
export const sums = z
  .record(z.string(), z.looseObject({ count: howMany, xof }))
  .meta({ example: { succeeded: { count: 2, xof: 50_000 } } });

/** Its example has the prefix of the kind. */
export const id = shown(text, z.string());

/** Its schema lists the states of the kind. */
export const stateLike = (state: string, description?: string) =>
  shown(text, z.string().meta({ example: state, ...(description === undefined ? {} : { description }) }));

export const account = shown(text, example('main').meta({ description: 'Name of the account.' }));
export const reference = shown(
  maybeText,
  perhaps(example('order-1042')).meta({ description: 'The name that the caller gave it.' }),
);
export const metadata = shown(
  maybeJson<Readonly<Record<string, string>>>(),
  z
    .record(z.string(), z.string())
    .optional()
    .meta({ description: 'The data that the caller gave it.', example: { orderId: '1042' } }),
);
export const reason = shown(
  maybeText,
  perhaps(example('funds')).meta({
    description: 'Why, as a word for programs. `GET /v1/explain/{word}` says it in a sentence.',
  }),
);
export const failure = shown(
  maybeText,
  perhaps(z.string()).meta({ description: 'What the provider said about it.' }),
);
export const createdAt = shown(time, moment);
export const updatedAt = shown(time, moment);

const note = shown(
  maybeText,
  z.string().optional().meta({ description: 'The reason that a person gave for the decision.' }),
);

/** The person who rejected it. */
export const rejectedBy = shown(
  maybeText,
  z.string().optional().meta({ description: 'The name of the key that rejected it.' }),
);

/** Decisions of users: the last one to resolve it, and why. */
export const decisions = {
  resolvedBy: shown(
    maybeText,
    z.string().optional().meta({ description: 'The name of the key that resolved it last.' }),
  ),
  note,
};

/** A different person's decision against an approval. */
export const rejection = { rejectedBy, note };

const historyLine = z.looseObject({
  at: moment,
  operation: example('submit').meta({ description: 'What was asked, or `callback` for what was posted to us.' }),
  code: example('ok').meta({ description: "The provider's code, or ours for an exchange that gave none." }),
  httpStatus: z.int().optional().meta({ example: 200 }),
  detail: z.string().optional(),
});

/** Stored as evidence. */
export const story = {
  history: derived(
    z.array(historyLine).meta({ description: 'What the provider said, in order: the first and the last lines.' }),
  ),
  historyDropped: derived(
    z.int().optional().meta({ description: 'How many lines in the middle are no longer kept.' }),
  ),
};
