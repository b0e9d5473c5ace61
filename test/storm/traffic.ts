/** The recorded traffic in the form of the checks. */
import type { Exchange } from './tap.ts';
import type { SeenLook, SeenSend, SeenSubmit } from './story.ts';

const SUBMIT = '/api/v2/disburse/submit-invoice';
const STATUS = '/api/v2/disburse/check-status';
const CREATE = '/api/v2/disburse/get-invoice';
const SEND = '/api/v1/sms/send';

export type Image = NonNullable<SeenSubmit['image']>;

type Path = Pick<Exchange, 'path'>;
export const isLook = ({ path }: Path): boolean => path === STATUS;
export const isCreate = ({ path }: Path): boolean => path === CREATE;
export const isSend = ({ path }: Path): boolean => path === SEND;

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
      const [status, named, disburseId, amount] = ['status', 'token', 'disburse_id', 'amount'].map((name) =>
        wordIn(answer, name),
      );
      return {
        at,
        token: submitNames({ body }).token,
        ...(status ? { status } : {}),
        names: { token: named, disburseId, amount },
      };
    });
}

const wordIn = (answer: string, name: string): string | undefined =>
  new RegExp(`"${name}" *: *"([^"]*)"`).exec(answer)?.[1];

export function sendsIn(exchanges: readonly Exchange[]): SeenSend[] {
  return exchanges.filter(isSend).map((exchange) => {
    const { at, answer } = exchange;
    const code = answerOf(answer);
    return { at, items: textsOf(exchange), ...(code ? { answer: code } : {}) };
  });
}

export function textsOf({ body }: Pick<Exchange, 'body'>): SeenSend['items'] {
  const wrap = parse(body)['send_sms_request'] as { sms?: { to: string; text: string }[] } | undefined;
  return wrap?.sms ?? [];
}

/** The provider's code, or the HTTP status of an answer without one. */
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
