/** Faults of the wire and of the answer: they can strike any request. */
import type { FaultRow } from './fault-rows.ts';

const EVERY = ['*'] as const;
const PAYMENT_CODES = ['invoice', 'direct-credit', 'payment-request', 'disbursement'] as const;

export const transportFaults = {
  'refuses the connection': {
    stage: 'listen',
    on: EVERY,
    does: 'Nobody listens: new connections are refused and open ones are reset until the fault is removed. Probability, count and match do not apply; `operation` picks the host (`sms` or any other).',
  },
  'resets the connection before doing the work': {
    stage: 'before',
    act: 'reset',
    on: EVERY,
    does: 'The request is read, nothing is done, the connection is reset.',
  },
  'resets the connection after doing the work': {
    stage: 'after',
    act: 'reset',
    on: EVERY,
    does: 'The work is done, then the connection is reset without an answer.',
  },
  'closes the connection after doing the work': {
    stage: 'after',
    act: 'close',
    on: EVERY,
    does: 'The work is done, then the connection is closed politely without an answer.',
  },
  'hangs before doing the work': {
    stage: 'before',
    act: 'hang',
    on: EVERY,
    does: 'The request is read, nothing is done, no answer ever comes.',
  },
  'hangs after doing the work': {
    stage: 'after',
    act: 'hang',
    on: EVERY,
    does: 'The work is done and no answer ever comes.',
  },
  'does the work late': {
    stage: 'before',
    act: 'work late',
    on: EVERY,
    does: 'No answer ever comes, and the work is done `delayMs` (5000) later, when the caller has given up.',
  },
  'answers late': {
    stage: 'after',
    act: 'wait',
    on: EVERY,
    does: 'The work is done at once and the answer comes `delayMs` (5000) later.',
  },
  'answers 5xx before doing the work': {
    stage: 'before',
    act: 'answer 5xx',
    on: EVERY,
    does: 'HTTP 500, 502, 503 or 504 with a short text; nothing is done.',
  },
  'answers 5xx after doing the work': {
    stage: 'after',
    act: 'answer 5xx',
    on: EVERY,
    does: 'The work is done, then HTTP 500, 502, 503 or 504 with a short text.',
  },
  'answers 429 with Retry-After': {
    stage: 'before',
    act: 'answer 429',
    on: EVERY,
    does: 'HTTP 429 with Retry-After (`retryAfterSeconds`, 1); nothing is done.',
  },
  redirects: {
    stage: 'before',
    act: 'redirect',
    on: EVERY,
    does: 'HTTP 302 to another path; nothing is done.',
  },
} as const satisfies Record<string, FaultRow>;

export const answerFaults = {
  'answers 5000 before doing the work': {
    stage: 'before',
    act: 'answer 5000',
    on: EVERY,
    does: "HTTP 200 with 5000, or the area's own word for a server error (SMS: ERROR_116); nothing is done.",
  },
  'answers 5000 after doing the work': {
    stage: 'after',
    act: 'answer 5000',
    on: EVERY,
    does: "The work is done, then HTTP 200 with 5000, or the area's own word for it (SMS: ERROR_116).",
  },
  'says it is under maintenance': {
    stage: 'before',
    act: 'answer maintenance',
    on: PAYMENT_CODES,
    does: 'HTTP 400 with 5000 and a text about maintenance; nothing is done.',
  },
  'answers a given code': {
    stage: 'before',
    act: 'answer a given code',
    on: EVERY,
    does: "The ordered `code` in the area's own envelope; nothing is done. For the codes no other fault gives, such as ERROR_124.",
  },
  'answers an unknown code': {
    stage: 'after',
    act: 'answer an unknown code',
    on: EVERY,
    does: 'The work is done, then HTTP 200 with a code no page names.',
  },
  'cuts its JSON': {
    stage: 'after',
    act: 'cut the JSON',
    on: EVERY,
    does: 'The work is done, the answer is half of its JSON, well framed.',
  },
  'breaks off in the middle of its answer': {
    stage: 'after',
    act: 'break off',
    on: EVERY,
    does: 'The work is done, half of the announced bytes are sent, then the connection is closed.',
  },
  'answers HTML': {
    stage: 'after',
    act: 'answer HTML',
    on: EVERY,
    does: 'The work is done, the answer is an HTML page under HTTP 200.',
  },
  'answers HTML before doing the work': {
    stage: 'before',
    act: 'answer HTML',
    on: EVERY,
    does: 'Nothing is done, the answer is an HTML page under HTTP 200.',
  },
  'answers empty': {
    stage: 'after',
    act: 'answer nothing',
    on: EVERY,
    does: 'The work is done, the answer is HTTP 200 with no body.',
  },
} as const satisfies Record<string, FaultRow>;
