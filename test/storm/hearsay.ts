/** What the taps heard, as the checks read it. */
import type { Exchange } from './tap.ts';
import type { SeenLook, SeenSend, SeenSubmit } from './story.ts';

const SUBMIT = '/api/v2/disburse/submit-invoice';
const STATUS = '/api/v2/disburse/check-status';
const SEND = '/api/v1/sms/send';

export type Image = NonNullable<SeenSubmit['image']>;

export function isSubmit({ path }: Pick<Exchange, 'path'>): boolean {
  return path === SUBMIT;
}

export function submitNames({ body }: Pick<Exchange, 'body'>): { token: string; disburseId: string } {
  const read = parse(body);
  const text = (name: string): string => (typeof read[name] === 'string' ? read[name] : '');
  return { token: text('disburse_invoice'), disburseId: text('disburse_id') };
}

export function submitsIn(exchanges: readonly Exchange[], images: ReadonlyMap<Exchange, Image>): SeenSubmit[] {
  return exchanges.filter(isSubmit).map((exchange) => {
    const image = images.get(exchange);
    const { at, endedAt } = exchange;
    return { at, endedAt, ...submitNames(exchange), ...(image ? { image } : {}) };
  });
}

export function looksIn(exchanges: readonly Exchange[]): SeenLook[] {
  return exchanges
    .filter(({ path }) => path === STATUS)
    .map(({ at, body, answer }) => {
      const status = /"status" *: *"([^"]*)"/.exec(answer)?.[1];
      return { at, token: submitNames({ body }).token, ...(status ? { status } : {}) };
    });
}

export function sendsIn(exchanges: readonly Exchange[]): SeenSend[] {
  return exchanges
    .filter(({ path }) => path === SEND)
    .map(({ at, body, answer }) => {
      const wrap = parse(body)['send_sms_request'] as { sms?: { to: string; text: string }[] } | undefined;
      const code = answerOf(answer);
      return { at, items: wrap?.sms ?? [], ...(code ? { answer: code } : {}) };
    });
}

/** The service's code, or the HTTP status of an answer that has none. */
function answerOf(answer: string): string | undefined {
  const code = /"code" *: *"([^"]*)"/.exec(answer)?.[1];
  return code ?? /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1];
}

function parse(body: string): Record<string, unknown> {
  try {
    return JSON.parse(body) as Record<string, unknown>;
  } catch (error) {
    throw new Error(`a request of ours is not JSON: ${body.slice(0, 200)}`, { cause: error });
  }
}
