import { expect, test } from 'vitest';
import {
  failureOf,
  codeOfStatus,
  type Consequence,
  consequenceOf,
  type FailureCode,
  failures,
  listedCode,
  type OperationClass,
} from '../../src/provider/verdict.ts';
import { reworded } from '../support/reworded.ts';

const CLASSES = ['read', 'harmless', 'effect', 'submit'] as const satisfies OperationClass[];
type Row = readonly [what: string, code: FailureCode, ...consequences: Consequence[]];

const cases: readonly Row[] = [
  ['a connection that never opened', 'unreachable', 'transient', 'transient', 'transient', 'transient'],
  ['a certificate we do not trust', 'tls_refused', 'config', 'config', 'config', 'config'],
  ['a request that was too late', 'send_deadline', 'transient', 'transient', 'transient', 'transient'],
  ['no answer', 'no_answer', 'transient', 'transient', 'unknown', 'unknown'],
  ['a cut connection', 'cut', 'transient', 'transient', 'unknown', 'unknown'],
  ['an answer that cannot be read', 'unreadable', 'transient', 'transient', 'unknown', 'unknown'],
  ['a broken server', 'server_error', 'transient', 'transient', 'unknown', 'unknown'],
  ['a redirect', 'redirected', 'config', 'config', 'unknown', 'unknown'],
  ['a pause that upstream names', 'throttled', 'transient', 'transient', 'transient', 'transient'],
  ['a pause without a length', 'throttled_silently', 'transient', 'transient', 'unknown', 'unknown'],
  ['refused keys', 'http_401', 'config', 'config', 'config', 'unknown'],
  ['what was not let through', 'http_403', 'config', 'config', 'unknown', 'unknown'],
  ['a code nobody listed', 'unlisted_code', 'transient', 'refused', 'unknown', 'unknown'],
  ['a code nobody listed under HTTP 4xx', 'rejected', 'refused', 'refused', 'refused', 'unknown'],
  ['an unsupported mode', '1001', 'refused', 'refused', 'refused', 'unknown'],
  ['not authorised', '401', 'config', 'config', 'config', 'unknown'],
  ['funds or callback', '4002', 'transient', 'held:funds_or_callback', 'held:funds', 'unknown'],
  ['a server error or maintenance', '5000', 'transient', 'transient', 'unknown', 'unknown'],
  ['a used disburse_id', 'disburse_id_used', 'unknown', 'unknown', 'unknown', 'unknown'],
  ['a missing key', '4000', 'config', 'config', 'config', 'unknown'],
  ['test mode', '4001', 'config', 'config', 'config', 'unknown'],
  ['invalid keys', '1000', 'config', 'config', 'config', 'unknown'],
  ['an unknown payment request', '4004', 'transient', 'refused', 'refused', 'unknown'],
  ['a text that was perhaps not sent', 'ERROR_101', 'transient', 'transient', 'unknown', 'unknown'],
  ['no SMS balance', 'ERROR_102', 'transient', 'transient', 'unknown', 'unknown'],
  ['an SMS balance left behind', 'ERROR_103', 'transient', 'transient', 'unknown', 'unknown'],
  ['a failure while sending', 'ERROR_116', 'transient', 'transient', 'unknown', 'unknown'],
  ['a bad receiver', 'ERROR_110', 'refused', 'refused', 'refused', 'refused'],
  ['bad SMS credentials', 'ERROR_117', 'config', 'config', 'config', 'config'],
  ['an expired bearer', 'ERROR_121', 'transient', 'transient', 'transient', 'transient'],
];

test.for(cases)('%s', ([, code, ...consequences]) => {
  expect(CLASSES.map((kind) => consequenceOf(code, kind))).toEqual(consequences);
});

test('every code of the interface has a row', () => {
  const payments = ['1001', '401', '4002', '5000', '4000', '4001', '1000', '4004'];
  const sms = Array.from({ length: 24 }, (_, index) => `ERROR_${101 + index}`);
  for (const code of [...payments, ...sms]) expect(listedCode(code)).toBe(code);
});

test('our own codes are not codes of the provider', () => {
  for (const text of [
    'unreachable',
    'live_only',
    'toString',
    '__proto__',
    '00',
    '9999',
    'ERROR_125',
    'error_101',
    '',
  ])
    expect(listedCode(text)).toBeUndefined();
});

test('no answer to a submit is a final result', () => {
  const answered = Object.keys(failures).filter((code) => /^\d+$/.test(code) || code.startsWith('http_'));
  expect(answered.length).toBeGreaterThan(8);
  for (const code of answered) expect(consequenceOf(code as FailureCode, 'submit')).toBe('unknown');
});

test('every sentence is safe to show', () => {
  for (const code of Object.keys(failures)) expect(reworded(failureOf(code)?.says)).toMatch(/^[A-Z].*\.$/);
});

const statuses: readonly (readonly [number, FailureCode])[] = [
  [200, 'unreadable'],
  [302, 'redirected'],
  [400, 'unreadable'],
  [401, 'http_401'],
  [403, 'http_403'],
  [404, 'unreadable'],
  [408, 'no_answer'],
  [429, 'throttled_silently'],
  [500, 'server_error'],
  [503, 'server_error'],
];
test.for(statuses)('HTTP %d without a readable body is %s', ([status, code]) => {
  expect(codeOfStatus(status)).toBe(code);
});

test('a provider code of any call is explained without naming one of them', () => {
  const told = Object.entries(failures).filter(([code]) => /^\d+$/.test(code));
  expect(
    told.filter(([code]) => /payment request|invoice|disbursement\b/i.test(String(reworded(failureOf(code)?.says)))),
  ).toEqual([]);
});
