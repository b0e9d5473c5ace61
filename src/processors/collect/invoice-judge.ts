/**
 * What confirm says about an invoice, and what it means. Pure, so that the whole policy is one table test. Nothing but
 * a confirm that is about this invoice, in this mode, and for at least what was billed makes it completed.
 */
import type { InvoiceRecord } from '../../operations/record.ts';
import { type Policy, waitAt } from '../context.ts';

export interface InvoiceAnswer {
  /** Lower case. */
  readonly status: string;
  readonly token?: string | undefined;
  /** Whole XOF; absent when upstream gave none or wrote it unreadably. */
  readonly totalAmount?: number | undefined;
  /** Whole XOF, where the payer bears the fees. */
  readonly totalWithoutFees?: number | undefined;
  readonly mode?: string | undefined;
}

export type InvoiceJudgement =
  | { readonly is: 'completed'; readonly late: boolean; readonly amountPaid?: number }
  | { readonly is: 'cancelled' | 'failed'; readonly reason?: string }
  | { readonly is: 'look again'; readonly dueInMs: number; readonly because: string }
  | { readonly is: 'review'; readonly because: string }
  /** Callers were told how it ended and upstream says nothing that changes it. */
  | { readonly is: 'over'; readonly because: string };

/** interface: Limits. An unpaid invoice cancels itself after 24 hours. */
const UNPAID_LIFETIME_MS = 24 * 3_600_000;
/** Nobody's clock is exact: an hour more, then one last look. */
export const INVOICE_LIMIT_MS = UNPAID_LIFETIME_MS + 3_600_000;

export interface Look {
  /** When the look began, by the clock of Redis. */
  readonly at: number;
  readonly mode: 'live' | 'test';
  readonly pollMs: Policy['invoicePollMs'];
}

export function judgeInvoice(record: InvoiceRecord, answer: InvoiceAnswer, look: Look): InvoiceJudgement {
  const over = record.state === 'cancelled' || record.state === 'failed';
  const differs = mismatchOf(record, answer, look.mode);
  if (differs) return record.state === 'pending' ? review(differs) : { is: 'over', because: differs };
  const { status } = answer;
  if (status === 'completed') return judgePaid(record, answer);
  if (over) return { is: 'over', because: status === record.state ? 'nothing_new' : `status_${word(status)}` };
  if (status === 'failed') return { is: 'failed' };
  if (status === 'cancelled') return cancelled(record, look.at);
  return judgeUnpaid(record, status, look);
}

/** An answer about something else than we asked is not an answer. */
function mismatchOf(record: InvoiceRecord, answer: InvoiceAnswer, mode: Look['mode']): string | undefined {
  if (answer.token !== undefined && answer.token !== record.token) return 'mismatch_token';
  return answer.mode !== undefined && answer.mode !== mode ? 'mismatch_mode' : undefined;
}

function judgePaid(record: InvoiceRecord, answer: InvoiceAnswer): InvoiceJudgement {
  const told = [answer.totalAmount, answer.totalWithoutFees].filter((amount) => amount !== undefined);
  const because = told.length === 0 ? 'unreadable_amount' : 'amount_mismatch';
  const enough = told.length > 0 && told.every((amount) => amount >= record.totalAmount);
  if (!enough) return record.state === 'pending' ? review(because) : { is: 'over', because };
  const paid = Math.max(...told);
  return {
    is: 'completed',
    late: record.state !== 'pending',
    ...(paid > record.totalAmount ? { amountPaid: paid } : {}),
  };
}

function cancelled(record: InvoiceRecord, at: number): InvoiceJudgement {
  // Upstream has one word for both; only the time tells them apart.
  const expired = at - (record.publishedAt ?? record.createdAt) >= UNPAID_LIFETIME_MS;
  return { is: 'cancelled', ...(expired ? { reason: 'expired' } : {}) };
}

/** Pending, or a word we do not know, which ends nothing either. */
function judgeUnpaid(record: InvoiceRecord, status: string, look: Look): InvoiceJudgement {
  const because = status === 'pending' ? 'pending' : `status_${word(status)}`;
  if (record.state === 'needs_review') return { is: 'over', because };
  const left = (record.publishedAt ?? record.createdAt) + INVOICE_LIMIT_MS - look.at;
  if (left <= 0) return review('poll_exhausted');
  return { is: 'look again', dueInMs: Math.min(waitAt(look.pollMs, record.tries), left), because };
}

function review(because: string): InvoiceJudgement {
  return { is: 'review', because };
}

function word(status: string): string {
  return status.slice(0, 20);
}
