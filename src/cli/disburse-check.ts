import { disbursementRequest } from '../kinds/disbursement-fields.ts';
import { type Problem, check } from '../producer/problems.ts';
import { readAccountAlias, readDebitAccount, readWithdrawMode } from '../upstream/capabilities.ts';
import type { JsonObject } from './client.ts';

export interface Doubts {
  /** What would be refused. */
  readonly problems: readonly Problem[];
  /** What looks wrong, and would be tried all the same. */
  readonly warnings: readonly string[];
}

/**
 * What this program can tell about a disbursement without asking anybody, for a dry run and before the question on a
 * terminal. Only shown: the API decides, and a newer one may know modes that this program does not.
 */
export function doubtsAbout(asked: JsonObject): Doubts {
  const { data, problems: wrong } = check(disbursementRequest, asked);
  if (data === undefined) return { problems: wrong, warnings: [] };
  const mode = readWithdrawMode(data.withdrawMode);
  if ('problem' in mode) return { problems: [{ pointer: '/withdrawMode', message: mode.problem }], warnings: [] };

  const problems: Problem[] = [];
  const alias = readAccountAlias(data.accountAlias, mode.country);
  if ('problem' in alias) problems.push({ pointer: '/accountAlias', message: alias.problem });
  if (data.debitAccountNumber !== undefined) {
    const debit = readDebitAccount(data.debitAccountNumber, mode.mode);
    if ('problem' in debit) problems.push({ pointer: '/debitAccountNumber', message: debit.problem });
  }
  return { problems, warnings: 'warning' in alias && alias.warning !== undefined ? [alias.warning] : [] };
}
