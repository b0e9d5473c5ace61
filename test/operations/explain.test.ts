import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { statesOf, kinds, type StateOf } from '../../src/kinds/index.ts';
import type { EvidenceDraft } from '../../src/operations/transition.ts';
import { explainDisbursement, explainOther, explainReason } from '../../src/operations/explain.ts';
import { explainWord } from '../../src/operations/explain-words.ts';
import type { Circumstances } from '../../src/operations/explanation.ts';
import { NO_EVIDENCE, readRecord } from '../../src/operations/record.ts';
import { failureOf, failures, upstreamOperations } from '../../src/provider/verdict.ts';
import { evidenceOf } from '../support/evidence.ts';

const NOW = Date.parse('2026-11-21T08:00:00Z');
const ID = 'dsb_4n7q0c1w2e3r4t5y6z7a8b9c0d';

const calm: Circumstances = {
  now: NOW,
  dueAt: NOW + 5_000,
  holds: [],
  accountKnown: true,
  pausedQueues: [],
  failureOf,
};

const disbursement = (
  state: StateOf<'disbursement'>,
  more: object = {},
  evidence: readonly EvidenceDraft[] = [],
) => ({
  ...readRecord('disbursement', {
    kind: 'disbursement',
    id: ID,
    state,
    account: 'main',
    amount: '25000',
    accountAlias: '771234567',
    withdrawMode: 'wallet-a-senegal',
    disburseId: 'd',
    reference: 'salary-1',
    createdAt: String(NOW),
    ...more,
  }),
  evidence: evidenceOf(evidence, NOW),
});

const explained = (state: StateOf<'disbursement'>, more: object = {}, around: Partial<Circumstances> = {}) =>
  explainDisbursement(disbursement(state, more), { ...calm, ...around });

test('it begins with amount, mode and reference', () => {
  const { id, kind, state, summary } = explained('queued');
  expect({ id, kind, state }).toEqual({ id: ID, kind: 'disbursement', state: 'queued' });
  expect(summary).toContain('Disbursement of 25\u00a0000\u00a0XOF by wallet-a-senegal, reference salary-1.');
});

describe('every state has its meaning and the next step', () => {
  const sentences: Readonly<Record<StateOf<'disbursement'>, readonly [stands: string, next: string]>> = {
    awaiting_approval: ['waits for the approval of a different person (four-eyes)', `relais disburse approve ${ID}`],
    queued: ['waits for its turn; nothing was sent', 'continues by itself'],
    held: ['waits for a condition to clear; nothing was sent', 'continues by itself'],
    created: ['the payment itself was not sent yet', 'continues by itself'],
    submitting: ['is being sent at this moment, or was when a worker died', 'continues by itself'],
    unknown: ['may or may not have been made; the provider is being asked', 'continues by itself'],
    pending: ['The provider accepted it and is processing it', 'continues by itself'],
    needs_review: ['A person must decide it', `relais review resolve ${ID}`],
    succeeded: ['was paid; the provider confirmed it', 'There is nothing to do.'],
    failed: ['was not paid; the provider reported the failure twice', 'with another reference'],
    reversed: ['the provider reports that the money came back', 'Compare with the dashboard'],
    rejected: ['never submitted, so nothing was paid', 'Correct the cause'],
    cancelled: ['cancelled before anything was paid', 'There is nothing to do.'],
  };
  test.for(Object.entries(sentences))('%s', ([state, [stands, next]]) => {
    const told = explained(state as StateOf<'disbursement'>);
    expect(told.summary).toContain(stands);
    expect(told.next).toContain(next);
  });
});

