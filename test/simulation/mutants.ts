/** The protocol with one guard taken away. Each must be noticed: a guard that nobody misses is not tested. */
import { lateness } from '../../src/lib/clock.ts';
import { linesOf, type Change } from '../../src/operations/transition.ts';
import type { Operations } from '../../src/operations/operations.ts';
import type { DisbursementRecord } from '../../src/operations/record.ts';
import type { ProcessorContext } from '../../src/processors/context.ts';
import { derivedHex } from '../../src/lib/ids.ts';
import type { DisbursementStatus, Payments } from '../../src/upstream/payments/ask.ts';
import type { RunOptions } from './run.ts';
import type { World } from './world.ts';

type Disbursing = Change<'disbursement'>;

export interface Mutant {
  readonly without: string;
  /** The promise that breaks. */
  readonly breaks: RegExp;
  readonly options: Omit<RunOptions, 'seed' | 'disbursements'>;
}

const neither = { uniqueId: false, singleUse: false } as const;
const both = { uniqueId: true, singleUse: true } as const;

/** The kindest upstream, and a Redis that keeps every answered write. */
const kind = { mode: 'resubmit', durability: 'each', promises: both } as const;
/** Promises nothing; nothing is ever sent again. */
const strict = { mode: 'strict', durability: 'each', promises: neither } as const;
/** Everything at once, and often. */
export const wild = {
  mode: 'resubmit',
  durability: 'fenced',
  promises: both,
  troubles: { freeze: 0.1, rollback: 0.05, submitFault: 0.6, standsStillBeforeSend: 0 },
} as const;
const strictFenced = { ...strict, durability: 'fenced' } as const;

