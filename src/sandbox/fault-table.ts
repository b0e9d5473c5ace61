/**
 * The faults of the simulated provider. Each describes one failure: an entry here, a row in docs/sandbox-reference.md and a
 * value of `relais sandbox --fault`.
 */
import type { ServerResponse } from 'node:http';
import {
  type Answer,
  type Family,
  isSmsCode,
  refuseIn,
  reply,
  send,
  serverError,
  smsRefusal,
  tooManyRequests,
} from './answers.ts';
import { type CallbackEncoding, callbackEncodings, encodingNames } from './encodings.ts';
import type { ActiveFault } from './faults.ts';
import type { Simulator } from './simulator.ts';

/** A request when a fault replaces the real answer. */
interface Scene {
  readonly response: ServerResponse;
  readonly family: Family;
  readonly fault: ActiveFault;
  readonly simulator: Simulator;
}

interface SceneBefore extends Scene {
  /** Does the remaining work; its answer is dropped. */
  readonly work: () => void;
}

interface SceneAfter extends Scene {
  /** The answer of the completed work. */
  readonly answer: Answer;
}

interface Row {
  readonly does: string;
  /** Operations, or families of operations (`disbursement` means all of `disbursement.*`); `*` is every request. */
  readonly on: readonly string[];
}

export type FaultRow =
  /** The listener is closed while the fault is active. */
  | (Row & { readonly stage: 'listen' })
  /** The request was read, and no work was done. */
  | (Row & { readonly stage: 'before'; readonly act: (scene: SceneBefore) => void })
  /** Inside the work of one operation. */
  | (Row & { readonly stage: 'work' })
  /** The work is done and recorded; only the answer is affected. */
  | (Row & { readonly stage: 'after'; readonly act: (scene: SceneAfter) => void })
  /** During a callback of the provider. */
  | (Row & { readonly stage: 'callback'; readonly encoding?: CallbackEncoding });

const EVERY = ['*'] as const;
const PAYMENT_CODES = ['invoice', 'direct-credit', 'payment-request', 'disbursement'] as const;
const CALLBACKS = ['disbursement.callback', 'invoice.callback'] as const;
export const LATE_MS = 5_000;
export const MAINTENANCE = 'Service under maintenance, please retry later';
const PAGE = '<!DOCTYPE html><html><head><title>Error</title></head><body><h1>Oops</h1></body></html>';

const before = (does: string, act: (scene: SceneBefore) => void, on: readonly string[] = EVERY): FaultRow => ({
  stage: 'before',
  does,
  on,
  act,
});
const after = (does: string, act: (scene: SceneAfter) => void): FaultRow => ({
  stage: 'after',
  does,
  on: EVERY,
  act,
});
const within = (does: string, on: readonly string[]): FaultRow => ({ stage: 'work', does, on });
const callback = (does: string, on: readonly string[] = CALLBACKS): FaultRow => ({ stage: 'callback', does, on });

const hang = (): void => undefined;
const reset = ({ response }: Scene): void => void response.socket?.resetAndDestroy();
const close = ({ response }: Scene): void => void response.socket?.end();
const answer5000 = ({ response, family }: Scene): void => reply(response, serverError(family));
const answerPage = ({ response }: Scene): void =>
  send(response, 200, PAGE, { 'content-type': 'text/html; charset=utf-8' });

function answer5xx({ response, simulator }: Scene): void {
  const status = [500, 502, 503, 504][Math.floor(simulator.random.fraction() * 4)] ?? 500;
  send(response, status, 'upstream error', { 'content-type': 'text/plain' });
}

function answerGivenCode({ response, family, fault: { code = '' }, simulator }: Scene): void {
  const known = family === 'sms' && isSmsCode(code);
  reply(response, known ? smsRefusal(code, simulator) : refuseIn(family, code, `Refused with ${code}`, 200));
}

