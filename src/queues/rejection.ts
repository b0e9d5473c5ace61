/** The parts of a refused job that producers and operators may see: no value, no secret, no full phone number. */
import { UNKNOWN_KIND, type Rejection } from '../kinds/intake.ts';
import { asDeclared, kinds } from '../kinds/index.ts';
import { accountName } from '../kinds/request-pieces.ts';
import { maskPhone } from '../lib/phone.ts';

/** Fields that identify a refused request. A finished job stores them instead of the request. */
export type RefusedRequest = Pick<Rejection, 'kind' | 'account' | 'reference'>;
type Problems = Rejection['problems'];

const LONGEST = 128;
const MAIN = 'main';

export const rejectionKinds: readonly string[] = [
  ...kinds.filter((kind) => asDeclared(kind).request !== undefined),
  UNKNOWN_KIND,
];

export function refusedRequest(data: unknown): RefusedRequest {
  const asked = typeof data === 'object' && data !== null ? (data as Readonly<Record<string, unknown>>) : {};
  const kind = rejectionKinds.find((one) => one === asked['kind']) ?? UNKNOWN_KIND;
  const asAccount = accountName.safeParse(asked['account']).data ?? MAIN;
  const account = maskPhone(asAccount, 'anybody') === asAccount ? asAccount : MAIN;
  const { reference } = asked;
  return typeof reference === 'string' && reference !== ''
    ? { kind, account, reference: masked(reference) }
    : { kind, account };
}

/** A job id, or a reference, may be a phone number. */
export function masked(name: string): string {
  return maskPhone(name, 'anybody').slice(0, LONGEST);
}

/** Omits field names that could be a code or a person, and values quoted by a message. */
export function redacted(problems: Problems): Problems {
  return problems.map(({ pointer, message }) => ({ pointer: named(pointer), message: unquoted(message) }));
}

function named(pointer: string): string {
  return pointer.replace(/[^/]+/g, (name) => (/^(?:[A-Za-z][A-Za-z_]{0,31}|\d{1,3})$/.test(name) ? name : '…'));
}

/** Every text of an answer, without quoted values. */
export function withoutValues<T>(answer: T): T {
  return JSON.parse(JSON.stringify(answer), (name, value: unknown) =>
    name === 'reason' && typeof value === 'string' ? unquoted(value) : value,
  ) as T;
}

function unquoted(message: string): string {
  return maskPhone(message.replace(/"[^"]*"|“[^”]*”/g, '"…"'));
}
