/** Answers about events, queues and accounts; and every refusal. */
import { z } from 'zod';
import { kinds } from '../../kinds/index.ts';
import { ruleNames } from '../../kinds/rules.ts';
import { eventSchema } from '../../events/catalogue.ts';
import { moneyLimits } from '../../kinds/limits.ts';
import { reviewKinds } from '../../operations/review.ts';
import { doubtAges } from '../../kinds/system.ts';
import { accountField, answerOf, count, holdFields, listOf, perhaps, sums, text, time } from './answers-shared.ts';
import { workersAtWork } from './answers-workers.ts';

const xofSum = z.int().meta({ example: 250_000 });

export const eventPage = z
  .looseObject({
    events: z.array(eventSchema),
    next: perhaps(text('1-48211')).meta({
      description: 'Where to go on from: give it as `after`, the same one again while nothing new has come.',
    }),
    more: z.boolean().meta({
      example: false,
      description:
        'Whether to ask again at once: the end was not reached. A page may be short, or empty, where others were stepped over.',
    }),
  })
  .meta({ id: 'EventPage' });

export const queueList = z
  .looseObject({
    items: z.array(
      z.looseObject({
        name: text('disbursement'),
        paused: z.boolean().meta({ example: false }),
        waiting: count.meta({ description: 'Wake-ups, or of payments what is due, that no worker has taken yet.' }),
        active: count.meta({ description: 'Wake-ups that are taken; of payments, workers that are taking.' }),
        due: count.meta({ description: 'Operations in the due index of this queue.' }),
      }),
    ),
  })
  .meta({ id: 'QueueList' });

export const status = z
  .looseObject({
    operations: z.record(z.string(), z.record(z.string(), z.int())).meta({
      description: 'Of each kind how many stand in each state.',
      example: { disbursement: { succeeded: 41 } },
    }),
    inDoubt: z
      .array(z.looseObject({ age: z.enum(doubtAges), xof: xofSum, count }))
      .meta({ description: 'Money that may have been paid and is not known to be, by how long it has stood so.' }),
    waiting: z
      .array(z.looseObject({ kind: text('batch'), state: text('awaiting_approval'), count, xof: xofSum }))
      .meta({ description: 'What waits for a person.' }),
    holds: z
      .array(
        z.looseObject({
          account: accountField,
          ...holdFields,
          until: perhaps(time).meta({ description: 'When it is tried again; null: a person ends it.' }),
          count: count.meta({ description: 'Payments that wait behind it; of texts, recipients of campaigns.' }),
          xof: xofSum,
        }),
      )
      .meta({ description: 'What holds which account, the longest first.' }),
    campaigns: z
      .array(
        z.looseObject({
          id: text('cmp_0f6c8d4b2a1e49578c3d'),
          name: text('November'),
          account: accountField,
          state: text('running'),
          reason: perhaps(text('funds')),
          total: count.meta({ description: 'People who get the SMS; skipped rows are not counted.' }),
          waiting: count.meta({ description: 'Recipients that nothing was sent to yet.' }),
          rate: z.number().meta({ example: 48.5 }),
          eta: perhaps(time),
        }),
      )
      .meta({ description: 'Those under way, ten at most; `operations` says how many there are.' }),
    ...workersAtWork,
    balances: z
      .array(
        z.looseObject({
          account: accountField,
          country: text('SN'),
          xof: perhaps(z.number().meta({ example: 1_250_000 })),
          inFlight: xofSum.meta({ description: 'XOF that have still to leave or are on their way.' }),
          at: time,
        }),
      )
      .meta({ description: 'As a worker saw them last (BALANCE_INTERVAL). The provider calls them approximate.' }),
    trialNumbers: perhaps(count).meta({
      description:
        'How many numbers TRIAL_NUMBERS has: other numbers are refused. null: no trial, every number is allowed.',
    }),
  })
  .meta({ id: 'Status' });

export const account = z
  .looseObject({
    name: text('main'),
    held: z.array(z.looseObject(holdFields)).meta({ description: 'Empty: its operations go on.' }),
  })
  .meta({ id: 'Account' });

export const accounts = z.looseObject({ items: z.array(account) }).meta({ id: 'AccountList' });

const limitValue = perhaps(z.int().meta({ example: 2_000_000 })).meta({
  description: 'XOF; ms for DUPLICATE_WINDOW. null: no limit.',
});

export const limitStanding = z
  .looseObject({
    name: z.enum(moneyLimits).meta({ example: 'MAX_DISBURSEMENT' }),
    value: limitValue,
    since: perhaps(time).meta({ description: 'null: nobody has said anything; the default holds.' }),
    by: perhaps(text('maker and checker')).meta({
      description: 'The keys that set it, or the roles of the process whose settings did.',
    }),
    asked: z
      .looseObject({ value: limitValue, by: text('maker'), at: time })
      .optional()
      .meta({ description: 'Looser than what holds: waits a day for a different person to ask for the same.' }),
  })
  .meta({ id: 'Limit' });

