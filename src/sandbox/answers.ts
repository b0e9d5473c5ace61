/** The shapes in which each area says no (interface: Errors). */
export interface Answer {
  readonly status: number;
  readonly body: object;
}

/** Every family of operations has its own envelope (interface: General conventions). */
export type Family = 'payment' | 'payment-request' | 'flag' | 'sms';

export const ok = (body: object): Answer => ({ status: 200, body });

/** Payment area: `response_code`, `response_text`. */
export const refuse = (code: string, text: string, status = 200): Answer => ({
  status,
  body: { response_code: code, response_text: text },
});

/** A refusal in the envelope of its family, where no table gives a code of its own. */
export function refuseIn(family: Family, code: string, text: string, status: number): Answer {
  const bodies = {
    payment: { response_code: code, response_text: text },
    'payment-request': { 'response-code': code, message: text, description: text },
    flag: { success: false, message: text },
    sms: { code, message: text, description: text },
  } as const satisfies Record<Family, object>;
  return { status, body: bodies[family] };
}

export const serverError = (family: Family, status = 200): Answer =>
  family === 'sms'
    ? { status, body: { code: 'ERROR_116', message: 'error_server', description: 'processing error on the server' } }
    : refuseIn(family, '5000', 'Server error, please retry later', status);
