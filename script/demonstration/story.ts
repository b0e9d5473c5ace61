/** What the person in front of the screen sees: sentences, and on a terminal, beneath them, a line that is redrawn. */
import { renderBar, renderLine, type CampaignProgress } from '../../src/cli/progress.ts';

const CLEAR_LINE = '\r\u001b[K';
const LINE_EVERY_MS = 2_000;

export class Story {
  readonly #startedMono = performance.now();
  #barDrawn = false;
  #lastLineMono = Number.NEGATIVE_INFINITY;

  /** A step of the story, with the seconds since its beginning. */
  say(text: string): void {
    const seconds = ((performance.now() - this.#startedMono) / 1_000).toFixed(0).padStart(3);
    this.print(`${seconds} s  ${text.replaceAll('\n', '\n       ')}`);
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