describe('every reason of a record has an explanation and the next step', () => {
  test.for([
    ['held', 'funds', 'the balance did not suffice', 'Top up the balance'],
    ['held', 'callback_unreachable', 'could not reach our callback address', 'PUBLIC_URL'],
    ['held', 'funds_or_callback', 'the provider did not say which', 'Check the balance and PUBLIC_URL'],
    ['held', 'not_authorised', 'refused our keys', 'Check the keys'],
    ['held', 'maintenance', 'under maintenance', 'continues by itself'],
    ['rejected', 'not_submitted_in_time', 'within DISBURSEMENT_LIMIT', 'another reference'],
    ['rejected', '1001', 'does not know the withdraw mode', 'another withdrawMode'],
    ['rejected', 'live_only', 'this operation has only a live path', 'Check our keys and settings'],
    ['rejected', 'field_invalid', 'does not have the form', 'Correct the request'],
    ['rejected', 'rejected', 'the provider refused the request', 'Correct the request'],
    ['rejected', 'unlisted_code', 'its interface does not list', 'by itself'],
    ['needs_review', 'disburse_id_used', 'already knew our disburse_id', 'Find the disburse_id'],
    ['needs_review', 'never_executed', 'never executed', '`resubmit` or `cancelled`'],
    ['needs_review', 'sent_three_times', 'sent three times', 'Find the disburse_id in the dashboard'],
    ['needs_review', 'token_too_old', 'older than a day', 'Ask the provider about the token'],
    ['needs_review', 'poll_exhausted', 'within the time limit', 'relais keeps asking'],
    ['needs_review', 'mismatch_amount', 'another amount', 'Compare with the dashboard'],
    ['needs_review', 'mismatch_token', 'another token', 'Compare with the dashboard'],
    ['needs_review', 'mismatch_disburse_id', 'another disburse_id', 'Compare with the dashboard'],
    ['needs_review', 'unreadable_amount', 'unreadable amount', 'Compare with the dashboard'],
    ['cancelled', 'cancelled_by_caller', 'the caller cancelled it', 'There is nothing to do.'],
  ] as const)('%s for %s', ([state, reason, why, next]) => {
    const told = explained(state, { reason });
    expect(told.summary).toContain('Reason: ');
    expect(told.summary).toContain(why);
    expect(told.next).toContain(next);
  });

  test('a review names the command', () => {
    expect(explained('needs_review', { reason: 'never_executed' }).next).toBe(
      `Resolve it with \`resubmit\` or \`cancelled\`. relais review resolve ${ID}`,
    );
  });

  test('an unknown reason is shown unchanged', () => {
    expect(explained('needs_review', { reason: 'zut' }).summary).toContain('Reason: zut.');
  });
});

describe('the block of an unsent operation is shown, strongest first', () => {
  const stopped = { area: 'payments', reason: 'stopped' } as const;
  test.for([
    [{ accountKnown: false, holds: [stopped] }, 'has no keys of this account', 'ACCOUNTS_FILE'],
    [{ holds: [stopped] }, 'the account is held: an operator stopped', 'relais account release'],
    [{ holds: [{ area: 'payments', reason: 'funds' }] }, 'the balance did not suffice', 'Top up'],
    [{ holds: [{ area: 'payments', reason: 'zut' }] }, 'the account is held: zut', 'by itself'],
    [{ pausedQueues: ['disbursement'] }, 'its queue is paused', 'To resume the queue'],
    [{ dueAt: NOW - 61_000 }, 'no worker has taken it', 'relais run --roles worker'],
  ] as const)('%j', ([around, why, next]) => {
    const told = explained('queued', {}, around);
    expect(told.summary).toContain(`It cannot continue now: `);
    expect(told.summary).toContain(why);
    expect(told.next).toContain(next);
  });

  test('an empty SMS balance keeps no disbursement', () => {
    const told = explained('queued', {}, { holds: [{ area: 'messaging', reason: 'funds' }] });
    expect(told.summary).not.toContain('cannot continue');
  });

  test('a sent operation is blocked only by a paused queue or a missing worker', () => {
    expect(explained('pending', {}, { holds: [stopped] }).summary).not.toContain('cannot continue');
    expect(explained('pending', {}, { pausedQueues: ['status-poll'] }).summary).toContain('its queue is paused');
  });
});

