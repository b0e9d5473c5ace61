/** One text to one number, however often it was sent. */
export interface BookedMessage {
  readonly to: string;
  readonly from: string;
  readonly text: string;
  /** How often it really went out. 0: it was refused by itself, inside a request that was accepted. */
  times: number;
  readonly code: string;
  /** ms since the epoch, in sandbox time. */
  readonly firstAt: number;
  lastAt: number;
  older: BookedMessage | undefined;
}

/**
 * Keeps a million messages: one object for each, found by its number, linked to the older ones of the same number.
 * Most numbers get one message, so neither a list nor a key of number and text is worth its bytes.
 */
export class MessageBook {
  readonly #newest = new Map<string, BookedMessage>();
  #lastText = '';
  distinct = 0;
  sent = 0;
  repeated = 0;

  write(message: { to: string; from: string; text: string; code: string; times: 0 | 1 }, now: number): void {
    const { from, code, times } = message;
    const to = bare(message.to);
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

  /** An entry of earlier, in the order of `entries`: behind those of its number that were given back already. */
  takeBack(entry: Omit<BookedMessage, 'older'>): true {
    const message = { ...entry, text: this.#shared(entry.text), older: undefined };
    const to = bare(entry.to);
    let newer = this.#newest.get(to);
    while (newer?.older !== undefined) newer = newer.older;
    if (newer === undefined) this.#newest.set(to, message);
    else newer.older = message;
    this.distinct += 1;
    this.sent += entry.times;
    this.repeated += Math.max(0, entry.times - 1);
    return true;
  }

  /** What went to a number, newest first. With or without the plus sign. */
  *to(number: string): Iterable<BookedMessage> {
    for (let message = this.#newest.get(bare(number)); message !== undefined; message = message.older) yield message;
  }

  *entries(): Iterable<Omit<BookedMessage, 'older'>> {
    for (const newest of this.#newest.values())
      for (let message: BookedMessage | undefined = newest; message !== undefined; message = message.older) {
        const { older: _, ...shown } = message;
        yield shown;
      }
  }

  /** A campaign repeats its text; keeping one copy of it halves the memory. */
  #shared(text: string): string {
    if (text !== this.#lastText) this.#lastText = text;
    return this.#lastText;
  }
}

const bare = (number: string): string => (number.startsWith('+') ? number.slice(1) : number);

/** A message that went out and one that was refused are two entries, even when they say the same. */
function find(
  newest: BookedMessage | undefined,
  text: string,
  from: string,
  wentOut: boolean,
): BookedMessage | undefined {
  for (let message = newest; message !== undefined; message = message.older)
    if (message.text === text && message.from === from && message.times > 0 === wentOut) return message;
  return undefined;
}
