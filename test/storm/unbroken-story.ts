/** A small story without broken guarantees, for tests that break one at a time. */
import {
  type LedgerEntry,
  type SeenAttempt,
  type SeenCampaign,
  type SeenRecord,
  type SeenSubmit,
  type Story,
  toldText,
} from './story.ts';

const asked = (n: number) => ({
  reference: `r${n}`,
  id: `dsb_${n}`,
  disburseId: `id${n}`,
  amount: 100 * n,
  accountAlias: `77000000${n}`,
  withdrawMode: 'wallet-a-senegal',
  acknowledged: true,
  answeredIds: [`dsb_${n}`],
});

const line = (operation: string, code: string) => ({ at: '2026-11-21T08:00:00.000Z', operation, code });

export const record = (n: number, state: string, more: Partial<SeenRecord> = {}): SeenRecord => {
  const { reference, id, disburseId, amount, accountAlias, withdrawMode } = asked(n);
  const history = [line('create', 'ok'), line('submit', 'intended'), line('submit', '00'), line('status', '00')];
  return {
    reference,
    id,
    disburseId,
    amount,
    accountAlias,
    withdrawMode,
    state,
    token: `t${n}`,
    reason: state === 'needs_review' ? 'never_executed' : null,
    history,
    ...more,
  };
};

export const paid = (n: number, effects: number, more: Partial<LedgerEntry> = {}): LedgerEntry => {
  const { disburseId, amount, accountAlias, withdrawMode } = asked(n);
  return { token: `t${n}`, disburseId, amount, accountAlias, withdrawMode, status: 'success', effects, ...more };
};

export const submit = (n: number, at: number, more: Partial<SeenSubmit> = {}): SeenSubmit => ({
  at,
  endedAt: at + 10,
  token: `t${n}`,
  disburseId: `id${n}`,
  image: { state: 'submitting', token: `t${n}`, sends: 1, ageMs: 5 },
  ...more,
});

export const event = (n: number, sequence: number, state: string) => ({
  id: `dsb_${n}.${sequence}`,
  type: `disbursement.${state}`,
  sequence,
  data: { id: `dsb_${n}`, state },
});

export const campaign: SeenCampaign = {
  id: 'cmp_1',
  state: 'cancelled',
  uploaded: 3,
  text: 'storm 1.0 for',
  totals: {
    total: 3,
    queued: 0,
    held: 0,
    sending: 0,
    sent: 1,
    failed: 0,
    unknown: 0,
    skipped: 1,
    expired: 0,
    cancelled: 1,
  },
  recipients: [
    { to: '+221770000001', row: 1, state: 'sent' },
    { to: '+221770000002', row: 2, state: 'cancelled' },
    { to: '12', row: 3, state: 'skipped' },
  ],
  cancelledAt: 5_000,
};

/** An SMS to the payee of a payment. */
export const toldPayee = (n: number, state: 'succeeded' | 'failed', times = 1) => ({
  to: `+22177000000${n}`,
  text: toldText(state, `r${n}`),
  times,
});

const notified = (n: number, on: string, state: string) => ({
  notify: { messages: [{ on, id: `msg_${n}`, state }] },
});

export const text = (n: number) => ({ to: `+22177000000${n}`, text: `storm 1.0 for N${n}` });

export const attempt = (durationMs: number, { stoodStill = false, darkMs = 0 } = {}): SeenAttempt => ({
  worker: 'worker-1',
  queue: 'disbursement',
  id: 'dsb_1',
  settlement: 'advanced (submitted)',
  durationMs,
  darkMs,
  stoodStill,
});

/** A backup that was restored after the whole story. */
export const restored: Story['restores'][number] = {
  how: 'running',
  copiedAt: 20_000,
  restoredAt: 22_000,
  backAt: 22_200,
  noticedAt: 22_300,
  recoveredAt: 23_000,
};

/** The names in an answer about one of them. */
export const naming = (n: number) => ({ token: `t${n}`, disburseId: `id${n}`, amount: `${100 * n}.00` });

/** The first succeeded after a second submit, the second failed, the third needs review. */
export const unbrokenStory: Story = {
  rules: { mode: 'resubmit', quietMs: 2_000, patienceMs: 1_000, sendWithinMs: 2_000, lockMs: 4_000, slowness: 1 },
  asked: [asked(1), asked(2), asked(3)],
  records: [
    record(1, 'succeeded', {
      history: [...record(1, '').history, line('submit', 'intended')],
      ...notified(1, 'succeeded', 'sent'),
    }),
    record(2, 'failed', notified(2, 'failed', 'unknown')),
    record(3, 'needs_review', { reason: 'disburse_id_used' }),
  ],
  events: [event(1, 1, 'succeeded'), event(2, 1, 'failed'), event(3, 1, 'needs_review')],
  ledger: [paid(1, 1), paid(2, 0), paid(3, 0, { status: 'created' })],
  submits: [
    submit(1, 1_000),
    submit(1, 5_000, { image: { state: 'submitting', token: 't1', sends: 2, ageMs: 5 } }),
    submit(2, 1_000),
    submit(3, 1_000),
  ],
  looks: [
    { at: 3_500, token: 't1', status: 'created' },
    { at: 6_000, token: 't1', status: 'success', names: naming(1) },
    { at: 6_000, token: 't2', status: 'failed', names: naming(2) },
    { at: 8_000, token: 't2', status: 'failed', names: naming(2) },
    { at: 3_500, token: 't3', status: 'created' },
    { at: 4_500, token: 't3', status: 'created' },
  ],
  counted: { succeeded: 1, failed: 1, needs_review: 1, queued: 0 },
  reportedXof: 100,
  campaigns: [campaign],
  messages: [{ ...text(1), times: 1 }, toldPayee(1, 'succeeded')],
  sends: [{ at: 1_000, items: [text(1)], answer: '00' }],
  attempts: { count: 9, long: [attempt(9_000, { stoodStill: true })] },
  canaries: {
    leaks: [],
    searched: { logs: 1, Redis: 1, metrics: 1, events: 1, answers: 1, PostgreSQL: 1 },
    used: ['a one-time code', 'a bearer token'],
  },
  restores: [],
  codes: [{ text: 'code 1', expiresAt: 3_000 }],
  credits: [{ accountAlias: '760000001', askedAt: 1_000, times: 1 }],
  limits: { inForce: [{ from: 0, amount: 20_000 }], greedy: [{ at: 1_000, amount: 30_000, status: 422, times: 0 }] },
};
