/** Payments with one guard removed. Each must be detected: an unnoticed removal means an untested guard. */
import type { OperationStore } from '../../src/ledger/operation-store.ts';
import type { DisbursementRecord } from '../../src/operations/record.ts';
import { type Change, linesOf } from '../../src/operations/transition.ts';
import type { ProcessorContext } from '../../src/processors/context.ts';
import type { Payments } from '../../src/provider/payments/ask.ts';
import type { PaymentsOptions, PaymentsWorld, StatementsOf } from './payments.ts';
import type { Process } from './process.ts';

export interface Mutant {
  readonly without: string;
  /** The broken guarantee. */
  readonly breaks: RegExp;
  readonly options: Omit<PaymentsOptions, 'seed'>;
}

const kind = { mode: 'resubmit', promises: { uniqueId: true, singleUse: true } } as const;
/** The provider refuses nothing; nothing is ever sent again. */
const strict = { mode: 'strict', promises: { uniqueId: false, singleUse: false } } as const;
const wild = { ...kind, faults: { freeze: 0.1, provider: 0.6, standsStillBeforeSend: 0 } } as const;

export const mutants: readonly Mutant[] = [
  {
    without: 'the intent before the bytes',
    breaks: /P1|P7/,
    options: { ...strict, tamperStore: intentAfterwards },
  },
  {
    without: 'the token in the intent',
    breaks: /P5|P7/,
    options: {
      ...kind,
      tamper: (context) => withChange(context, ({ set, ...change }) => ({ ...change, set: { ...set, token: '' } })),
    },
  },
  { without: 'the lease on a change', breaks: /P1|P7|P9|P10/, options: { ...wild, guards: { lease: false } } },
  {
    without: 'the comparison before a change',
    breaks: /P\d/,
    options: { ...strict, guards: { state: false, lease: false } },
  },
  { without: 'the due time behind a lease', breaks: /P5/, options: { ...kind, guards: { staysDue: false } } },
  {
    without: 'the event in the transaction',
    breaks: /P3|P6|P11/,
    options: { ...kind, guards: { eventInside: false } },
  },
  {
    without: 'the deadline before the first byte',
    breaks: /P7|P9|P10/,
    options: { ...wild, tamper: (context) => withPayments(context, noDeadline(context)) },
  },
  {
    without: 'the unique token',
    breaks: /P1|P3|P4/,
    options: { ...strict, faults: { tokenTwice: 0.2 }, guards: { uniqueToken: false } },
  },
  { without: 'the quiet period', breaks: /P10/, options: { ...kind, policy: { quietMs: 0 } } },
  { without: 'strictness', breaks: /P1|P9/, options: { ...strict, policy: { resubmit: true } } },
  {
    without: 'the second answer of `created`',
    breaks: /P10/,
    options: { ...kind, tamper: (context) => withRecord(context, { createdSeenAt: 1 }) },
  },
  {
    without: 'the second answer of `failed`',
    breaks: /P19/,
    options: { ...kind, faults: { lies: 0.5 }, tamper: (context) => withRecord(context, { failedSeenAt: 1 }) },
  },
  {
    without: 'the doubt about silence: what is unknown is sent again',
    breaks: /P1|P9/,
    options: { ...strict, tamper: (context) => withPayments(context, neverSent(context)) },
  },
  {
    without: 'the doubt about the word in the answer to a submit',
    breaks: /P3|P4/,
    options: { ...kind, tamper: (context) => withChange(context, believeTheAnswer) },
  },
  {
    without: 'the status check behind a callback',
    breaks: /P3|P4|P11/,
    options: { ...kind, tamperStore: believeTheCallback },
  },
];

type Disbursing = Change<'disbursement'>;

const LATE_INTENT_MS = 5_000;

/** The ledger confirms the intent, and stores it a moment later. */
function intentAfterwards(
  statements: StatementsOf,
  process: Process,
  { ledger, timeline }: PaymentsWorld,
): StatementsOf {
  return {
    ...statements,
    change: async (one) => {
      if (!one.intends) return statements.change(one);
      const row = ledger.rows.get(one.id);
      if (row?.lease !== one.lease || row?.state !== one.was) return undefined;
      process.goOn(LATE_INTENT_MS, () => void ledger.change(one));
      return { known: true, version: row.version + 1, at: timeline.now };
    },
  };
}

function believeTheCallback(statements: StatementsOf, _process: Process, { ledger }: PaymentsWorld): StatementsOf {
  return {
    ...statements,
    signal: async (one) => {
      const signalled = await statements.signal(one);
      const row = ledger.rows.get(one.id);
      if (row === undefined || !['submitting', 'unknown', 'pending'].includes(row.state)) return signalled;
      const event = { type: 'disbursement.succeeded', data: { id: one.id } };
      await statements.change({ id: one.id, was: row.state, state: 'succeeded', event, finished: true });
      return signalled;
    },
  };
}

function withStore(
  context: ProcessorContext,
  changed: Partial<Pick<OperationStore, 'acquire' | 'transition'>>,
): ProcessorContext {
  const store = context.operations;
  const kept = {
    take: store.take.bind(store),
    handBack: store.handBack.bind(store),
    appendEvidence: store.appendEvidence.bind(store),
    acquire: store.acquire.bind(store),
    transition: store.transition.bind(store),
  };
  return { ...context, operations: { ...kept, ...changed } as unknown as ProcessorContext['operations'] };
}

/** Every attempt after a send finds these values in its record. */
function withRecord(context: ProcessorContext, values: Partial<DisbursementRecord>): ProcessorContext {
  const store = context.operations;
  const acquire = async (...args: Parameters<OperationStore['acquire']>) => {
    const acquired = await store.acquire(...args);
    if (acquired.is !== 'acquired' || (acquired.record as { sends?: number }).sends === 0) return acquired;
    return { ...acquired, record: { ...acquired.record, ...values } };
  };
  return withStore(context, { acquire: acquire as unknown as OperationStore['acquire'] });
}

function withChange(context: ProcessorContext, alter: (change: Disbursing) => Disbursing): ProcessorContext {
  const store = context.operations;
  const transition = (record: DisbursementRecord, lease: string | undefined, change: Disbursing) =>
    store.transition(record, lease, alter(change));
  return withStore(context, { transition: transition as unknown as OperationStore['transition'] });
}

function withPayments(context: ProcessorContext, changed: Partial<Payments>): ProcessorContext {
  const { createDisbursement, submitDisbursement, disbursementStatus } = context.upstream.payments;
  const payments = { createDisbursement, submitDisbursement, disbursementStatus, ...changed } as unknown as Payments;
  return { ...context, upstream: { ...context.upstream, payments } };
}

function believeTheAnswer(change: Disbursing): Disbursing {
  const { to, evidence } = change;
  const word = linesOf(evidence).find(({ operation }) => operation === 'submit')?.detail;
  if (to !== 'pending' || (word !== 'success' && word !== 'failed')) return change;
  return { ...change, to: word === 'success' ? 'succeeded' : 'failed', dueInMs: undefined };
}

function neverSent({ upstream: { payments } }: ProcessorContext): Partial<Payments> {
  return {
    submitDisbursement: async (...args) => {
      const verdict = await payments.submitDisbursement(...args);
      const isSilent = verdict.exchange.code === 'no_answer';
      return isSilent ? { ...verdict, exchange: { ...verdict.exchange, sent: 'never' } } : verdict;
    },
  };
}

function noDeadline({ upstream: { payments } }: ProcessorContext): Partial<Payments> {
  return { submitDisbursement: (account, request) => payments.submitDisbursement(account, request) };
}
