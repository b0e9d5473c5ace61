import { describe, expect, test } from 'vitest';
import type { StateOf } from '../../src/kinds/index.ts';
import type { EvidenceDraft } from '../../src/operations/transition.ts';
import { explainCampaign, explainMessage } from '../../src/operations/explain-texts.ts';
import type { Circumstances } from '../../src/operations/explanation.ts';
import { readRecord } from '../../src/operations/record.ts';
import { failureOf } from '../../src/provider/verdict.ts';
import { evidenceOf } from '../support/evidence.ts';

const NOW = Date.parse('2026-11-21T08:00:00Z');

const calm: Circumstances = {
  now: NOW,
  dueAt: NOW,
  holds: [],
  accountKnown: true,
  pausedQueues: [],
  failureOf,
};
const outOfFunds = { holds: [{ area: 'messaging', reason: 'funds' }] } as const;

const base = { account: 'main', createdAt: String(NOW), since: String(NOW + 60_000) };
const message = (state: StateOf<'message'>, more: object = {}, evidence: readonly EvidenceDraft[] = []) => ({
  ...readRecord('message', {
    ...base,
    kind: 'message',
    id: 'msg_1',
    state,
    to: '+221771234567',
    text: 'Bonjour',
    lane: 'normal',
    ...more,
  }),
  evidence: evidenceOf(evidence, NOW),
});
const campaign = (state: StateOf<'campaign'>, more: object = {}) =>
  readRecord('campaign', {
    ...base,
    kind: 'campaign',
    id: 'cmp_1',
    state,
    name: 'Rappel',
    text: 'Bonjour',
    't:total': '3',
    ...more,
  });

describe('a message', () => {
  test.for([
    ['queued', 'waits for its turn; nothing was sent', 'by itself'],
    ['sending', 'is being sent at this moment, or was when a worker died', 'by itself'],
    ['unknown', 'the statistics of the provider are being checked', 'by itself'],
    ['sent', 'The provider accepted it; it gives no delivery receipt.', 'There is nothing to do.'],
    ['failed', 'The provider refused it; it was not sent.', 'under another reference'],
    ['skipped', 'It was left out', 'There is nothing to do.'],
    ['expired', 'It expired before it was sent', 'a later expiresAt'],
    ['cancelled', 'It was cancelled before it was sent.', 'There is nothing to do.'],
  ] as const)('that is %s is explained', ([state, stands, next]) => {
    const told = explainMessage(message(state), calm);
    expect(told.summary).toContain(stands);
    expect(told.next).toContain(next);
  });

  test('never shows a whole number, nor its text', () => {
    const told = JSON.stringify(explainMessage(message('sent', { reference: 'r' }), calm));
    expect(told).toContain('+22177•••4567, reference r');
    expect(told).not.toMatch(/1234567|Bonjour/);
  });

  test('that the provider refused has the reason', () => {
    const told = explainMessage(message('failed', { code: 'ERROR_110' }), calm);
    expect(told.summary).toContain('Reason: a receiver is not valid.');
    expect(told.next).toBe('Correct the request and send it again under another reference.');
  });

  test('that is no longer checked names whom to ask', () => {
    const told = explainMessage(message('unknown'), { ...calm, dueAt: undefined });
    expect(told.summary).toContain('It may or may not have been sent');
    expect(told.next).toContain('Ask the recipient whether the SMS came');
  });

  test('is blocked by the hold of its account, and has its timeline', () => {
    const throttled = { operation: 'send', code: 'throttled', httpStatus: 429 };
    const told = explainMessage(message('queued', {}, [throttled]), { ...calm, ...outOfFunds });
    expect(told.summary).toContain('It cannot continue now: the account is held: the balance did not suffice.');
    expect(told.summary).toContain('The last answer: the provider asked us to slow down.');
    expect(told.next).toContain('relais account release');
    expect(told.story.at(-1)?.what).toBe('send answered: throttled (HTTP 429): The provider asked us to slow down.');
  });

  test.for([
    [{ operation: 'send', code: 'ok', httpStatus: 200 }, 'send answered: ok (HTTP 200)'],
    [
      { operation: 'statistics', code: 'no_answer' },
      'asked the statistics without result: no_answer: The request was sent and no answer came back.',
    ],
  ] as const)('explains %j', ([evidence, sentence]) => {
    const { story } = explainMessage(message('unknown', {}, [evidence]), calm);
    expect(story.map(({ what }) => what)).toEqual(['accepted', sentence]);
  });
});

