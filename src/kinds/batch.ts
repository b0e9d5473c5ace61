/** A file of disbursements, approved as a whole. Uploading the bytes of an invalid one again repeats the check. */
import { z } from 'zod';
import {
  account,
  createdAt,
  example,
  howMany,
  id,
  moment,
  perhaps,
  reason,
  rejection,
  stateLike,
  sums,
  updatedAt,
  xof,
} from './answer-pieces.ts';
import { events, told } from './events.ts';
import { count, derived, json, maybeText, maybeTime, shown, shownAs, text } from './fields.ts';
import { kind } from './kind.ts';
import { type NotifyRequest, notifiedStates } from './notify.ts';
import type { Message } from '../messages/message.ts';

const nobody = Object.fromEntries(['uncertain', 'open', 'elsewhere'].map((one) => [one, { count: 0, xof: 0 }]));

const finding = z.looseObject({
  row: perhaps(z.int()).meta({ example: 2, description: 'As a spreadsheet numbers it; null: the file as a whole.' }),
  column: perhaps(example('amount')),
  reason: example('must be a whole number of XOF'),
});

export const totals = z.looseObject({ count: howMany, xof: xof, countries: sums, modes: sums });
/** The hash of the approved content. */
export const contentHash = example('b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c').meta({
  description:
    'SHA-256 of the bytes as they came, and of the options of the upload: what is approved is exactly this.',
});

/** Payment outcomes of a row, in order of urgency. */
export const batchOutcomes = ['notPaid', 'uncertain', 'open', 'elsewhere', 'paid'] as const;
export type BatchOutcome = (typeof batchOutcomes)[number];

const outcomeSum = z.looseObject({ count: howMany, xof });
const outcome = z
  .looseObject(
    Object.fromEntries(batchOutcomes.map((one) => [one, outcomeSum])) as Record<BatchOutcome, typeof outcomeSum>,
  )
  .meta({
    example: { ...nobody, notPaid: { count: 3, xof: 664_000 }, paid: { count: 197, xof: 45_013_500 } },
    description:
      'Its rows by what became of the money. `notPaid`: `failed`, `rejected`, `cancelled` or `reversed`. `uncertain`: ' +
      '`unknown` or `needs_review`. `elsewhere`: accepted before, and counted there. null: not approved yet. A list has it ' +
      'as it was when the batch finished, and null before.',
  });

/** As it was asked for beside the file. */
export type BatchNotify = Omit<NotifyRequest, 'phone'>;

/** Options of an upload. The approved hash covers them. */
export interface BatchUploadOptions {
  /** Earliest time of each payment. */
  readonly notBefore?: string;
  /** Reading of a table with its own headings: columns, wallets, rows left out. */
  readonly reading?: Record<string, z.core.util.JSONType>;
  /** The SMS to each payee, with the columns of the file as variables. */
  readonly notify?: BatchNotify;
}

/** Count, and whole XOF. */
export type Sum = Readonly<Record<'count' | 'xof', number>>;

export interface BatchTotals extends Sum {
  /** By ISO 3166 code; `service` for transfers between accounts of the provider, which have no country. */
  readonly countries: Readonly<Record<string, Sum>>;
  readonly modes: Readonly<Record<string, Sum>>;
}

/** One finding about one cell of the file. */
export interface Finding {
  /** Spreadsheet numbering: the header of a CSV file is row 1. null: the file as a whole. */
  readonly row: number | null;
  /** null: the whole row. */
  readonly column: string | null;
  readonly reason: Message;
}

/** The finding for programs and logs. */
export type FindingText = Omit<Finding, 'reason'> & { readonly reason: string };

/** All findings are counted, the first hundred are stored. */
export interface Findings {
  readonly count: number;
  readonly list: readonly Finding[];
}

const sent = { contentHash: 'q0c1…', by: 'maker', totals: { count: 2, xof: 50_000 } };

