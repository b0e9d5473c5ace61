/** What the person in front of the screen sees: sentences, and on a terminal, beneath them, a line that is redrawn. */
import { renderBar, renderLine, type CampaignProgress } from '../../src/cli/progress.ts';

/** As wide as the text is set; a screen that is narrower has its own width. */
export const WIDEST = 100;
const INDENT = '       ';

/** Black on nothing, and white on nothing, is what screens have: these two can be read on both. */
const LOUD = '\u001b[1;97;41m';
const GOOD = '\u001b[1;32m';

/** On a terminal only, and not where somebody asked for none. */
function coloured(lines: readonly string[], colour: string): readonly string[] {
  const isPlain = !process.stdout.isTTY || Boolean(process.env['NO_COLOR']);
  return isPlain ? lines : lines.map((line) => `${colour}${line}\u001b[0m`);
}

const CLEAR_LINE = '\r\u001b[K';
const LINE_EVERY_MS = 2_000;

export class Story {
  readonly #startedMono = performance.now();
  #barDrawn = false;
  #lastLineMono = Number.NEGATIVE_INFINITY;

  /** A step of the story, with the seconds since its beginning. */
  say(text: string): void {
    this.#stamped(this.#lines(text));
  }

  /** What nobody must miss. */
  shout(text: string): void {
    this.#stamped(coloured(this.#lines(text), LOUD));
  }

  /** What it all came to. */
  conclude(lines: readonly string[], good: boolean): void {
    this.print(coloured(lines, good ? GOOD : LOUD).join('\n'));
  }

  #stamped(lines: readonly string[]): void {
    const seconds = ((performance.now() - this.#startedMono) / 1_000).toFixed(0).padStart(3);
    this.print(`${seconds} s  ${lines.join(`\n${INDENT}`)}`);
  }

  #lines(text: string): readonly string[] {
    return wrapped(text, Math.min(process.stdout.columns || WIDEST, WIDEST) - INDENT.length);
  }

  print(text: string): void {
    process.stdout.write(`${this.#barDrawn ? CLEAR_LINE : ''}${text}\n`);
    this.#barDrawn = false;
  }

  /** Leaves the cursor where the next program expects it. */
  end(): void {
    if (this.#barDrawn) process.stdout.write('\n');
    this.#barDrawn = false;
  }

  /** On a terminal a bar that is redrawn, elsewhere a line now and then. */
  progress(progress: CampaignProgress): void {
    this.#status(renderBar(progress, process.stdout.columns || 80), renderLine(progress));
  }

  /** What is waited for when there is no bar. */
  waiting(text: string): void {
    this.#status(text, text);
  }

  #status(bar: string, line: string): void {
    if (process.stdout.isTTY) {
      process.stdout.write(CLEAR_LINE + bar);
      this.#barDrawn = true;
      return;
    }
    if (performance.now() - this.#lastLineMono < LINE_EVERY_MS) return;
    this.#lastLineMono = performance.now();
    this.say(line);
  }
}

/** Words are kept whole; what goes on of a line that was indented is indented too. */
export function wrapped(text: string, width: number): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const indent = /^\s*/.exec(line)?.[0] ?? '';
    const lines: string[] = [];
    for (const word of line.slice(indent.length).split(' ')) {
      const last = lines.at(-1);
      if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
      else lines.push(`${indent}${word}`);
    }
    return lines;
  });
}
