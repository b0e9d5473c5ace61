import type { CallOptions, UpstreamAccount } from '../options.ts';
import type { Verdict } from '../verdict.ts';

export interface OutgoingMessage {
  /** The sender signature; the account's own when absent. */
  readonly from?: string | undefined;
  /** In international form, with or without `+`. */
  readonly to: string;
  readonly text: string;
}

/** What became of one message of the request. `sent` means upstream took it, never that it was delivered. */
export interface SentItem {
  /** Which of the request's messages this is. */
  readonly index: number;
  /** The SMS code as upstream wrote it. */
  readonly code?: string | undefined;
  /** The sender upstream says it used: an unconfigured signature is replaced without a word. */
  readonly sender?: string | undefined;
  readonly outcome: 'sent' | 'failed' | 'unknown';
  /** What stands beside the text says neither yes nor no in a form that we know. */
  readonly strange?: boolean;
}

interface StatisticsRequest {
  /** At most 50 numbers, in international form. */
  readonly numbers: readonly string[];
  /** `YYYY-MM-DD HH:MM:SS`; the zone is not told, so ask for a day more on each side. */
  readonly startDate?: string | undefined;
  readonly endDate?: string | undefined;
}

export interface Statistics {
  /** Numbers (digits only) upstream calls invalid. */
  readonly invalid: readonly string[];
  /** Digits → what was sent there. A number that is absent says nothing; an empty list says never sent to, so far. */
  readonly sent: ReadonlyMap<string, readonly { readonly code: string; readonly content: string }[]>;
  /** Digits → the texts that are listed there under a code that is no clear yes. They prove nothing, either way. */
  readonly unclear?: ReadonlyMap<string, readonly string[]>;
}

export interface Messaging {
  /** Obtains the bearer ahead of time, so that a send right after it needs no login. */
  readonly prepare: (
    account: UpstreamAccount,
    call?: CallOptions,
  ) => Promise<Verdict<{ readonly usableForMs: number }>>;
  readonly send: (
    account: UpstreamAccount,
    request: { readonly messages: readonly OutgoingMessage[] },
    call?: CallOptions,
  ) => Promise<Verdict<{ readonly items: readonly SentItem[] }>>;
  readonly statistics: (
    account: UpstreamAccount,
    request: StatisticsRequest,
    call?: CallOptions,
  ) => Promise<Verdict<Statistics>>;
}
