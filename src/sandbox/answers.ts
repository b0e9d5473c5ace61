/** How each family of operations answers and refuses (interface: General conventions; Errors). */
import type { ServerResponse } from 'node:http';
import type { Simulator } from './simulator.ts';

export interface Answer {
  readonly status: number;
  readonly body: object;
}

/** Every family of operations has its own envelope. */
export type Family = 'payment' | 'payment-request' | 'flag' | 'sms';

export const ok = (body: object): Answer => ({ status: 200, body });

/** Payment area: `response_code`, `response_text`. */
export const refuse = (code: string, text: string, status = 200): Answer => refuseIn('payment', code, text, status);

/** A refusal in the envelope of its family. */
export function refuseIn(family: Family, code: string, text: string, status: number): Answer {
  const bodies = {
    payment: { response_code: code, response_text: text },
    'payment-request': { 'response-code': code, message: text, description: text },
    flag: { success: false, message: text },
    sms: { code, message: text, description: text },
  } as const satisfies Record<Family, object>;
  return { status, body: bodies[family] };
}

/** The setting `errorStatus` decides the HTTP status of errors for which the interface gives none. */
export const undocumentedStatus = ({ settings }: Simulator, meaningful: number): number =>
  settings.values.errorStatus === '200' ? 200 : meaningful;

export const serverError = (family: Family): Answer =>
  family === 'sms'
    ? { status: 200, body: { code: 'ERROR_116', ...smsCodes.ERROR_116.body } }
    : refuseIn(family, '5000', 'Server error, please retry later', 200);

const sms = (message: string, description: string, status: number) => ({ body: { message, description }, status });

/** The errors of the messaging area, misspellings included. The HTTP status is our guess at the meaning. */
const smsCodes = {
  ERROR_101: sms('sms_not_sent_success', 'SMS not sent', 400),
  ERROR_102: sms('inufficient_balance', 'insufficient balance', 402),
  ERROR_103: sms('balance_not_updated', 'balance not updated', 500),
  ERROR_104: sms('invalid_content_request', 'request body not valid', 400),
  ERROR_105: sms('invalid_data_content_request', 'request body not valid', 400),
  ERROR_106: sms('invalid_type', 'type not valid', 400),
  ERROR_107: sms('invalid_key', 'key not valid', 401),
  ERROR_108: sms('invalid_sender_address', 'sender address not valid', 400),
  ERROR_109: sms('empty_address', 'no address found', 400),
  ERROR_110: sms('invalid_receiver_address', 'receiver address not valid', 400),
  ERROR_111: sms('number_recipients_not_authorize', 'number of receivers not authorized (1 to 50 accepted)', 400),
  ERROR_112: sms('invalid_content_message', 'message content not valid', 400),
  ERROR_113: sms('content_sms_too_long', 'message content too long', 400),
  ERROR_114: sms('invalid_start_date', 'start date not valid', 400),
  ERROR_115: sms('invalid_ende_date', 'end date not valid', 400),
  ERROR_116: sms('error_server', 'processing error on the server', 500),
  ERROR_117: sms('invalid_credentials', 'credentials invalid', 401),
  ERROR_118: sms('credentials_not_found', 'credentials not found', 401),
  ERROR_119: sms('could_not_create_token', 'token not created', 500),
  ERROR_120: sms('user_not_found', 'user not found', 404),
  ERROR_121: sms('token_expired', 'token expired', 401),
  ERROR_122: sms('token_invalid', 'token invalid', 401),
  ERROR_123: sms('token_not_found', 'authorization token not found', 401),
  ERROR_124: sms('logout_token', 'authorization token logged out', 401),
} as const;

export type SmsCode = keyof typeof smsCodes;

export const isSmsCode = (code: string): code is SmsCode => Object.hasOwn(smsCodes, code);

export function smsRefusal(code: SmsCode, simulator: Simulator): Answer {
  const { body, status } = smsCodes[code];
  return { status: undocumentedStatus(simulator, status), body: { code, ...body } };
}

export function reply(response: ServerResponse, { status, body }: Answer): void {
  send(response, status, JSON.stringify(body), { 'content-type': 'application/json' });
}

export function tooManyRequests(response: ServerResponse, retryAfterSeconds: number): void {
  const headers = { 'retry-after': String(retryAfterSeconds), 'content-type': 'application/json' };
  send(response, 429, '{"message":"Too many requests"}', headers);
}

export function send(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  // The client may have disconnected, which is not an error.
  if (response.destroyed) return;
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}
