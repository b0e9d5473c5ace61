/** One text to one number, with all its sends. */
export interface RecordedMessage {
  readonly to: string;
  readonly from: string;
  readonly text: string;
  /** How often it was sent. 0: it was refused alone, inside an accepted request. */
  times: number;
  readonly code: string;
  /** ms since the epoch, in sandbox time. */
  readonly firstAt: number;
  lastAt: number;
}

interface Linked extends RecordedMessage {
  older: Linked | undefined;
}

/**
 * Stores a million messages: one object each, found by its number and linked to older ones of the same number. Most
 * numbers get one message, so a list or a key of number and text for each would waste memory.
 */
export class Messages {
  readonly #newest = new Map<string, Linked>();
  #lastText = '';
  distinct = 0;
  sent = 0;
  repeated = 0;

  add(message: { to: string; from: string; text: string; code: string; times: 0 | 1 }, now: number): void {
    const { from, code, times } = message;
    const to = withoutPlus(message.to);
    const older = this.#newest.get(to);
    this.sent += times;
    const known = find(older, message.text, from, times > 0);
    if (known !== undefined) {
      known.times += times;
      known.lastAt = now;
      this.repeated += times;
      return;
    }
    this.distinct += 1;
    const text = this.#shared(message.text);
    this.#newest.set(to, { to: message.to, from, text, times, code, firstAt: now, lastAt: now, older });
  }

  /** Adds a stored entry. Precondition: entries are restored in the order of `entries`. */
  restore(entry: RecordedMessage): void {
    const message = { ...entry, text: this.#shared(entry.text), older: undefined };
    const to = withoutPlus(entry.to);
    let newer = this.#newest.get(to);
    while (newer?.older !== undefined) newer = newer.older;
    if (newer === undefined) this.#newest.set(to, message);
    else newer.older = message;
    this.distinct += 1;
    this.sent += entry.times;
    this.repeated += Math.max(0, entry.times - 1);
  }

  /** The messages to a number, with or without the plus sign, newest first. */
  *to(number: string): Iterable<RecordedMessage> {
    for (let message = this.#newest.get(withoutPlus(number)); message !== undefined; message = message.older)
      yield message;
  }

  *entries(): Iterable<RecordedMessage> {
    for (const number of this.#newest.keys())
      for (const { to, from, text, times, code, firstAt, lastAt } of this.to(number))
        yield { to, from, text, times, code, firstAt, lastAt };
  }

  /** A campaign repeats its text; sharing it halves the memory. */
  #shared(text: string): string {
    if (text !== this.#lastText) this.#lastText = text;
    return this.#lastText;
  }
}

const withoutPlus = (number: string): string => (number.startsWith('+') ? number.slice(1) : number);

/** A sent and a refused message are two entries, even with the same text. */
function find(newest: Linked | undefined, text: string, from: string, wentOut: boolean): Linked | undefined {
  for (let message = newest; message !== undefined; message = message.older)
    if (message.text === text && message.from === from && message.times > 0 === wentOut) return message;
  return undefined;
}