describe('the story', () => {
  const told = (...evidence: EvidenceDraft[]) =>
    explainDisbursement(disbursement('unknown', {}, evidence), calm).story.map(({ what }) => what);

  test.for([
    [{ operation: 'create', code: 'ok' }, 'the provider gave a token'],
    [
      { operation: 'create', code: '5000', httpStatus: 400 },
      'the provider gave no token: 5000 (HTTP 400): The provider has an error or is under maintenance.',
    ],
    [{ operation: 'create', code: 'intended' }, 'about to ask the provider for it'],
    [{ operation: 'submit', code: 'intended', detail: 'send 1' }, 'about to submit (send 1)'],
    [
      { operation: 'submit', code: 'no_answer' },
      'submit answered: no_answer: The request was sent and no answer came back.',
    ],
    [{ operation: 'status', code: '00', detail: 'pending' }, 'asked: the provider reports pending'],
    [{ operation: 'status', code: 'ok', detail: 'success' }, 'asked: the provider reports success'],
    [
      { operation: 'status', code: 'http_401' },
      'asked without result: http_401: The provider did not accept our keys.',
    ],
    [
      { operation: 'callback', code: 'success' },
      'callback of the provider with success: not trusted, status check started',
    ],
    [{ operation: 'resolve', code: 'failed', detail: 'awa' }, 'resolved as failed by awa'],
    [{ operation: 'approve', code: 'by', detail: 'awa' }, 'approved by awa'],
    [{ operation: 'cancel', code: 'by', detail: 'awa' }, 'cancelled by awa'],
    [{ operation: 'other', code: 'ok', detail: 'thing' }, 'other: ok thing'],
  ] as const)('%j', ([evidence, sentence]) => {
    expect(told(evidence)).toEqual(['accepted', sentence]);
  });

  test('shows a gap for lines that are no longer stored', () => {
    const lines = Array.from({ length: 24 }, (_, n) => ({ operation: 'status', code: '00', detail: `${n}` }));
    const record = disbursement('pending', {}, lines);
    const { story } = explainDisbursement({ ...record, evidence: { ...record.evidence, total: 30 } }, calm);
    expect(story[13]).toEqual({ at: '', what: '6 lines in the middle are no longer stored' });
  });

  test('the last bad answer is shown while the operation is open', () => {
    const record = disbursement('pending', {}, [{ operation: 'status', code: 'http_401' }]);
    const { summary, next } = explainDisbursement(record, calm);
    expect(summary).toContain('The last answer: the provider did not accept our keys.');
    expect(next).toBe('Check our keys and settings: relais doctor.');
  });

  test('the time of the next check is shown', () => {
    expect(explained('pending').nextLook).toBe('2026-11-21T08:00:05.000Z');
    expect(explained('succeeded', {}, { dueAt: undefined }).nextLook).toBe(null);
  });
});

describe('users’ decisions', () => {
  const decided = { resolvedBy: 'awa', note: 'seen on paper', reason: 'poll_exhausted' };
  const resolved = (state: StateOf<'disbursement'>, code: string) =>
    explainDisbursement(disbursement(state, decided, [{ operation: 'resolve', code, detail: 'awa' }]), calm);

  test('is shown with its author and note, without a next step', () => {
    const { summary, next } = resolved('failed', 'failed');
    expect(summary).toContain('A person resolved it as failed.');
    expect(summary).toContain('It needed review before: the provider gave no final status');
    expect(summary).toContain('Decided by awa: “seen on paper”.');
    expect(next).toBe('There is nothing to do.');
  });

  test('is not the provider’s later status', () => {
    const { summary } = resolved('succeeded', 'resubmit');
    expect(summary).toContain('the provider confirmed it');
  });

  test('an approval is shown with its author', () => {
    expect(explained('queued', { approvedBy: 'awa' }).summary).toContain('Approved by awa.');
  });
});

test('a kind without a teller of its own still has its state, its reason and its evidence', () => {
  const record = {
    kind: 'payment_request' as const,
    id: 'prq_1',
    state: 'needs_review',
    createdAt: NOW,
    reason: 'poll_exhausted',
    evidence: NO_EVIDENCE,
  };
  const { summary, next } = explainOther(record, calm);
  expect(summary).toMatch(/^Payment request\. A person must decide it\. Reason: the provider gave no final status/);
  expect(next).toContain('relais keeps asking');
});

