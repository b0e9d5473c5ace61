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

/** Colours of states: success, failure, or attention needed. States without an entry are in progress. */
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

/** The output of a command: data to stdout, messages to stderr, so that data can be piped. */
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
    // https://no-color.org: any non-empty value.
    this.#colours = io.isTerminal && !io.env['NO_COLOR'] && io.env['TERM'] !== 'dumb';
  }

  /** For a command that reads pages or an endless stream: it stops when its output is closed. */
  onlyReads(): void {
    this.#onlyReads = true;
  }

  /** Why the output is incomplete; a reader that closed it early is no error. */
  get unwritten(): string | undefined {
    return this.#unwritten;
  }

  /**
   * Resolves when the text was written, so that a slow reader slows the command down instead of filling its memory.
   * If the output is closed (`| head -1`, a full disk), the command still finishes its work and its exit code.
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

  /** Sentences: on a terminal they wrap between words. */
  async prose(text: string): Promise<void> {
    await this.line(this.#io.isTerminal ? wrapped(text, this.#io.columns) : text);
  }

  /** For the user, not for the pipe. */
  async note(text: string): Promise<void> {
    try {
      const columns = this.#io.stderrColumns;
      const told = columns === undefined ? stripVTControlCharacters(text) : wrapped(text, columns);
      await deliver(this.#io.stderr, `${told}\n`);
    } catch (error) {
      // Errors of stderr cannot be reported.
      if (!HAS_GONE.includes(codeOf(error))) this.#unwritten ??= codeOf(error);
    }
  }

  /** A question that cannot be shown counts as unanswered. */
  async ask(text: string): Promise<void> {
    await deliver(this.#io.stderr, text).catch((cause: unknown) => {
      throw new CommandFailed(this.speech.words.shell.unasked(codeOf(cause)), { cause });
    });
  }

  /** `label  value`, one per line; absent values are omitted. */
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

  /** The displayed name of a member. */
  label(member: string): string {
    return this.speech.spoken.label(labelOf(member));
  }

  /** English columns have the API's names. */
  #title(heading: string): string {
    return this.speech.language === 'en' ? heading : this.label(heading);
  }

  /** A state in its colour; `shown`: its displayed text. */
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

/** Codes of a closed pipe, and of a stream that already reported it. */
const HAS_GONE: readonly string[] = ['EPIPE', 'ERR_STREAM_DESTROYED'];

/** JSON escapes only the control characters of ASCII; others, and bidirectional marks, are equally dangerous. */
function escaped(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** All control characters except line breaks, tabs, the colours of this file and the line that a bar clears. */
const ESC = '\u001b';
const FOREIGN = new RegExp(String.raw`${ESC}(?!\[(?:\d{1,2}m|K))|\r(?!${ESC}\[K|\n)|[^\P{Cc}\n\r\t${ESC}]`, 'gu');

/** Text from a file or an answer must not control the terminal. */
function inert(text: string): string {
  return text.replace(FOREIGN, '�');
}

async function deliver(stream: Writable, text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    stream.write(inert(text), (error) => (error ? reject(error) : resolve()));
  });
}

/** Words, with the space before them. A command to paste is one word: to the end of its backticks, or of its line. */
const PIECES = /([ ]*)([^\s`]*(?:`[^`]*`[^\s`]*)+|relais [^\s`].*$|[^ ]+)/g;

/** The prefix of a text: a mark, a figure, a time. Wrapped lines align with the text. */
const BEFORE = /^ *(?:[✗✓–] +(?:\S+ {2,})?|\S+ {2,})?/;

const widthOf = (text: string): number => stripVTControlCharacters(text).length;

/** For a terminal of this width, which itself would break lines within words. */
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

/** Names, reasons and references are untrusted texts: they must not control the terminal. */
export function printable(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '�');
}

/** For several lines, each as in `printable`. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}
