/** What a route asks before its handler begins: of the key, of the accounts, and of the state that Redis is in. */
import type { Request, Response } from 'express';
import { RECOVERING } from '../operations/recovery.ts';
import type { ApiContext } from './context.ts';
import { type ApiKey, type Role, mayUseAccount, personOf } from './keys.ts';
import { ApiProblem, invalid } from './problem.ts';

export function requireRole(key: ApiKey, role: Role, or?: Role): void {
  if (key.roles.has(role) || (or && key.roles.has(or))) return;
  const wanted = or ? `"${role}" or "${or}"` : `"${role}"`;
  throw new ApiProblem('forbidden', `The key "${key.name}" has not the role ${wanted}; ask for one that has.`, {
    rule: 'role',
  });
}

/** Four eyes: nobody decides about what they asked for themselves, and two keys of one person are one. */
export function requireAnother({ keyRing }: ApiContext, key: ApiKey, by: string | undefined, did: string): void {
  if (by === undefined || !keyRing.isOne(key, by)) return;
  const detail = `The key "${key.name}" is of ${personOf(key)}, and ${by} ${did}; another key must decide, of another person.`;
  throw new ApiProblem('forbidden', detail, { rule: 'other-person' });
}

/** What concerns every account is not for a key that is bound to some. */
export function requireAllAccounts({ name, accounts }: ApiKey, why: string): void {
  if (accounts === undefined) return;
  throw new ApiProblem('forbidden', `The key "${name}" is for ${[...accounts].join(', ')}, and ${why}.`, {
    rule: 'all-accounts',
  });
}

interface Naming {
  readonly query: object;
  readonly body: unknown;
  /** Whether an account that there is not is refused here; otherwise by the acceptance, with all else that is wrong. */
  readonly mustExist: boolean;
}

/** Of a file each line names its own, or the query names one for all. Which accounts there are is told to keys that may use them. */
export function requireNamedAccounts(
  { accountNames }: ApiContext,
  key: ApiKey,
  { query, body, mustExist }: Naming,
): void {
  const naming =
    body === undefined ? ('account' in query ? [query] : []) : Array.isArray(body) ? (body as unknown[]) : [body];
  for (const account of naming.map(accountIn)) {
    requireAccount(key, account);
    if (!mustExist || accountNames.includes(account)) continue;
    throw invalid([{ pointer: '/account', message: `is not one of the accounts here: ${accountNames.join(', ')}` }]);
  }
}

/** Of which accounts something is listed: of the one that is asked for, or of all that the key may see. */
export function accountsListed(
  context: ApiContext,
  key: ApiKey,
  account: string | undefined,
): readonly string[] | undefined {
  if (account === undefined) return key.accounts && [...key.accounts];
  requireNamedAccounts(context, key, { query: { account }, body: undefined, mustExist: true });
  return [account];
}

function requireAccount(key: ApiKey, account: string): void {
  if (mayUseAccount(key, account)) return;
  throw new ApiProblem('forbidden', `The key "${key.name}" may not use the account "${account}".`, {
    rule: 'account',
  });
}

/** What is no name at all is refused with everything else that is wrong in the request. */
function accountIn(request: unknown): string {
  const isObject = typeof request === 'object' && request !== null && 'account' in request;
  return isObject && typeof request.account === 'string' ? request.account : 'main';
}

/** Money and campaigns are accepted only while what was accepted would survive a power loss. */
export function requireOpen({ refusal }: ApiContext, response: Response): void {
  refuse(refusal(), response);
}

/** What stops something, and not what begins it: in a recovery too. */
export function requireKeeping({ keepingRefusal }: ApiContext, response: Response): void {
  refuse(keepingRefusal(), response);
}

function refuse(why: ReturnType<ApiContext['refusal']>, response: Response): void {
  if (!why) return;
  response.set('Retry-After', '30');
  throw new ApiProblem(why.kind, why.detail);
}

/** What somebody released in a recovery would leave before anybody has looked. Asked of Redis: every moment counts. */
export async function requireNoRecovery({ refusal, recovery }: ApiContext, response: Response): Promise<void> {
  if (refusal()?.kind !== 'recovering' && !(await recovery.state())) return;
  response.set('Retry-After', '30');
  throw new ApiProblem('recovering', `${RECOVERING}.`);
}

export function idempotencyKey(request: Request): string | undefined {
  const value = request.get('idempotency-key');
  if (value === undefined) return undefined;
  if (/^[\x21-\x7e]{1,255}$/.test(value)) return value;
  throw invalid([{ pointer: '/Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' }]);
}
