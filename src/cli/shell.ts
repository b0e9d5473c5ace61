import { createInterface } from 'node:readline';
import { Secret } from '../lib/secret.ts';
import type { Spoken } from '../messages/help.ts';
import { type Language, type Words, wordsIn } from '../messages/languages.ts';
import { ApiClient } from './client.ts';
import { WrongUsage } from './failure.ts';
import { ENGLISH } from './speech.ts';
import type { CliIo } from './io.ts';
import { Output } from './output.ts';

const DEFAULT_URL = 'http://127.0.0.1:3000';

interface Speaking {
  readonly language?: Language;
  readonly spoken?: Spoken | undefined;
}

/** The environment of every command. One per program run. */
export class Shell {
  readonly io: CliIo;
  readonly output: Output;
  /** Texts for users. */
  readonly words: Words;
  readonly language: Language;
  /** Declared texts of commands, flags and fields. */
  readonly spoken: Spoken;
  /** The exit code of the command. */
  exitCode = 0;
  #api: ApiClient | undefined;

  constructor(io: CliIo, { language = 'en', spoken = ENGLISH.spoken }: Speaking = {}) {
    this.io = io;
    this.language = language;
    this.words = wordsIn(language);
    this.spoken = spoken;
    this.output = new Output(io, this);
  }

  /** Opened by the first command that needs it: `campaign check` works without any API. */
  get api(): ApiClient {
    this.#api ??= new ApiClient({
      url: readUrl(this.io.env['RELAIS_URL']?.trim() || DEFAULT_URL, this.words),
      key: new Secret(this.io.env['RELAIS_API_KEY']?.trim() || 'dev'),
      clock: this.io.clock,
      signal: this.io.signal,
      speech: this,
    });
    return this.#api;
  }

  /** An action whose exit code becomes the program's. */
  action<Args extends readonly unknown[]>(run: (...args: Args) => Promise<number>): (...args: Args) => Promise<void> {
    return async (...args) => {
      this.exitCode = await run(...args);
    };
  }

  /** Asks on a terminal; elsewhere, or with `yes`, the command itself is the confirmation. */
  async confirmed(question: string, yes: boolean | undefined): Promise<boolean> {
    if (yes || !this.io.isTerminal) return true;
    await this.output.ask(`${question} ${this.words.campaign.yesNo} `);
    const answer = await this.#firstLine();
    if (/^\s*(y|yes|o|oui)\s*$/i.test(answer)) return true;
    await this.output.note(this.words.campaign.nothingWasSent);
    return false;
  }

  /** The typed answer to a question, on a terminal. */
  async typed(question: string): Promise<string> {
    await this.output.ask(`${question} `);
    return (await this.#firstLine()).trim();
  }

  async close(): Promise<void> {
    await this.#api?.close();
  }

  /** Empty if the input ends without a line. */
  async #firstLine(): Promise<string> {
    const lines = createInterface({ input: this.io.stdin, terminal: false, signal: this.io.signal });
    try {
      for await (const line of lines) return line;
      return '';
    } finally {
      lines.close();
    }
  }
}

function readUrl(text: string, { shell: { refused } }: Words): string {
  // relais uses only the host and the path of the address.
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol) || /[?#]/.test(text)) {
    throw new WrongUsage(refused.noAddress(text), { next: refused.writeAs(DEFAULT_URL) });
  }
  return text.replace(/\/+$/, '');
}