describe('a campaign', () => {
  test.for([
    ['draft', 'It has no recipients yet.', 'POST /v1/campaigns/cmp_1/recipients'],
    ['ready', 'was not started; nothing was sent', 'relais campaign start cmp_1'],
    ['running', 'It is being sent.', 'by itself'],
    ['paused', 'It is paused; what was sent stays sent.', 'relais campaign resume cmp_1'],
    ['held', 'or for an operator to resume it', 'relais campaign resume cmp_1'],
    ['finished', 'Every recipient has a final status.', 'There is nothing to do.'],
    ['cancelled', 'It was cancelled; what was sent stays sent.', 'There is nothing to do.'],
  ] as const)('that is %s is explained', ([state, stands, next]) => {
    const told = explainCampaign(campaign(state), calm);
    expect(told.summary).toContain('Campaign “Rappel” to 3 recipients.');
    expect(told.summary).toContain(stands);
    expect(told.next).toContain(next);
  });

  test('counts the recipients of the SMS, not the rows of the file', () => {
    const some = campaign('awaiting_approval', { 't:total': '3001', 't:queued': '2612', 't:skipped': '389' });
    expect(explainCampaign(some, calm).summary).toMatch(/^Campaign “Rappel” to 2\u00a0612 recipients\./);
    const french = explainCampaign(some, { ...calm, language: 'fr' }).summary;
    expect(french).toMatch(/^Campagne « Rappel » pour 2\u202f612 destinataires\./);
    const one = campaign('ready', { 't:total': '2', 't:queued': '1', 't:skipped': '1' });
    expect(explainCampaign(one, calm).summary).toMatch(/^Campaign “Rappel” to 1 recipient\./);
  });

  test('shows where its rows are', () => {
    const rows = { 't:sent': '1', 't:skipped': '2' };
    expect(explainCampaign(campaign('finished', rows), calm).summary).toContain('Rows: 1 sent, 2 skipped.');
  });

  test.for([
    [{ 't:failed': '1', 't:unknown': '1' }, 'relais campaign report cmp_1 --state failed'],
    [{ 't:unknown': '1' }, 'relais campaign report cmp_1 --state unknown'],
  ] as const)('that is finished with %j counts those who did not get it', ([rows, next]) => {
    expect(explainCampaign(campaign('finished', rows), calm).next).toContain(next);
  });

  test('that is held names the hold of its account', () => {
    expect(explainCampaign(campaign('held'), { ...calm, ...outOfFunds }).summary).toContain(
      'Reason: the balance did not suffice.',
    );
  });

  test('that is running shows what blocks it', () => {
    expect(explainCampaign(campaign('running'), { ...calm, pausedQueues: ['campaign'] }).summary).toContain(
      'It cannot continue now: its queue is paused.',
    );
  });

  test('lists its uploads, its start and its end', () => {
    const uploads = JSON.stringify([{ tag: 'a', hash: 'h', slices: 1, recipients: 2, skipped: 1 }]);
    const told = explainCampaign(campaign('finished', { uploads, startedAt: String(NOW + 1_000) }), calm);
    expect(told.story).toEqual([
      { at: '2026-11-21T08:00:00.000Z', what: 'accepted' },
      { at: '', what: 'upload of 2 recipients, 1 rows skipped' },
      { at: '2026-11-21T08:00:01.000Z', what: 'started' },
      { at: '2026-11-21T08:01:00.000Z', what: 'finished' },
    ]);
  });
});
