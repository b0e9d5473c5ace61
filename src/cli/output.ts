import type { Writable } from 'node:stream';
import type { CliIo } from './io.ts';
import { NobodyListens } from './failure.ts';

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
  readonly #io: CliIo;
  readonly #colours: boolean;

  constructor(io: CliIo) {
    this.#io = io;
    // https://no-color.org: any value but an empty one.
    this.#colours = io.isTerminal && !io.env['NO_COLOR'] && io.env['TERM'] !== 'dumb';
  }

  /** Resolves when the text was taken, so that a slow reader slows us down instead of filling our memory. */
  async write(text: string): Promise<void> {
    await deliver(this.#io.stdout, text);
  }

  async line(text: string): Promise<void> {
    await this.write(`${text}\n`);
  }

  async json(value: unknown): Promise<void> {
    await this.line(JSON.stringify(value, null, 2));
  }

  /** To the person, not to the pipe. */
  async note(text: string): Promise<void> {
    await deliver(this.#io.stderr, `${text}\n`);
  }

  async ask(text: string): Promise<void> {
    await deliver(this.#io.stderr, text);
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
    const cells = items.map((item) => headings.map((heading) => printable(item[heading])));
    const widths = headings.map((heading, at) =>
      Math.max(heading.length, ...cells.map((row) => row[at]?.length ?? 0)),
    );
    const pad = (row: readonly string[], look: (text: string, at: number) => string): string =>
      row
        .map((cell, at) => look(cell.padEnd(widths[at] ?? 0), at))
        .join('  ')
        .trimEnd();
    return [
      pad(headings, (text) => this.styled('dim', text)),
      ...cells.map((row) => pad(row, (text, at) => (headings[at] === 'state' ? this.state(text) : text))),
    ]
      .map((line) => `${line}\n`)
      .join('');
  }

  state(padded: string): string {
    const style = STATE_STYLES[padded.trimEnd()];
    return style === undefined ? padded : this.styled(style, padded);
  }

  styled(style: Style, text: string): string {
    return this.#colours ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text;
  }

  #cell(label: string, value: unknown): string {
    const text = printable(value);
    return label === 'state' ? this.state(text) : text;
  }
}

async function deliver(stream: Writable, text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(new NobodyListens(error.message, { cause: error })) : resolve()));
  });
}

/** Names, reasons and references are other people's texts: nothing of them may move the cursor or change a colour. */
export function printable(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '�');
}

/** `80000` → `80 000`, with spaces that do not break. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, '\u00a0');
}
