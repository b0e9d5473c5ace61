import { type FileFormat, RowReader } from './rows.ts';
import type { PhoneOptions } from './phone.ts';
import type { Prices } from './prices.ts';
import { type Judged, RowChecker } from './row-checker.ts';
import type { CheckedRow, CheckSummary } from './summary.ts';

export interface CheckOptions extends PhoneOptions {
  /** The text of the campaign, with `{{variables}}`. Without it nothing is said about segments, cost and variables. */
  readonly text?: string;
  /** Defaults to what the first character shows: `{` begins JSON lines. */
  readonly format?: FileFormat;
  /** Numbers that are in the campaign already, from earlier uploads. Only read. */
  readonly seen?: { has(e164: string): boolean };
  /** Who of these numbers (E.164) wants no texts, by position. Asked once for each piece of the file. */
  readonly optedOut?: (numbers: readonly string[]) => Promise<readonly boolean[]>;
  /** XOF per segment, by country. */
  readonly prices?: Prices;
  /** A text with more segments is skipped as `text_too_long`. Defaults to 10. */
  readonly maxSegments?: number;
  /** A text with more segments is pointed out in the summary. Defaults to 3. */
  readonly warnAbove?: number;
  /** Takes each text as it is sent when costly characters are replaced. Off by default: it changes what people read. */
  readonly replaceCostly?: boolean;
  /** Shows this many of the first texts, the longest and the dearest, as they would go out. Needs a text. */
  readonly preview?: number;
}

export type Check = AsyncGenerator<CheckedRow, void, undefined> & {
  /** Complete once the last row was read; throws before. */
  summary(): CheckSummary;
};

/**
 * Reads a file of recipients row by row and judges each; every data row comes out exactly once, blank rows not at all.
 * Throws an UnusableFile while reading when the file as a whole cannot be used, an UnusableTemplate or a RangeError at
 * once for a wrong option. Memory: a piece of the file, and 12 to 36 bytes per recipient to find duplicates.
 */
export function checkRecipients(source: AsyncIterable<Uint8Array>, options: CheckOptions = {}): Check {
  const rows = new RowReader(source, options.format);
  const checker = new RowChecker(rows, options);
  let summary: CheckSummary | undefined;
  async function* checked(): AsyncGenerator<CheckedRow, void, undefined> {
    for await (const batch of rows.batches()) {
      const judged: Judged[] = [];
      for (const raw of batch) {
        const one = checker.judge(raw);
        if (one) judged.push(one);
      }
      const optedOut = options.optedOut && (await among(judged, options.optedOut));
      for (const one of judged) yield checker.settle(one, optedOut?.has(one) ?? false);
    }
    checker.finish();
    summary = checker.summary();
  }
  return Object.assign(checked(), {
    summary() {
      if (!summary) throw new Error('the summary is known once all rows were read');
      return summary;
    },
  });
}

async function among(
  judged: readonly Judged[],
  optedOut: NonNullable<CheckOptions['optedOut']>,
): Promise<ReadonlySet<Judged>> {
  const sound = judged.filter((one) => one.is === 'sound');
  const answers = sound.length === 0 ? [] : await optedOut(sound.map(({ phone }) => phone.e164));
  return new Set(sound.filter((_, at) => answers[at]));
}
