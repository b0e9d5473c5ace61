/** What an attempt asks of a step of its slice, and what came of it. */
import type { RecipientState } from '../../kinds/recipient.ts';
import {
  type Request,
  type Letter,
  type Standing,
  recipientStateOf,
  codeMark,
  textMark,
  type MessageItem,
} from '../../operations/slice-form.ts';
import type { WhyNotMore, MessageChange, SliceRecord } from '../../operations/slices.ts';
import type { EventDraft } from '../../operations/transition.ts';

/** A request before it has its number. */
export type Draft = Pick<Request, 'is' | 'part' | 'from' | 'letters'> &
  Partial<Pick<Request, 'codes' | 'looks' | 'dueAt'>>;

interface Ending {
  /** When it is due to send again, and to be looked at, ms from now. */
  readonly sendInMs?: number | 'as it is' | undefined;
}

export interface Committing {
  readonly leaving?: readonly Draft[];
  readonly optOutsOf?: readonly string[];
  readonly tried?: boolean;
  /** Absent: the lease is kept. */
  readonly ending?: Ending;
  /** What comes of it was counted among the outcomes before. */
  readonly recounted?: boolean;
  readonly inRecovery?: number | undefined;
}

export type Committed =
  | {
      readonly is: 'kept';
      /** The requests that may leave from here on. */
      readonly left: readonly Request[];
      readonly why: WhyNotMore | 'fence';
      readonly waitMs: number;
      /** Hundredths of XOF that are left of a budget that stops more. */
      readonly spare: number;
      readonly rev: number;
      /** Marks of the texts that are open elsewhere. */
      readonly busy: readonly string[];
      /** Why nobody knows whether what was written is durable. */
      readonly failure?: unknown;
    }
  | { readonly is: 'lost'; readonly reason: string };

/**
 * What a step of a slice of single messages says besides: which messages changed and what is announced of them, and the
 * marks by which the same text to the same number is known elsewhere (slice-form.ts).
 */

/** Of one message, as it stands in Redis. */
interface Known {
  readonly letter: Letter;
  /** Its text is on its way, or in doubt and still asked about: the same one to the same number waits. */
  readonly isOpen: boolean;
}

/** What became of a message, or of a recipient, in a time that Redis has lost, as history has it. */
export interface EndInHistory {
  readonly letter: Letter;
  readonly code: string;
  readonly sentAt: number | undefined;
  /** By which event it was told then, as it was. Of a recipient none is told. */
  readonly told: { readonly event: EventDraft; readonly sequence: number } | undefined;
}

interface Becoming {
  readonly letter: Letter;
  readonly code: string;
  readonly isLastWord: boolean;
  readonly end: EndInHistory | undefined;
}

interface Written {
  readonly standing: Standing;
  readonly requests: ReadonlyMap<number, Request>;
  /** By position. */
  readonly endsInHistory: ReadonlyMap<number, EndInHistory>;
}

interface Changes {
  readonly messages: readonly MessageChange[];
  readonly closes: readonly string[];
  readonly sent: readonly string[];
}

/** Why a message is left out. */
const OPTED_OUT = 'opted_out';

const announced: Partial<Record<RecipientState, string>> = {
  sent: 'message.sent',
  failed: 'message.failed',
  expired: 'message.expired',
  skipped: 'message.skipped',
};

export class Singles {
  readonly #messageAt: (place: number) => MessageItem;
  readonly #isOtp: boolean;
  readonly #known: Known[];

  constructor(
    { lane }: Pick<SliceRecord, 'lane'>,
    { standing, requests }: { readonly standing: Standing; readonly requests: ReadonlyMap<number, Request> },
    messageAt: (place: number) => MessageItem,
  ) {
    this.#messageAt = messageAt;
    this.#isOtp = lane === 'otp';
    this.#known = standing.letters.map((letter, place) => knownOf(letter, requestOf(place, standing, requests)));
  }

  /** What has changed at these positions since the last step, and has no part in what is about to leave. */
  changes(places: Iterable<number>, { standing, requests, endsInHistory: ends }: Written): Changes {
    const messages: MessageChange[] = [];
    const closes: string[] = [];
    const sent: string[] = [];
    for (const place of new Set(places)) {
      const was = this.#known[place];
      const letter = standing.letters[place];
      if (was === undefined || letter === undefined) continue;
      const is = knownOf(letter, requestOf(place, standing, requests));
      this.#known[place] = is;
      const code = standing.codes[place] ?? '';
      if (was.isOpen && !is.isOpen) closes.push(this.markOf(place));
      if (letter === 's' && was.letter !== 's') sent.push(this.markOf(place), ...this.#codeMark(place, code));
      const isLastWord = letter === 'u' && !is.isOpen && (was.letter !== 'u' || was.isOpen);
      // It may have been sent, and statistics may show it yet: then it must not pass for the next one.
      if (isLastWord) sent.push(this.markOf(place));
      if (was.letter !== letter || isLastWord)
        messages.push(this.#change(place, was.letter, { letter, code, isLastWord, end: ends.get(place) }));
    }
    return { messages, closes, sent };
  }

  /** They are about to leave, in the request at this place among others (from 1 on). */
  leaving(places: readonly number[], leavesWith: number): MessageChange[] {
    return places.map((place) => {
      const { id } = this.#messageAt(place);
      return { id, from: 'queued', to: 'sending', leavesWith, forgets: false };
    });
  }

  /** They have. */
  left(places: readonly number[]): void {
    for (const place of places) this.#known[place] = { letter: 'g', isOpen: true };
  }

  markOf(place: number): string {
    const { to, text } = this.#messageAt(place);
    return textMark(to, text);
  }

  #codeMark(place: number, code: string): readonly string[] {
    const { to, text } = this.#messageAt(place);
    return codeMark(to, text, code);
  }

  #change(place: number, was: Letter, { letter, code, isLastWord, end }: Becoming): MessageChange {
    const { id } = this.#messageAt(place);
    const to = recipientStateOf[letter];
    const type = isLastWord ? 'message.unknown' : announced[to];
    const reason = to === 'skipped' ? { reason: OPTED_OUT } : {};
    const event =
      end?.told?.event ?? (type && { type, data: { id, state: to, ...(code ? { code } : {}), ...reason } });
    return {
      id,
      from: recipientStateOf[was],
      to,
      leavesWith: 0,
      code: code || undefined,
      ...(event ? { event } : {}),
      ...(end?.told ? { asInHistory: { sequence: end.told.sequence, sentAt: end.sentAt } } : {}),
      // A one-time password is of no use once its message is over.
      forgets: this.#isOtp && event !== undefined,
    };
  }
}

function knownOf(letter: Letter, request: Request | undefined): Known {
  return { letter, isOpen: letter === 'g' || (letter === 'u' && request?.is === 'doubt') };
}

function requestOf(
  place: number,
  { requests: numbers }: Standing,
  requests: ReadonlyMap<number, Request>,
): Request | undefined {
  return requests.get(numbers[place] ?? -1);
}
