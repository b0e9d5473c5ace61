/** The lines of a request's body, in groups that are answered together. */
import { isUtf8 } from 'node:buffer';
import { type Message, message } from '../messages/message.ts';

/** `index`: the position in the body, from 0. Empty lines count and are skipped. */
export type Line = { readonly index: number } & ({ readonly text: string } | { readonly unreadable: Message });

/** Twice the longest request, with every character escaped. */
const LINE_BYTES_MAX = 32_768;
/**
 * Enough to share a commit, few enough that a line does not wait long for its neighbours, and little memory: a minor
 * garbage collection copies all of it.
 */
const LINES_PER_GROUP = 100;
const BYTES_PER_GROUP = 262_144;

const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = '\ufeff';

/** Never waits for more lines while some are available: a group is what has arrived, up to its limits. */
export async function* groupsOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Line[], void, undefined> {
  const cutter = new Cutter();
  for await (const chunk of chunks) yield* grouped(cutter.cut(chunk));
  yield* grouped(cutter.rest());
}

function* grouped(lines: Iterable<Line>): Generator<readonly Line[], void, undefined> {
  let group: Line[] = [];
  let size = 0;
  for (const line of lines) {
    group.push(line);
    size += 'text' in line ? line.text.length : 0;
    if (group.length < LINES_PER_GROUP && size < BYTES_PER_GROUP) continue;
    yield group;
    group = [];
    size = 0;
  }
  if (group.length > 0) yield group;
}

/** Most lines arrive in one chunk, and are not copied. */
function whole(parts: readonly Uint8Array[]): Buffer {
  const [only] = parts;
  if (!only || parts.length > 1) return Buffer.concat(parts);
  return Buffer.from(only.buffer, only.byteOffset, only.byteLength);
}

/** Stores at most one unfinished line; of a line that is too long, only that fact. */
class Cutter {
  #next = 0;
  #unfinished: Uint8Array[] = [];
  #bytes = 0;

  *cut(chunk: Uint8Array): Generator<Line, void, undefined> {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      yield* this.#finish(chunk.subarray(from, end));
      from = end + 1;
    }
    this.#keep(chunk.subarray(from));
  }

  /** The last line, if no line feed ends it. */
  *rest(): Generator<Line, void, undefined> {
    if (this.#bytes > 0) yield* this.#finish(new Uint8Array());
  }

  *#finish(end: Uint8Array): Generator<Line, void, undefined> {
    this.#keep(end);
    const index = this.#next;
    const bytes = this.#bytes > LINE_BYTES_MAX ? undefined : whole(this.#unfinished);
    this.#next += 1;
    this.#unfinished = [];
    this.#bytes = 0;
    if (!bytes) return yield { index, unreadable: message('line_too_long', { most: LINE_BYTES_MAX }) };
    if (!isUtf8(bytes)) return yield { index, unreadable: message('not_utf8') };
    const text = (index === 0 ? bytes.toString('utf8').replace(BYTE_ORDER_MARK, '') : bytes.toString('utf8')).trim();
    if (text !== '') yield { index, text };
  }

  #keep(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#bytes += part.length;
    if (this.#bytes <= LINE_BYTES_MAX) this.#unfinished.push(part);
    else this.#unfinished = [];
  }
}