export const limitList = z.looseObject({ items: z.array(limitStanding) }).meta({ id: 'LimitList' });

export const explanation = z
  .looseObject({
    id: text('dsb_0f6c8d4b2a1e49578c3d'),
    kind: z.enum([...kinds, 'word']).meta({ example: 'disbursement' }),
    state: perhaps(text('held')),
    summary: text('25,000 XOF to 771234567 wait: the balance is too low.'),
    story: z.array(z.looseObject({ at: text('2026-11-21T08:00:00.000Z'), what: text('the provider gave a token') })),
    next: text('There is nothing to do: relais continues by itself.'),
    nextLook: perhaps(time),
  })
  .meta({ id: 'Explanation' });

export const callback = z
  .looseObject({
    id: text('dsb_0f6c8d4b2a1e49578c3d'),
    known: z.boolean().meta({ example: true, description: 'false: posted, signed, about nothing that we know.' }),
    body: text('{"status":"completed"}').meta({
      description: 'The last body that the provider posted, with secrets out.',
    }),
  })
  .meta({ id: 'Callback' });

export const anyJson = z.looseObject({}).meta({ id: 'JsonDocument' });

export const problemKind = z
  .looseObject({
    type: text('http://127.0.0.1:3000/problems/invalid'),
    title: text('Invalid request; nothing was done'),
    status: z.int().meta({ example: 422 }),
    next: text('Correct what `problems` names.').meta({ description: 'What to do about it.' }),
  })
  .meta({ id: 'ProblemKind' });

export const problem = z
  .looseObject({
    type: text('http://127.0.0.1:3000/problems/invalid').meta({
      description: 'Which refusal it is; its last part is for programs.',
    }),
    title: text('Invalid request; nothing was done'),
    status: z.int().meta({ example: 422 }),
    detail: text('/amount must be a whole number of XOF').meta({ description: 'What to do about it.' }),
    problems: z
      .array(
        z.looseObject({
          pointer: text('/amount'),
          message: text('must be a whole number of XOF'),
          code: z.string().optional(),
        }),
      )
      .optional()
      .meta({
        description: 'With 422: everything that is wrong, and where (JSON Pointer; a query parameter by name).',
      }),
    existingId: z.string().optional().meta({ description: 'With 409: what the identity already stands for.' }),
    rule: z.enum(ruleNames).optional().meta({
      description: 'With 403, 409 and some 422: which rule refused, a word for programs.',
      example: 'other-person',
    }),
    differs: z
      .array(text('/amount'))
      .optional()
      .meta({ description: 'With 409: what is not as in the request that `existingId` stands for.' }),
    state: z.string().optional().meta({ description: 'The state that it is in.' }),
    id: z.string().optional().meta({ description: 'With 502 and 504: what was recorded. Repeat the request.' }),
    code: z.string().optional().meta({ description: 'With 502 and 504: our word for what happened.' }),
    upstreamCode: z.string().optional().meta({ description: "The provider's own code." }),
    message: z.string().optional(),
    retryable: z
      .boolean()
      .optional()
      .meta({ description: 'Whether sending the same again may help. It cannot harm.' }),
    oldest: z.string().optional().meta({ description: 'With 410: the oldest event that is kept.' }),
  })
  .meta({ id: 'Problem' });

const reviewedBatch = z
  .looseObject({
    kind: z.literal('batch'),
    id: text('bat_0f6c8d4b2a1e49578c3d'),
    state: z.literal('needs_review'),
    account: accountField,
    reason: perhaps(text('restored')),
    contentHash: text('b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c'),
    totals: z.looseObject({ count, xof: z.int().meta({ example: 50_000 }) }),
    uploadedBy: text('maker'),
    updatedAt: time,
  })
  .meta({ id: 'ReviewedBatch', description: 'Approving it lets its rows go on; cancelling it ends it.' });

/** As read alone, with its kind. */
const reviewed = z
  .discriminatedUnion('kind', [
    reviewedBatch,
    ...reviewKinds.filter((kind) => kind !== 'batch').map((kind) => answerOf(kind).extend({ kind: z.literal(kind) })),
  ])
  .meta({ id: 'Reviewed', description: 'As where it is read alone, and with its kind.' });

export const reviewList = listOf(reviewed, 'ReviewList');

const recoverySum = z.looseObject({ count, xof: z.int().meta({ example: 50_000 }) });
const parts = { settled: recoverySum, needsReview: recoverySum, underWay: recoverySum, held: recoverySum };
const openKind = text('disbursement').meta({ description: 'A kind of operation, or `recipient` of a campaign.' });

