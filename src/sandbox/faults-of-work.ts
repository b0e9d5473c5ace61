/** Faults inside the work of one operation, and of the callbacks that follow from it. */
import type { FaultRow } from './fault-rows.ts';

export const callbackOperations = ['disbursement.callback', 'invoice.callback'] as const;

export const workFaults = {
  'says not authorized': {
    stage: 'work',
    on: ['disbursement.create'],
    does: 'HTTP 200 with 401; no token.',
  },
  'says funds are insufficient': {
    stage: 'work',
    on: ['disbursement.create'],
    does: 'HTTP 200 with 4002 and a text about funds; no token.',
  },
  'says the callback URL is not reachable': {
    stage: 'work',
    on: ['disbursement.create'],
    does: 'HTTP 200 with 4002 and a text about the callback URL; no token.',
  },
  'says 4002 and nothing else': {
    stage: 'work',
    on: ['disbursement.create'],
    does: 'HTTP 200 with 4002 and a text that does not tell which of its two causes it was.',
  },
  'probes the callback URL': {
    stage: 'work',
    on: ['disbursement.create'],
    does: 'Asks the callback URL first (method: setting `probeMethod`); answers 4002 when nothing answers below HTTP 400.',
  },
  'gives the token of another': {
    stage: 'work',
    on: ['disbursement.create'],
    does: 'Answers with the token that was given last, and makes none.',
  },
  'fails the disbursement': {
    stage: 'work',
    on: ['disbursement.submit'],
    does: 'Accepted as usual, then the operator fails it; no money leaves.',
  },
  'leaves the disbursement pending': {
    stage: 'work',
    on: ['disbursement.submit'],
    does: 'Accepted as usual, then pending until the control API decides.',
  },
  'reverses a success': {
    stage: 'work',
    on: ['disbursement.submit'],
    does: 'Succeeds and calls back, and shows `failed` one settle delay later.',
  },
  'reports an old status': {
    stage: 'work',
    on: ['disbursement.status'],
    does: 'Reports the status before the present one.',
  },
  'reports an unknown status': {
    stage: 'work',
    on: ['disbursement.status'],
    does: 'Reports a status word no page names.',
  },
  'leaves out the disburse_id': {
    stage: 'work',
    on: ['disbursement.status'],
    does: 'Reports the status without the disburse_id that was given at submit.',
  },
  'reports another amount': {
    stage: 'work',
    on: ['disbursement.status', 'invoice.confirm'],
    does: 'Reports one XOF less than was asked for.',
  },
  'forgets the token': {
    stage: 'work',
    on: ['disbursement.status', 'disbursement.submit', 'invoice.confirm'],
    does: 'Answers as for a token it never gave.',
  },
  'says the token expired': {
    stage: 'work',
    on: ['sms.send', 'sms.stats'],
    does: 'ERROR_121, and the bearer token is dead from then on.',
  },
  'accepts only part of an SMS chunk': {
    stage: 'work',
    on: ['sms.send'],
    does: 'Sends the first half, answers 00, and lists only that half.',
  },
  'refuses the chunk for one bad number': {
    stage: 'work',
    on: ['sms.send'],
    does: 'ERROR_110 for the whole request; nothing is sent.',
  },
  'says the SMS balance is insufficient': {
    stage: 'work',
    on: ['sms.send'],
    does: 'ERROR_102; nothing is sent.',
  },
} as const satisfies Record<string, FaultRow>;

export const callbackFaults = {
  'calls back early': {
    stage: 'callback',
    on: ['disbursement.callback'],
    does: 'The disbursement succeeds and the callback is posted before the submit is answered.',
  },
  'calls back twice': { stage: 'callback', on: callbackOperations, does: 'Posts the same callback two times.' },
  'calls back late': {
    stage: 'callback',
    on: callbackOperations,
    does: 'Posts the callback `delayMs` (5000) later than usual.',
  },
  'never calls back': { stage: 'callback', on: callbackOperations, does: 'Posts nothing.' },
  'calls back mutilated': {
    stage: 'callback',
    on: callbackOperations,
    does: 'Cuts the body of the callback in half.',
  },
  'calls back with a wrong hash': {
    stage: 'callback',
    on: callbackOperations,
    does: 'Posts a `hash` that is not the SHA-512 of the master key.',
  },
  'calls back with fields missing': {
    stage: 'callback',
    on: callbackOperations,
    does: 'Leaves every second field of the record out.',
  },
} as const satisfies Record<string, FaultRow>;