describe('a reason in a log line', () => {
  test('is explained without an operation', () => {
    expect(explainReason('no_callback_url', { failureOf: calm.failureOf })).toEqual({
      id: 'no_callback_url',
      kind: 'word',
      state: null,
      summary: 'There is no address at which the provider could call us back.',
      story: [],
      next: expect.stringContaining('PUBLIC_URL'),
      nextLook: null,
    });
  });

  test('can be a code of the provider', () => {
    expect(explainReason('ERROR_110', { failureOf: calm.failureOf })?.summary).toBe('A receiver is not valid.');
  });

  test('that is unknown is not explained', () => {
    expect(explainReason('zut', { failureOf: calm.failureOf })).toBeUndefined();
    expect(explainReason('constructor', { failureOf: calm.failureOf })).toBeUndefined();
  });
});

/** Every reason code in the sources of the processors. */
function wordsOfProcessors(): string[] {
  const folder = new URL('../../src/processors/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const source = files
    .map((name) => readFileSync(new URL(name, folder), 'utf8').replace(/\/\*[\s\S]*?\*\//g, ''))
    .join('\n');
  const given = [...source.matchAll(/(?:because|reason)(?:\s*[=:?]|: )[^\n]*/g)].flatMap(([line]) =>
    [...line.matchAll(/(?<!== |operation: |evidenceOf\()'([a-z][a-z_-]*)'(?! in )/g)].map(([, word = '']) => word),
  );
  // Texts in the form of a reason: two or more words with underscores.
  const alike = [...source.matchAll(/'([a-z]+(?:_[a-z]+)+)'/g)].map(([, word = '']) => word);
  return [...new Set([...given, ...alike])];
}

describe('no reason is without an explanation', () => {
  const states: readonly string[] = kinds.flatMap((kind): readonly string[] => statesOf(kind));
  // Names of the provider's fields, and of metrics.
  const fields = ['disburse_id', 'withdraw_mode'];
  const notReasons = [
    ...states,
    ...fields,
    ...kinds,
    ...upstreamOperations,
    'advanced',
    'ended',
    'waits',
    'retries',
    'idle',
    'lost',
    'refused',
    'ok',
  ];
  const words = wordsOfProcessors().filter((word) => !notReasons.includes(word) || explainWord(word));

  test('they are found in the sources', () => {
    expect(words.length).toBeGreaterThan(30);
    expect(words).toEqual(expect.arrayContaining(['mismatch_amount', 'poll_exhausted', 'sent_three_times']));
  });

  test.for(words)('%s', (word) => {
    const told = explainReason(word, { failureOf: calm.failureOf });
    expect(told?.summary).toMatch(/^[A-Z].*\.$/);
    expect(told?.next).not.toBe('');
  });

  test.for(['account_held_funds', 'status_reversed'])('%s', (word) => {
    expect(explainWord(word)).toBeDefined();
  });

  test.for(Object.keys(failures))('%s, a code of the provider or its client', (code) => {
    expect(explainReason(code, { failureOf: calm.failureOf })?.summary).toMatch(/\.$/);
  });
});

describe('in French', () => {
  const inFrench = { language: 'fr' } as const;

  test('in French nothing stays English, in any state', () => {
    const english = /\b(the|it|was|and|the service|nothing|accepted|asked|reason)\b/i;
    for (const state of statesOf('disbursement')) {
      const { summary, next, story } = explained(state, { reason: 'poll_exhausted' }, inFrench);
      for (const said of [summary, next, ...story.map(({ what }) => what)])
        expect([state, said]).not.toEqual([state, expect.stringMatching(english)]);
    }
  });

  test('it shows how much in F CFA, why, and the next step', () => {
    const { summary, next } = explained('held', { reason: 'funds' }, inFrench);
    expect(summary).toBe(
      'Décaissement de 25\u202f000\u00a0F\u00a0CFA par wallet-a-senegal, référence salary-1. Retenu jusqu’à ce qu’une condition soit levée\u202f; rien n’est parti. Raison : le solde ne suffisait pas.',
    );
    expect(next).toMatch(/^Rechargez le solde/);
  });

  test('a code of the provider is shown within a sentence', () => {
    const { summary } = explained('rejected', { reason: '1001' }, inFrench);
    expect(summary).toContain('Raison : le prestataire ne connaît pas ce mode de retrait.');
    expect(explainReason('http_401', { ...calm, ...inFrench })?.summary).toBe(
      'Le prestataire n’a pas accepté nos clés.',
    );
  });
});
