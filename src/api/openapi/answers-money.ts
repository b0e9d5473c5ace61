/** What is answered about money that leaves: disbursements, batches of them, direct credits, balances. */
import { z } from 'zod';
import { statesOf } from '../../kinds/states.ts';
import {
  accountField,
  count,
  decisionFields,
  historyFields,
  listOf,
  perhaps,
  reasonField,
  referenceField,
  sums,
  text,
  time,
  xof,
} from './answers-shared.ts';

export const disbursement = z
  .looseObject({
    id: text('dsb_0f6c8d4b2a1e49578c3d'),
    state: z.enum(statesOf('disbursement')).meta({
      example: 'succeeded',
      description:
        '`succeeded failed reversed rejected cancelled` are final; only a late word of the service leads on from the first two. `unknown` is neither success nor failure.',
    }),
    amount: xof,
    accountAlias: text('771234567'),
    withdrawMode: text('wallet-a-senegal'),
    reference: referenceField,
    account: accountField,
    disburseId: text('0f6c8d4b2a1e49578c3d7b90a2e4f611').meta({
      description: 'Our unique reference at the service.',
    }),
    token: perhaps(text('jMcHr7X9kQ')).meta({ description: "The service's name for it, once it has one." }),
    transactionId: perhaps(text('TX-20261121-0042')),
    providerRef: perhaps(text('8842017')),
    reason: reasonField,
    late: z
      .literal(true)
      .optional()
      .meta({ description: 'It ended after we had given up on it, or otherwise than was told before.' }),
    batch: z.string().optional().meta({ description: 'The batch that it is a row of.' }),
    approvedBy: z.string().optional().meta({ description: 'The name of the key that approved it.' }),
    ...decisionFields,
    createdAt: time,
    updatedAt: time,
    ...historyFields,
  })
  .meta({ id: 'Disbursement' });

export const disbursements = listOf(disbursement, 'DisbursementList');

const finding = z.looseObject({
  row: perhaps(z.int()).meta({ example: 2, description: 'As a spreadsheet numbers it; null: the file as a whole.' }),
  column: perhaps(text('amount')),
  reason: text('must be a whole number of XOF'),
});

const totals = z.looseObject({ count, xof, countries: sums, modes: sums });
const contentHash = text('b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c').meta({
  description: 'SHA-256 of the bytes as they came: what is approved is exactly this.',
});
const batchState = z.enum(statesOf('batch')).meta({ example: 'awaiting_approval' });

export const batch = z
  .looseObject({
    id: text('bat_0f6c8d4b2a1e49578c3d'),
    state: batchState,
    account: accountField,
    reason: reasonField,
    contentHash,
    totals,
    problems: z
      .array(finding)
      .meta({ description: 'What is wrong, the first hundred; one is enough to refuse all.' }),
    problemCount: z.int().meta({ example: 1 }),
    warnings: z.array(finding),
    warningCount: z.int().meta({ example: 0 }),
    uploadedBy: text('maker'),
    approvedBy: perhaps(text('checker')),
    approvedAt: perhaps(time),
    expiresAt: perhaps(time),
    createdAt: time,
    updatedAt: time,
    states: sums.meta({ description: 'Its rows by what became of them.' }),
  })
  .meta({ id: 'Batch' });

const reportLine = z.looseObject({
  row: z.int().meta({ example: 2 }),
  reference: text('salary-2026-11-awa'),
  id: perhaps(text('dsb_0f6c8d4b2a1e49578c3d')),
  state: text('succeeded'),
  reason: reasonField,
  amount: xof,
  accountAlias: text('771234567'),
  withdrawMode: text('wallet-a-senegal'),
  disburseId: perhaps(z.string()),
  token: perhaps(z.string()),
  transactionId: perhaps(z.string()),
  providerRef: perhaps(z.string()),
});

export const batchReport = z
  .looseObject({
    id: text('bat_0f6c8d4b2a1e49578c3d'),
    state: batchState,
    contentHash,
    totals,
    items: z.array(reportLine),
    states: sums,
  })
  .meta({ id: 'BatchReport' });

export const directCredit = z
  .looseObject({
    id: text('dcr_0f6c8d4b2a1e49578c3d'),
    state: z.enum(statesOf('direct_credit')).meta({ example: 'queued' }),
    amount: xof,
    accountAlias: text('shop-account'),
    transactionId: perhaps(text('DC-77')),
    reason: reasonField,
    failure: perhaps(z.string()).meta({ description: 'What the service said.' }),
    ...decisionFields,
    reference: referenceField,
    account: accountField,
    createdAt: time,
    updatedAt: time,
    ...historyFields,
  })
  .meta({ id: 'DirectCredit' });

export const balances = z
  .looseObject({
    account: accountField,
    approximate: z.literal(true).meta({ description: 'The service calls its own figures an approximation.' }),
    balances: z
      .record(z.string(), perhaps(z.number()))
      .meta({ description: 'XOF by country; null: it could not be read.', example: { SN: 1_250_000 } }),
    inFlight: z
      .record(z.string(), z.int())
      .optional()
      .meta({
        description: 'XOF that have still to leave or are on their way, by country.',
        example: { SN: 25_000 },
      }),
    afterInFlight: z
      .record(z.string(), perhaps(z.number()))
      .optional()
      .meta({ description: 'What would be left then: advice, never a gate.', example: { SN: 1_225_000 } }),
  })
  .meta({ id: 'Balances' });