function answerUnknownCode({ response, family }: Scene): void {
  const text = 'Something we have no page about';
  const key = { payment: 'response_code', 'payment-request': 'response-code', sms: 'code', flag: undefined }[family];
  const body = key === undefined ? { message: text } : { [key]: '7777', response_text: text, message: text };
  reply(response, { status: 200, body });
}

const halfOf = (text: string): string => text.slice(0, Math.floor(text.length / 2));

function breakOff({ response, answer: { status, body } }: SceneAfter): void {
  const text = JSON.stringify(body);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  response.writeHead(status, headers);
  response.write(halfOf(text), () => response.socket?.destroy());
}

const rows = {
  'refuses the connection': {
    stage: 'listen',
    on: EVERY,
    does: 'The listener is closed: new connections are refused and open ones are reset until the fault is removed. Probability, count and match do not apply; `operation` picks the host (`sms` or any other).',
  },
  'resets the connection before doing the work': before(
    'The request is read, nothing is done, the connection is reset.',
    reset,
  ),
  'resets the connection after doing the work': after(
    'The work is done, then the connection is reset without an answer.',
    reset,
  ),
  'closes the connection after doing the work': after(
    'The work is done, then the connection is closed politely without an answer.',
    close,
  ),
  'hangs before doing the work': before('The request is read, nothing is done, no answer ever comes.', hang),
  'hangs after doing the work': after('The work is done and no answer ever comes.', hang),
  'does the work late': before(
    'No answer ever comes, and the work is done `delayMs` (5000) later, when the client has given up.',
    ({ fault, simulator, work }) => simulator.time.after(fault.delayMs ?? LATE_MS, work),
  ),
  'answers late': after(
    'The work is done at once and the answer comes `delayMs` (5000) later.',
    ({ answer, fault, response, simulator }) =>
      simulator.time.afterReal(fault.delayMs ?? LATE_MS, () => reply(response, answer)),
  ),
  'answers 5xx before doing the work': before(
    'HTTP 500, 502, 503 or 504 with a short text; nothing is done.',
    answer5xx,
  ),
  'answers 5xx after doing the work': after(
    'The work is done, then HTTP 500, 502, 503 or 504 with a short text.',
    answer5xx,
  ),
  'answers 429 with Retry-After': before(
    'HTTP 429 with Retry-After (`retryAfterSeconds`, 1); nothing is done.',
    ({ fault, response }) => tooManyRequests(response, fault.retryAfterSeconds ?? 1),
  ),
  redirects: before('HTTP 302 to another path; nothing is done.', ({ response }) =>
    send(response, 302, '', { location: '/elsewhere' }),
  ),
  'answers 5000 before doing the work': before(
    'HTTP 200 with 5000, or the server error of the area (SMS: ERROR_116); nothing is done.',
    answer5000,
  ),
  'answers 5000 after doing the work': after(
    'The work is done, then HTTP 200 with 5000, or the server error of the area (SMS: ERROR_116).',
    answer5000,
  ),
  'says it is under maintenance': before(
    'HTTP 400 with 5000 and a text about maintenance; nothing is done.',
    ({ family, response }) => reply(response, refuseIn(family, '5000', MAINTENANCE, 400)),
    PAYMENT_CODES,
  ),
  'answers a given code': before(
    'The `code` of the fault in the envelope of the area; nothing is done. For the codes no other fault gives, such as ERROR_124.',
    answerGivenCode,
  ),
  'answers an unknown code': after(
    'The work is done, then HTTP 200 with a code that the interface does not have.',
    answerUnknownCode,
  ),
  'cuts its JSON': after(
    'The work is done, the answer is half of its JSON, well framed.',
    ({ answer: { status, body }, response }) =>
      send(response, status, halfOf(JSON.stringify(body)), { 'content-type': 'application/json' }),
  ),
  'breaks off in the middle of its answer': after(
    'The work is done, half of the announced bytes are sent, then the connection is closed.',
    breakOff,
  ),
  'answers HTML': after('The work is done, the answer is an HTML page under HTTP 200.', answerPage),
  'answers HTML before doing the work': before(
    'Nothing is done, the answer is an HTML page under HTTP 200.',
    answerPage,
  ),
  'answers empty': after('The work is done, the answer is HTTP 200 with no body.', ({ response }) =>
    send(response, 200, ''),
  ),

  'says not authorized': within('HTTP 200 with 401; no token.', ['disbursement.create']),
  'says funds are insufficient': within('HTTP 200 with 4002 and a text about funds; no token.', [
    'disbursement.create',
  ]),
  'says the callback URL is not reachable': within(
    'HTTP 200 with 4002 and a text about the callback URL; no token.',
    ['disbursement.create'],
  ),
  'says 4002 and nothing else': within('HTTP 200 with 4002 and a text that fits both of its causes.', [
    'disbursement.create',
  ]),
  'probes the callback URL': within(
    'Asks the callback URL first (method: setting `probeMethod`); answers 4002 when nothing answers below HTTP 400.',
    ['disbursement.create'],
  ),
  'gives the token of another': within('Answers with the token that was given last, and makes none.', [
    'disbursement.create',
  ]),
  'fails the disbursement': within('Accepted as usual, then the operator fails it; no money leaves.', [
    'disbursement.submit',
  ]),
  'leaves the disbursement pending': within('Accepted as usual, then pending until the control API decides.', [
    'disbursement.submit',
  ]),
  'reverses a success': within('Succeeds and calls back, and shows `failed` one settle delay later.', [
    'disbursement.submit',
  ]),
  'reports an old status': within('Reports the status before the present one.', ['disbursement.status']),
  'reports an unknown status': within('Reports a status that the interface does not have.', ['disbursement.status']),
  'leaves out the disburse_id': within('Reports the status without the disburse_id that was given at submit.', [
    'disbursement.status',
  ]),
  'reports another amount': within('Reports one XOF less than was asked for.', [
    'disbursement.status',
    'invoice.confirm',
  ]),
  'forgets the token': within('Answers as for a token it never gave.', [
    'disbursement.status',
    'disbursement.submit',
    'invoice.confirm',
  ]),
  'says the token expired': within('ERROR_121, and the bearer token is dead from then on.', [
    'sms.send',
    'sms.stats',
  ]),
  'accepts only part of an SMS chunk': within('Sends the first half, answers 00, and lists only that half.', [
    'sms.send',
  ]),
  'refuses the chunk for one bad number': within('ERROR_110 for the whole request; nothing is sent.', ['sms.send']),
  'says the SMS balance is insufficient': within('ERROR_102; nothing is sent.', ['sms.send']),

  'calls back early': callback(
    'The disbursement succeeds and the callback is posted before the submit is answered.',
    ['disbursement.callback'],
  ),
  'calls back twice': callback('Posts the same callback two times.'),
  'calls back late': callback('Posts the callback `delayMs` (5000) later than usual.'),
  'never calls back': callback('Posts nothing.'),
  'calls back mutilated': callback('Cuts the body of the callback in half.'),
  'calls back with a wrong hash': callback('Posts a `hash` that is not the SHA-512 of the master key.'),
  'calls back with fields missing': callback('Leaves every second field of the record out.'),
} as const satisfies Record<string, FaultRow>;

type EncodingFault = `calls back as ${CallbackEncoding}`;
export type FaultName = keyof typeof rows | EncodingFault;

const encodingRows = Object.fromEntries(
  encodingNames.map((encoding) => [
    `calls back as ${encoding}`,
    { ...callback(callbackEncodings[encoding].says), encoding },
  ]),
) as Record<EncodingFault, FaultRow>;

export const faultTable: Readonly<Record<FaultName, FaultRow>> = { ...rows, ...encodingRows };

export const faultNames = Object.keys(faultTable) as readonly FaultName[];
