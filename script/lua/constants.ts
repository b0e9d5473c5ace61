/** What scripts know from the rest of the code: a name in capitals in a .lua file is one of these. */
import { RECORD_VERSION, UNREADABLE } from '../../src/operations/record.ts';
import { BOOK_KEPT_DAYS } from '../../src/operations/book.ts';
import { APPROVED_WITH, DRAFTED, HAND, PACE_AHEAD_MS } from '../../src/kinds/campaign-switches.ts';
import { SLICE_WAKE_GRACE_MS } from '../../src/operations/slices.ts';
import { EVIDENCE_SLOTS, LINE_END, LIST, NUMBERS_FROM } from '../../src/operations/transition.ts';
import { campaignBins } from '../../src/kinds/recipient.ts';
import { recoveryProofs } from '../../src/kinds/system.ts';
import {
  DOUBT_FIELD,
  DOUBT_SLOT_MS,
  EVENT_FIELD,
  HISTORY_FIELD,
  FOUND_FOR_MS,
  LED_ON_FIELD,
  LEFT_FIELD,
  MARK,
  ON_NOTHING_FIELD,
  UNSENT_FIELD,
  UNSENT_XOF_FIELD,
} from '../../src/operations/keys.ts';
import { isKept, statesOf, statesThatAre } from '../../src/kinds/index.ts';
import { MOMENT_DIGITS } from '../../src/operations/places.ts';
import { STUB_PRINT, stateOfLetter } from '../../src/operations/stubs.ts';
import { OFF, declarationOf, limitsOf, moneyLimits } from '../../src/kinds/limits.ts';
import { MARKS_KEPT_S, MARK_LENGTH, OPEN_KEPT_MS } from '../../src/operations/slice-form.ts';
import type { Constant } from './lua-text.ts';

const setOf = (names: readonly string[]): Constant => Object.fromEntries(names.map((name) => [name, true]));

const fallbacks = moneyLimits.flatMap((name) => {
  const { fallback } = declarationOf(name);
  return fallback === undefined ? [] : [[name, String(fallback)] as const];
});

export const constants: Readonly<Record<string, Constant>> = {
  VERSION: RECORD_VERSION,
  UNREADABLE,
  EVENT_FIELD,
  EVENT_LIST: LIST,
  UNSENT_FIELD,
  UNSENT_XOF_FIELD,
  DOUBT_FIELD,
  DOUBT_SLOT_MS,
  IN_FLIGHT: setOf(statesThatAre('disbursement', 'in flight')),

  HISTORY_FIELD,
  LEFT_FIELD,
  STUB_PRINT,
  STUB_STATES: stateOfLetter,
  KEPT_MESSAGES: setOf(statesOf('message').filter((state) => isKept('message', state))),

  CAMPAIGN_BINS: campaignBins,
  PACE_AHEAD_MS,
  HAND,
  APPROVED_WITH: setOf(APPROVED_WITH),
  DRAFTED: setOf(DRAFTED),

  LINE_END,
  EVIDENCE_FIRST: EVIDENCE_SLOTS.first,
  EVIDENCE_LAST: EVIDENCE_SLOTS.last,

  OFF,
  MONEY_LIMITS: limitsOf('payments'),
  CAMPAIGN_LIMITS: limitsOf('campaigns'),
  TEXT_LIMITS: limitsOf('texts'),
  STRICTER_IS_HIGHER: setOf(moneyLimits.filter((name) => declarationOf(name).stricter === 'higher')),
  LIMIT_FALLBACKS: Object.fromEntries(fallbacks),

  MOMENT_DIGITS,

  LED_ON_FIELD,
  ON_NOTHING_FIELD,
  MARK,
  PROVEN: setOf(recoveryProofs),
  MARK_LENGTH,
  MARKS_KEPT_S,
  OPEN_KEPT_MS,
  /**
   * What upstream named is claimed for so long. A token is used within a day and asked about for three; after that
   * only its disburse_id tells whose it is.
   */
  CLAIM_KEPT_S: 7 * 86_400,
  /** What was taken is begun at once. Somebody who died before that is waited for so long. */
  TAKEN_FOR_MS: 5_000,
  /** What was posted about an operation, for a person who looks into it. */
  CALLBACK_KEPT_S: 30 * 86_400,
  /** The sums of a day are asked for until the day is over everywhere. */
  SUMS_KEPT_S: 172_800,

  DAY_MS: 86_400_000,
  /** How many days of the book are kept where no process has said so yet. */
  BOOK_KEPT_DAYS,
  /** The costs of a month are asked for until it is over everywhere. */
  COSTS_KEPT_S: 40 * 86_400,

  /** So many processes that were killed have left their mark at the most. */
  MARKS_MOST: 1_000,

  /** A heartbeat so much later than the witness says is of a time that the witness knows nothing of. */
  WITNESS_GRACE_MS: 5_000,
  /** The numbers of what is told after a loss go on by the seconds since then. */
  NUMBERS_FROM,
  /** After so long without a beat nobody is at work (ms): each process beats once a second. */
  ALONE_MS: 5_000,
  /** Of what processes found that were told nothing, so many letters at the most. */
  FOUND_MOST: 1_000,
  FOUND_FOR_MS,
  /** A clock may be set by so much; a heartbeat further in the future was written under another one. */
  FUTURE_GRACE_MS: 5_000,
  /** A follower may have heard a little more than the last beat of a process has seen. */
  FLOOR_KNOWN_MS: 60_000,
  /** Where nobody knows how far the events had come, they go on beyond what any clock can have given them. */
  FLOOR_UNKNOWN_MS: 86_400_000,

  /** What is kept for a person to look at, of each endpoint. */
  LOG_LINES: 200,
  UNDELIVERED_MOST: 1_000,

  /** Requests to retry that are remembered: each of them starts one retry, whenever it is asked again. */
  RETRY_KEYS_KEPT: 20,
  SLICE_WAKE_GRACE_MS,
};