export const batch = kind({
  prefix: 'bat',
  area: 'payments',
  states: {
    invalid: {
      says: 'The file has problems, so nothing of it is paid.',
      next: 'Correct the file and upload it again.',
      to: ['awaiting_approval', 'cancelled'],
    },
    awaiting_approval: {
      says: 'It waits for the approval of a different person (four-eyes); nothing was paid.',
      next: 'A different person approves it, with the hash that relais disburse batch-show {id} shows: relais disburse approve {id} --hash HASH',
      queue: 'batch',
      to: ['running', 'cancelled', 'expired', 'needs_review'],
      restored: 'review',
    },
    running: {
      says: 'It was approved, and its rows are being paid.',
      queue: 'batch',
      to: ['finished', 'needs_review'],
      restored: 'review',
    },
    needs_review: {
      says: 'A person must decide whether the rows that are not accepted yet can be paid.',
      to: ['running', 'cancelled'],
    },
    finished: { says: 'Every payment has a final status, or needs review.' },
    cancelled: { says: 'It was cancelled; payments of rows that were accepted before continue.' },
    expired: {
      says: 'It was not approved in time, so nothing of it is paid.',
      next: 'Upload it again under another Idempotency-Key.',
    },
  },
  fields: {
    id,
    state: stateLike('awaiting_approval'),
    account,
    reason,
    contentHash: shown(text, contentHash),
    fileName: shown(
      maybeText,
      example('salaries-2026-11.csv').optional().meta({ description: 'The name of the file, as it was uploaded.' }),
    ),
    retryOf: shown(
      maybeText,
      example('bat_0f6c8d4b2a1e49578c3d')
        .optional()
        .meta({ description: 'The batch whose unpaid rows it pays again.' }),
    ),
    totals: shown(json<BatchTotals>(), totals),
    problems: shown(
      json<Findings>(),
      z.array(finding).meta({ description: 'What is wrong, the first hundred; one is enough to refuse all.' }),
    ),
    problemCount: derived(z.int().meta({ example: 1 })),
    warnings: shown(json<Findings>(), z.array(finding)),
    warningCount: derived(z.int().meta({ example: 0 })),
    /** Name of the uploading key, which cannot approve the batch. */
    by: shownAs(text, 'uploadedBy', example('maker')),
    approvedBy: shown(maybeText, perhaps(example('checker'))),
    approvedAt: shown(maybeTime, perhaps(moment)),
    ...rejection,
    expiresAt: derived(perhaps(moment)),
    createdAt,
    updatedAt,
    states: derived(sums.meta({ description: 'Its rows by what became of them.' })),
    outcome: derived(perhaps(outcome)),

    notBefore: derived(perhaps(moment).meta({ description: 'No payment of it is sent before this time.' })),
    reading: derived(
      perhaps(z.record(z.string(), z.json())).meta({
        example: {
          columns: { accountAlias: 'Téléphone', amount: 'Net à payer' },
          referencePrefix: 'salaries-2026-11',
        },
        description: 'How a table with its own headings was read. null: it has the columns of relais.',
      }),
    ),
    notify: derived(
      perhaps(
        z.looseObject({
          text: example('Bonjour {{prenom}}, vous avez recu {{amount}} F.'),
          failedText: z.string().optional(),
          on: z.array(z.enum(notifiedStates)).meta({ example: ['succeeded'] }),
        }),
      ).meta({ description: 'The SMS that each payee gets. null: none.' }),
    ),

    /** Options of the upload; the approved hash covers them. */
    options: json<BatchUploadOptions>({}),
    /** Headings of columns that the report returns. */
    columns: json<readonly string[]>([]),
    /** Number of rows given to acceptance; also the next position. */
    fed: count,
    /** Every row before this position has ended, or needs review. */
    mark: count,
    /** Its rows by state when it finished. Later changes of a payment are not included: for display in lists only. */
    endedAs: json<Readonly<Record<string, Sum>>>({}),
  },
  events: events(
    {
      'batch.awaiting_approval': {
        says: 'The payment batch waits for approval by a different person; none of its rows is paid before.',
        example: { contentHash: 'q0c1…', by: 'maker', totals: sent.totals },
      },
      'batch.finished': {
        says: 'Every payment of the batch has a final status or needs review. `states` counts them.',
        example: {
          contentHash: 'q0c1…',
          by: 'maker',
          approvedBy: 'checker',
          totals: { count: 3, xof: 50_000 },
          states: { succeeded: { count: 2, xof: 40_000 }, failed: { count: 1, xof: 10_000 } },
        },
      },
      'batch.cancelled': {
        says: 'The payment batch was cancelled or rejected: its rows are not paid.',
        example: { ...sent, reason: 'not_approved', note: 'The amounts are wrong', rejectedBy: 'checker' },
      },
      'batch.needs_review': {
        says: 'An operator must decide whether the rows that are not accepted yet can be paid.',
        example: { ...sent, reason: 'restored' },
      },
    },
    {
      carries: {
        contentHash: z.string().meta({ description: 'Of the bytes that were approved.' }),
        by: z.string().optional().meta({ description: 'The key that sent it.' }),
        approvedBy: z.string().optional().meta({ description: 'The key that approved it.' }),
        totals: z.looseObject({ count: z.int(), xof: told.xof }).optional(),
      },
      more: {
        states: z
          .record(z.string(), z.looseObject({ count: z.int(), xof: told.xof }))
          .optional()
          .meta({ description: 'Its rows by what became of them: how many, and how many XOF.' }),
        reason: told.reason,
        note: told.note,
        rejectedBy: told.rejectedBy,
      },
    },
  ),
});