const recoveryReport = z
  .looseObject({
    at: perhaps(time),
    by: text('checker').meta({ description: 'The key that applied it.' }),
    because: text('rolled_back'),
    lostSince: perhaps(time).meta({ description: 'What was done after this time is not known here.' }),
    items: z.array(
      z.looseObject({
        kind: openKind,
        open: recoverySum.meta({ description: 'Before. The others add up to it.' }),
        ...parts,
      }),
    ),
    unreadable: z.looseObject({ count, ids: z.array(text('dsb_0f6c8d4b2a1e4957')) }).meta({
      description: 'Operations that this version cannot read or record, the first by name.',
    }),
    heldCampaigns: z.array(z.looseObject({ id: text('cmp_0f6c8d4b2a1e4957'), name: text('November') })),
    restored: sums.meta({ description: 'Accepted in the lost time, by kind, and recorded again from the journal.' }),
    lostActions: z
      .array(z.looseObject({ at: perhaps(time), act: text('optout.added') }))
      .meta({ description: 'Acts of the lost time that a person must repeat.' }),
    broken: perhaps(text('no journal')).meta({
      description: 'Why the journal does not prove what never left; null: it does.',
    }),
    next: z.array(z.string()).meta({ description: 'What relais cannot do for anybody, a sentence each.' }),
  })
  .meta({ id: 'RecoveryReport' });

export const recovery = z
  .looseObject({
    state: z.enum(['none', 'recovering']),
    because: perhaps(text('copy')).meta({ description: 'How it was noticed.' }),
    since: perhaps(time),
    lastBeat: perhaps(time).meta({ description: 'When relais was last at work on what is there now.' }),
    proven: z
      .boolean()
      .meta({ example: false, description: 'Something was lost: it cannot be confirmed that nothing was.' }),
    open: z
      .array(
        z.looseObject({
          kind: openKind,
          state: text('queued'),
          count,
          xof: z.int().optional().meta({ example: 50_000 }),
          would: z.enum(['review', 'ask', 'hold', 'doubt', 'look', 'nothing']),
        }),
      )
      .optional(),
    says: z
      .array(
        z.looseObject({
          kind: openKind,
          asked: count,
          words: z.record(z.string(), z.int()).meta({ example: { success: 2 } }),
        }),
      )
      .optional()
      .meta({ description: 'What the provider says about those that were asked about.' }),
    over: z.boolean().optional().meta({ description: 'Of a POST. false: ask again.' }),
    first: text('awa').optional().meta({
      description: 'Of `nothingWasLost`: this person has confirmed it, and another person must, too.',
    }),
    progress: z.looseObject({ done: count, of: count }).optional(),
    last: perhaps(recoveryReport).optional().meta({ description: 'What the last one came to.' }),
  })
  .meta({ id: 'Recovery' });

export const purged = z
  .looseObject({
    phone: text('+22177•••4567'),
    looked: z.int().meta({ example: 10_000, description: 'Rows that were read.' }),
    found: z.looseObject({
      messages: z.int().meta({ example: 1 }),
      payments: z
        .int()
        .meta({ example: 0, description: 'Money records that no search by the number finds any more.' }),
      recipients: z.int().meta({ example: 2, description: 'Of campaigns, and rows of uploads that were left out.' }),
      files: z.int().meta({ example: 0, description: 'Files of drafts, dropped: choose them again.' }),
      intakeJobs: z.int().meta({ example: 0, description: 'Requests in the queue `intake`, taken or not.' }),
      events: z.int().meta({ example: 0 }),
      optOuts: z.int().meta({ example: 1, description: 'Lists they opted out of; they still have, by a hash.' }),
    }),
    open: z.int().meta({ example: 0, description: 'On their way, in doubt, or about money: not touched.' }),
    next: text('1536').optional().meta({ description: 'Absent: that was all.' }),
    kept: z.string().meta({ description: 'What stays, and why.' }),
  })
  .meta({ id: 'Purged' });

export const resealed = z
  .looseObject({
    resealed: z.int().meta({ example: 2, description: 'Endpoints that are sealed with the newest secret now.' }),
    unreadable: z
      .array(text('ep_0f6c8d4b2a1e4957'))
      .meta({ description: 'Endpoints with a secret that none of the sealing secrets opens: they need another.' }),
  })
  .meta({ id: 'Resealed' });

export const selection = z
  .looseObject({
    dryRun: z.literal(true),
    count: z.int().meta({ example: 412 }),
    xof: z.int().meta({ example: 10_300_000 }),
    reasons: sums.meta({ description: 'Why they wait: how many, and how much.' }),
    selection: text('5f70bf18a0860070').meta({ description: 'Stands for exactly these, and this outcome.' }),
  })
  .meta({ id: 'Selection' });

export const found = z
  .looseObject({
    items: z.array(
      z.looseObject({
        kind: z.enum(kinds).meta({ example: 'disbursement' }),
        id: text('dsb_0f6c8d4b2a1e49578c3d'),
        state: text('succeeded'),
        reference: perhaps(text('order-1042')),
        account: accountField,
        createdAt: time,
      }),
    ),
  })
  .meta({ id: 'Found' });

export const budgetList = z
  .looseObject({
    items: z.array(
      z.looseObject({
        limit: z.enum(['SMS_BUDGET_DAY', 'SMS_BUDGET_MONTH']),
        value: z.number().meta({ example: 500_000, description: 'XOF that it lets through in its period.' }),
        spent: z.number().meta({ example: 125_000 }),
      }),
    ),
  })
  .meta({ id: 'BudgetList' });
