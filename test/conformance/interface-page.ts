/** The documented interface as facts, compared by hand, row by row. */
import page from './interface.json' with { type: 'json' };

export type Is = 'ok' | 'refused' | 'config' | 'transient' | 'held' | 'unknown';

export interface Fact {
  readonly name: string;
  readonly http: number;
  readonly body: object;
  readonly is: Is;
  /** One of our own codes. */
  readonly code: string;
  readonly condition?: string;
  /** The request that it answers, if relevant. */
  readonly request?: 'notify';
  readonly retryAfter?: string;
}

export interface OperationFacts {
  readonly class: 'read' | 'harmless' | 'effect' | 'submit' | 'login';
  readonly area?: 'crm';
  readonly method: 'GET' | 'POST';
  readonly paths: { readonly live: string; readonly test?: string };
  /** Path of a field → its type, and `required` if it is. `_N` and `.N.` stand for any number. */
  readonly request: Readonly<Record<string, string>>;
  readonly response: readonly string[];
  readonly answers: readonly Fact[];
}

export type OperationName = keyof typeof page.operations;

export const operations = page.operations as unknown as Readonly<Record<OperationName, OperationFacts>>;
export const operationNames = Object.keys(operations) as OperationName[];
export const facts = page;

export function needsBearer(name: OperationName): boolean {
  return operations[name].area === 'crm' && name !== 'sms_login';
}

/** Every documented answer of an operation: its own, and matching rows of the error tables. */
export function answersOf(name: OperationName): readonly Fact[] {
  return [...operations[name].answers, ...errorsOf(name)];
}

function errorsOf(name: OperationName): readonly Fact[] {
  if (name.startsWith('sms_')) return smsErrors(name);
  if (name.startsWith('balance_')) {
    return page.errors.balance.map(({ message, is, as }) => ({
      name: message,
      http: 200,
      body: { success: false, message },
      is: is as Is,
      code: as,
    }));
  }
  if (name.startsWith('payment_request_')) {
    return page.errors['payment request'].map(({ code, text, is }) => ({
      name: `${code} ${text}`,
      http: 200,
      body: { 'response-code': code, message: text, description: text },
      is: (is as Record<string, Is>)[name] ?? 'unknown',
      code,
    }));
  }
  return page.errors.payment
    .filter(({ operation }) => operation === name)
    .map(({ http, code, text, is, as, ...more }) => ({
      name: `${code} ${text}`,
      http,
      body: { response_code: code, response_text: text },
      is: is as Is,
      code: as,
      ...('condition' in more ? { condition: more.condition } : {}),
    }));
}

function smsErrors(name: OperationName): readonly Fact[] {
  return Object.entries(page.errors.sms).map(([code, { message, description, is }]) => ({
    name: `${code} ${message}`,
    http: 200,
    body: { code, message, description },
    is: (is as Record<string, Is>)[name] ?? 'unknown',
    code,
  }));
}

/** Undocumented answers that occur in practice, by the operation's class. */
export function generalAnswers(
  kind: OperationFacts['class'],
): readonly { name: string; http: number; text: string; is: Is; retryAfter: string | undefined }[] {
  return page['general answers'].map(({ name, http, text, is, ...more }) => ({
    name,
    http,
    text,
    is: (is as Record<string, Is>)[kind === 'login' ? 'harmless' : kind] ?? 'unknown',
    retryAfter: 'retry after' in more ? more['retry after'] : undefined,
  }));
}

/** The paths of everything in a body, without numbers: `invoice.items.item_N.name`, `sms.N.to`. */
export function pathsOf(value: unknown, at = ''): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  // The interface names the content of a list or a map, never a position in it.
  if (at !== '' && !/(^|\.)(N|item_N|tax_N)$/.test(at)) found.set(at, typeOf(value));
  if (typeof value !== 'object' || value === null || isFree(at)) return found;
  const entries = Array.isArray(value) ? value.map((one) => ['N', one] as const) : Object.entries(value);
  for (const [name, one] of entries) {
    const path = [at, name.replace(/^(item|tax)_\d+$/, '$1_N')].filter(Boolean).join('.');
    for (const [deeper, type] of pathsOf(one, path)) found.set(deeper, type);
  }
  return found;
}

/** Its content is defined by the caller. */
function isFree(path: string): boolean {
  return path === 'custom_data' || path === 'invoice.channels';
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** Whether a value of this type matches the interface. */
export function fits(type: string, wanted: string): boolean {
  const allowed = wanted.replace(/ required$/, '').split(' or ');
  return allowed.includes(type) || (type === 'integer' && allowed.includes('number'));
}
