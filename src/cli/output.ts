import type { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { codeOf } from '../lib/not-reached.ts';
import type { CliIo } from './io.ts';
import { timed } from '../messages/figures.ts';
import { wordFor } from '../messages/languages.ts';
import { CommandFailed, NobodyListens } from './failure.ts';
import { ENGLISH, type Speech } from './speech.ts';
import { labelOf } from './words.ts';

const CODES = { red: 31, green: 32, yellow: 33, bold: 1, dim: 2 } as const;
type Style = keyof typeof CODES;

/** How a state looks at a glance: done, wrong, or in need of an eye. States without an entry are on their way. */
const STATE_STYLES: Readonly<Record<string, Style>> = {
  succeeded: 'green',
  sent: 'green',
  finished: 'green',
  failed: 'red',
  rejected: 'red',
  reversed: 'red',
  unknown: 'yellow',
  held: 'yellow',
  needs_review: 'yellow',
  paused: 'yellow',
  cancelled: 'dim',
  expired: 'dim',
  skipped: 'dim',
};

export type Row = readonly (readonly [label: string, value: unknown])[];

/** What a command prints: facts to stdout, talk about them to stderr, so that facts can be piped. */
export class Output {
  readonly speech: Speech;
  readonly #io: CliIo;
  readonly #colours: boolean;
  #onlyReads = false;
  #unread = false;
  #unwritten: string | undefined;

  constructor(io: CliIo, speech: Speech = ENGLISH) {
    this.#io = io;
    this.speech = speech;
    // https://no-color.org: any value but an empty one.
    this.#colours = io.isTerminal && !io.env['NO_COLOR'] && io.env['TERM'] !== 'dumb';
  }

  /** Of a command that reads page after page, or without an end: it ends where nobody reads what it prints. */
  onlyReads(): void {
    this.#onlyReads = true;
  }

  /** Why not all of what was printed is where it was to go; a reader that had read enough is no such reason. */
  get unwritten(): string | undefined {
    return this.#unwritten;
  }

  /**
   * Resolves when the text was taken, so that a slow reader slows us down instead of filling our memory. Where nobody
   * takes it any more (`| head -1`, a full disk) a command goes on to what it was asked for, and to its verdict.
   */
  async write(text: string): Promise<void> {
    if (this.#unread) return;
    try {
      await deliver(this.#io.stdout, text);
    } catch (error) {
      const code = codeOf(error);
      this.#unread = true;
      if (!HAS_GONE.includes(code)) this.#unwritten = code;
      if (this.#onlyReads) throw new NobodyListens(code, { cause: error });
    }
  }

  async line(text: string): Promise<void> {
    await this.write(`${text}\n`);
  }

  async json(value: unknown): Promise<void> {
    await this.line(escaped(JSON.stringify(value, null, 2)));
  }

  /** Sentences: on a terminal they break between words. */
  async prose(text: string): Promise<void> {
    await this.line(this.#io.isTerminal ? wrapped(text, this.#io.columns) : text);
  }

  /** To the person, not to the pipe. */
  async note(text: string): Promise<void> {
    try {
      const columns = this.#io.stderrColumns;
      const told = columns === undefined ? stripVTControlCharacters(text) : wrapped(text, columns);
      await deliver(this.#io.stderr, `${told}\n`);
    } catch (error) {
      // Of stderr there is nobody to be told.
      if (!HAS_GONE.includes(codeOf(error))) this.#unwritten ??= codeOf(error);
    }
  }

  /** A question that nobody sees is not asked: nothing goes on as if it had been. */
  async ask(text: string): Promise<void> {
    await deliver(this.#io.stderr, text).catch((cause: unknown) => {
      throw new CommandFailed(this.speech.words.shell.unasked(codeOf(cause)), { cause });
    });
  }

  /** `label  value`, one a line; absent values are left out. */
  async facts(rows: Row): Promise<void> {
    await this.write(this.renderFacts(rows));
  }

  renderFacts(rows: Row): string {
    const shown = rows.filter(([, value]) => value !== undefined && value !== null && value !== '');
    const width = Math.max(0, ...shown.map(([label]) => label.length));
    return shown.map(([label, value]) => `${label.padEnd(width)}  ${this.#cell(label, value)}\n`).join('');
  }

  /** Columns as wide as their longest cell; `headings` name the members of each item. */
  renderTable(headings: readonly string[], items: readonly Readonly<Record<string, unknown>>[]): string {
    const cells = items.map((item) => headings.map((heading) => this.#shown(heading, item[heading])));
    const titles = headings.map((heading) => this.#title(heading));
    const widths = titles.map((title, at) => Math.max(title.length, ...cells.map((row) => row[at]?.length ?? 0)));
    const pad = (row: readonly string[], look: (text: string, at: number) => string): string =>
      row
        .map((cell, at) => look(cell.padEnd(widths[at] ?? 0), at))
        .join('  ')
        .trimEnd();
    return [
      pad(titles, (text) => this.styled('dim', text)),
      ...cells.map((row, which) =>
        pad(row, (text, at) => (headings[at] === 'state' ? this.state(items[which]?.['state'], text) : text)),
      ),
    ]
      .map((line) => `${line}\n`)
      .join('');
  }

  /** The name of a member, as it is read. */
  label(member: string): string {
    return this.speech.spoken.label(labelOf(member));
  }

  /** Columns of English are called as the API calls them. */
  #title(heading: string): string {
    return this.speech.language === 'en' ? heading : this.label(heading);
  }

  /** A state in its colour; `shown` is how it is written. */
  state(state: unknown, shown: string): string {
    const style = STATE_STYLES[printable(state)];
    return style === undefined ? shown : this.styled(style, shown);
  }

  #shown(member: string, value: unknown): string {
    const { words } = this.speech;
    const text = printable(value);
    return member === 'state' ? wordFor(words.states, text) : timed(text, words.figures);
  }

  styled(style: Style, text: string): string {
    return this.#colours ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text;
  }

  #cell(label: string, value: unknown): string {
    const isState = label === this.label('state');
    const shown = this.#shown(isState ? 'state' : label, value);
    return isState ? this.state(value, shown) : shown;
  }
}

/** The other end of a pipe that was closed, and a stream that had it said already. */
const HAS_GONE: readonly string[] = ['EPIPE', 'ERR_STREAM_DESTROYED'];

/** JSON escapes the control characters of ASCII alone; the others, and marks that turn the direction, are as strong. */
function escaped(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** All control characters but line breaks, tabs, the colours of this file and the line that a bar clears. */
const ESC = '\u001b';
const FOREIGN = new RegExp(String.raw`${ESC}(?!\[(?:\d{1,2}m|K))|\r(?!${ESC}\[K|\n)|[^\P{Cc}\n\r\t${ESC}]`, 'gu');

/** The text of a file or of an answer must never move the cursor of a terminal. */
function inert(text: string): string {
  return text.replace(FOREIGN, '�');
}

async function deliver(stream: Writable, text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    stream.write(inert(text), (error) => (error ? reject(error) : resolve()));
  });
}

/** Words, with the space before them. A command that may be pasted is one: to the end of its backticks, or of its line. */
const PIECES = /([ ]*)([^\s`]*(?:`[^`]*`[^\s`]*)+|relais [^\s`].*$|[^ ]+)/g;

/** What stands before a text: a mark, a figure, a time. What does not fit goes on below the text. */
const BEFORE = /^ *(?:[✗✓–] +(?:\S+ {2,})?|\S+ {2,})?/;

const widthOf = (text: string): number => stripVTControlCharacters(text).length;

/** For a terminal of this many columns, which itself would break a line within a word. */
export function wrapped(text: string, columns: number): string {
  return text
    .split('\n')
    .flatMap((line) => linesOf(line, columns))
    .join('\n');
}

function linesOf(line: string, columns: number): readonly string[] {
  if (widthOf(line) <= columns) return [line];
  const [before = ''] = BEFORE.exec(stripVTControlCharacters(line)) ?? [];
  const indent = before.length < columns / 2 ? ' '.repeat(before.length) : '';
  const lines: string[] = [];
  let now = '';
  for (const [, space = '', word = ''] of line.matchAll(PIECES)) {
    const longer = now + space + word;
    if (now.trim() === '' || widthOf(longer) <= columns) now = longer;
    else {
      lines.push(now);
      now = indent + word;
    }
  }
  return [...lines, now];
}

/** Names, reasons and references are other people's texts: nothing of them may move the cursor or change a colour. */
export function printable(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '�');
}

/** Of several lines, each as `printable`. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** `80000` → `80 000`, with spaces that do not break. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, '\u00a0');
}