export const mutants: readonly Mutant[] = [
  {
    without: 'the fence',
    breaks: /P1|P7/,
    options: { ...strictFenced, tamper: (context) => ({ ...context, fence: async () => true }) },
  },
  {
    without: 'the second reading after the fence',
    breaks: /P1|P7/,
    options: { ...strictFenced, tamper: (context) => withOperations(context, { stillMine: async () => true }) },
  },
  { without: 'the lease on a write', breaks: /P1|P7|P9|P10/, options: { ...wild, guards: { lease: false } } },
  {
    without: 'the comparison before a write',
    breaks: /P\d/,
    options: { ...strict, guards: { state: false, lease: false } },
  },
  {
    without: 'the due time behind a lease',
    breaks: /P5|P13/,
    options: { ...kind, guards: { dueAfterLease: false } },
  },
  {
    without: 'the due time behind what was taken',
    breaks: /P5|P13/,
    options: { ...kind, guards: { afterTaking: 'forgotten' } },
  },
  {
    without: 'the question whether somebody holds what was taken',
    breaks: /P21/,
    options: { ...kind, guards: { oneLease: false } },
  },
  { without: 'the quiet period', breaks: /P10/, options: { ...kind, policy: { quietMs: 0 } } },
  { without: 'strictness', breaks: /P1|P9/, options: { ...strict, policy: { resubmit: true } } },
  {
    without: 'the second look',
    breaks: /P10/,
    options: { ...kind, tamper: (context) => withRecord(context, { createdSeenAt: 1 }) },
  },
  {
    without: 'the doubt about 5000',
    breaks: /P4|P6/,
    options: {
      ...kind,
      tamper: (context) =>
        withChange(context, (change) =>
          saysSubmit(change, '5000') ? { ...change, to: 'failed', dueInMs: undefined } : change,
        ),
    },
  },
  {
    without: 'the doubt about silence',
    breaks: /P1|P9/,
    options: { ...kind, promises: neither, tamper: (context) => withPayments(context, neverSent(context)) },
  },
  {
    without: 'the doubt about the word in the answer to a submit',
    breaks: /P3|P4/,
    options: { ...kind, tamper: (context) => withChange(context, believeTheAnswer) },
  },
  {
    without: 'the limit of sends',
    breaks: /P9/,
    options: {
      ...kind,
      troubles: { submitFault: 0.9 },
      tamper: (context) => withRecord(context, { sends: 1 }),
    },
  },
  {
    without: 'the same token for ever',
    breaks: /P8/,
    options: { ...kind, tamper: (context, world) => withPayments(context, anotherToken(context, world)) },
  },
  {
    without: 'the same disburse_id for ever',
    breaks: /P8/,
    options: { ...kind, tamper: (context, world) => withPayments(context, anotherId(context, world)) },
  },
  {
    without: 'the difference between no answer and "created"',
    breaks: /P3|P10/,
    options: {
      ...kind,
      troubles: { statusFault: 0.5 },
      tamper: (context) => withPayments(context, silenceIsCreated(context)),
    },
  },
  {
    without: 'the comparison of the answer with the question',
    breaks: /P3|P4|P6/,
    options: {
      ...kind,
      troubles: { statusOfAnother: 0.1 },
      tamper: (context, world) =>
        withPayments(
          context,
          alwaysNamed(context, world, () => true),
        ),
    },
  },
  {
    without: 'the demand that the answer names the payment',
    breaks: /P3|P4/,
    options: {
      ...kind,
      troubles: { statusOfNobody: 0.1 },
      tamper: (context, world) =>
        withPayments(
          context,
          alwaysNamed(context, world, ({ token }) => token === undefined),
        ),
    },
  },
  {
    without: 'the second look at a failure',
    breaks: /P19/,
    options: {
      ...kind,
      troubles: { lies: 0.5 },
      tamper: (context) => withRecord(context, { failedSeenAt: 1 }),
    },
  },
  {
    without: 'the look at a failure that is contradicted',
    breaks: /P4/,
    options: { ...kind, troubles: { lies: 0.5 }, tamper: (context) => overIsOver(context, 'failed') },
  },
  {
    without: 'the look at a success some days later',
    breaks: /P3/,
    options: { ...kind, troubles: { reverses: 0.5 }, tamper: (context) => overIsOver(context, 'succeeded') },
  },
  {
    without: 'one operation for a token',
    breaks: /P1|P2|P3|P8/,
    options: {
      ...kind,
      troubles: { tokenTwice: 0.1 },
      tamper: (context) => withChange(context, (change) => ({ ...change, claims: undefined })),
    },
  },
  {
    without: 'the second look at the clock, with the open connection in hand',
    breaks: /P7|P9|P10/,
    options: {
      ...kind,
      troubles: { freeze: 0.1 },
      tamper: (context) => withPayments(context, askedBeforeConnecting(context)),
    },
  },
  {
    without: 'the boot clock in the deadline',
    breaks: /P7|P9|P10/,
    options: {
      ...kind,
      troubles: { freeze: 0.1 },
      tamper: (context) => withPayments(context, monotonicOnly(context)),
    },
  },
  {
    without: 'the deadline before the first byte',
    breaks: /P7|P9|P10/,
    options: { ...kind, troubles: { freeze: 0.1 }, tamper: (context) => withPayments(context, noDeadline(context)) },
  },
];

function withOperations(
  context: ProcessorContext,
  changed: Partial<Pick<Operations, 'acquire' | 'transition' | 'stillMine'>>,
): ProcessorContext {
  const { operations } = context;
  const kept: Pick<Operations, 'acquire' | 'transition' | 'stillMine' | 'appendEvidence'> = {
    appendEvidence: (...args) => operations.appendEvidence(...args),
    acquire: (...args) => operations.acquire(...args),
    transition: (...args) => operations.transition(...args),
    stillMine: (...args) => operations.stillMine(...args),
  };
  return { ...context, operations: { ...kept, ...changed } as unknown as Operations };
}

/** Every attempt finds these values in its record, whatever is written there. */
function withRecord(context: ProcessorContext, values: Partial<DisbursementRecord>): ProcessorContext {
  const { operations } = context;
  const acquire = async (...args: Parameters<Operations['acquire']>) => {
    const acquired = await operations.acquire(...args);
    if (acquired.is !== 'acquired') return acquired;
    const { record } = acquired;
    return 'sends' in record && record.sends > 0 ? { ...acquired, record: { ...record, ...values } } : acquired;
  };
  return withOperations(context, { acquire: acquire as unknown as Operations['acquire'] });
}

function withChange(context: ProcessorContext, alter: (change: Disbursing) => Disbursing): ProcessorContext {
  const { operations } = context;
  const settle = (...[record, lease, change]: Parameters<Operations['transition']>) =>
    operations.transition(record as unknown as DisbursementRecord, lease, alter(change as Disbursing));
  return withOperations(context, { transition: settle as Operations['transition'] });
}

function withPayments(context: ProcessorContext, changed: Partial<Payments>): ProcessorContext {
  const { payments } = context.upstream;
  const kept = {
    createDisbursement: payments.createDisbursement,
    submitDisbursement: payments.submitDisbursement,
    disbursementStatus: payments.disbursementStatus,
  };
  return { ...context, upstream: { ...context.upstream, payments: { ...kept, ...changed } as unknown as Payments } };
}

function saysSubmit({ evidence, to }: Disbursing, code: string): boolean {
  return to === 'unknown' && linesOf(evidence).some((line) => line.operation === 'submit' && line.code === code);
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
      return verdict.exchange.code === 'no_answer'
        ? { ...verdict, exchange: { ...verdict.exchange, sent: 'never' } }
        : verdict;
    },
  };
}

function anotherToken({ upstream: { payments } }: ProcessorContext, { ledger, sends }: World): Partial<Payments> {
  return {
    submitDisbursement: async (account, request, call) => {
      const used = ledger.tokens.get(request.token);
      const again = used !== undefined && sends.some(({ token }) => token === request.token);
      return payments.submitDisbursement(
        account,
        again ? { ...request, token: ledger.create(used).token } : request,
        call,
      );
    },
  };
}

function anotherId({ upstream: { payments } }: ProcessorContext, world: World): Partial<Payments> {
  const { random } = world.workshop;
  return {
    submitDisbursement: (account, request, call) =>
      payments.submitDisbursement(account, { ...request, disburseId: random.hex(16) }, call),
  };
}

function silenceIsCreated({ upstream: { payments } }: ProcessorContext): Partial<Payments> {
  return {
    disbursementStatus: async (...args) => {
      const verdict = await payments.disbursementStatus(...args);
      return verdict.is === 'ok' ? verdict : { is: 'ok', value: { status: 'created' }, exchange: verdict.exchange };
    },
  };
}

/** Answers that are `taken` are read as if they named what was asked about. */
function alwaysNamed(
  { upstream: { payments } }: ProcessorContext,
  { ledger }: World,
  taken: (answer: DisbursementStatus) => boolean,
): Partial<Payments> {
  return {
    disbursementStatus: async (account, question) => {
      const verdict = await payments.disbursementStatus(account, question);
      if (verdict.is !== 'ok' || !taken(verdict.value)) return verdict;
      const { token } = question;
      const disburseId = derivedHex(ledger.tokens.get(token)?.callbackId ?? '');
      return { ...verdict, value: { status: verdict.value.status, token, disburseId } };
    },
  };
}

/** Whoever was told how it ended is told nothing more. */
function overIsOver(context: ProcessorContext, state: DisbursementRecord['state']): ProcessorContext {
  const { operations } = context;
  const acquire = async (...args: Parameters<Operations['acquire']>) => {
    const acquired = await operations.acquire(...args);
    return acquired.is === 'acquired' && acquired.record.state === state ? { is: 'final' } : acquired;
  };
  return withOperations(context, { acquire: acquire as unknown as Operations['acquire'] });
}

function askedBeforeConnecting({ upstream: { payments }, clock }: ProcessorContext): Partial<Payments> {
  return {
    submitDisbursement: async (account, request, call) => {
      const late = call?.sendBy !== undefined && lateness(call.sendBy, clock) !== undefined;
      return payments.submitDisbursement(account, request, late ? call : undefined);
    },
  };
}

/** Stands still while the machine does, as the monotonic clock alone does. */
function monotonicOnly({ upstream: { payments }, clock }: ProcessorContext): Partial<Payments> {
  return {
    submitDisbursement: (account, request, call) => {
      if (call?.sendBy === undefined) return payments.submitDisbursement(account, request, call);
      const { ms, since } = call.sendBy;
      const passedMs = (): number => clock.monotonic() - since.mono;
      const seen = {
        mono: since.mono,
        get wall() {
          return clock.now() - passedMs();
        },
        get boot() {
          return clock.sinceBoot() - passedMs();
        },
      };
      return payments.submitDisbursement(account, request, { ...call, sendBy: { ms, since: seen } });
    },
  };
}

function noDeadline({ upstream: { payments } }: ProcessorContext): Partial<Payments> {
  return { submitDisbursement: (account, request) => payments.submitDisbursement(account, request) };
}
