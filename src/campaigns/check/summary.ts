import type { FileFacts } from '../../files/rows.ts';
import type { SkipReason } from './reasons.ts';

export type CheckedRow =
  | {
      readonly is: 'recipient';
      readonly row: number;
      /** E.164, with the plus. */
      readonly to: string;
      /** Of the number: two letters, or its calling code where that is no country's. */
      readonly country: string;
      /** By canonical name: the variables of the text, or every other column when no text was given. */
      readonly vars: Readonly<Record<string, string>>;
      /** The old number as it was written, when it was renewed (`repair`). */
      readonly repairedFrom?: string;
    }
  | SkippedRow;

export interface SkippedRow {
  readonly is: 'skipped';
  readonly row: number;
  /** As written in the file, at most 64 characters. */
  readonly to: string;
  readonly reason: SkipReason;
  /** The column at fault, where it is not the number itself. */
  readonly column?: string;
  readonly detail?: string;
  /** The row as it stands in the file, in the order of its columns. */
  readonly cells: readonly string[];
}

export type Example = Pick<SkippedRow, 'row' | 'to' | 'column' | 'detail'>;

/** What there is to know before the first text leaves. Plain data: its JSON is the machine-readable report. */
export interface CheckSummary extends FileFacts {
  /** Data rows; `recipients` and `skipped` add up to it. Blank rows are not data. */
  readonly total: number;
  readonly recipients: number;
  readonly skipped: number;
  readonly blank: number;
  readonly reasons: Readonly<
    Partial<Record<SkipReason, { readonly count: number; readonly examples: readonly Example[] }>>
  >;
  readonly countries: Readonly<Record<string, CountryTotals>>;
  readonly repaired: { readonly count: number; readonly examples: readonly Repair[] };
  /** What stands in the text and looks like a variable that is none: `{prenom}`, with what was probably meant. */
  readonly probablyMeant?: readonly { readonly written: string; readonly meant: string }[];
  /** Absent when no text was given. */
  readonly segments?: SegmentTotals;
  /** Absent when no prices or no text were given. */
  readonly cost?: CostEstimate;
  /** Present where it was asked for. */
  readonly preview?: readonly PreviewedText[];
}

export interface CountryTotals {
  readonly recipients: number;
  readonly segments: number;
  /** XOF, estimated; absent where no price is known. */
  readonly estimatedXof?: number;
}

export interface Repair {
  readonly row: number;
  readonly before: string;
  readonly after: string;
}

/** Counted by our own reading of the GSM rules: the interface shows neither segments nor encoding, so an estimate. */
export interface SegmentTotals {
  readonly estimated: true;
  readonly total: number;
  /** How many texts have 1, 2, 3 … segments. */
  readonly textsBySegments: Readonly<Record<number, number>>;
  /** Texts with more segments than `warnAbove`. */
  readonly long: number;
  readonly costly: CostlyTotals;
}

export interface CostlyTotals {
  /** Texts that a costly character turns into UCS-2. */
  readonly texts: number;
  /** The most frequent first, at most 30. */
  readonly characters: readonly CostlyCharacter[];
  /** What replacing all that have a replacement would save. */
  readonly segmentsSaved: number;
  /** XOF, estimated; absent without prices. */
  readonly estimatedXofSaved?: number;
}

export interface CostlyCharacter {
  readonly character: string;
  /** `U+00EA` */
  readonly codePoint: string;
  /** Absent where nothing reads the same; empty where it is best left out. */
  readonly replacement?: string;
  readonly texts: number;
  /** It stands in the text itself, so that one change there mends every message. */
  readonly inTemplate: boolean;
}

export interface CostEstimate {
  readonly estimated: true;
  /** XOF for all segments whose country has a price. */
  readonly xof: number;
  /** Countries without a price; their segments are not in `xof`. */
  readonly unpriced: readonly string[];
}

/** A text as it would go out, to one of its recipients. */
export interface PreviewedText {
  /** Why this one is shown. */
  readonly why: readonly ('first' | 'longest' | 'dearest')[];
  readonly row: number;
  /** E.164, with the plus. */
  readonly to: string;
  readonly text: string;
  /** UTF-16 code units, as an editor counts them. */
  readonly characters: number;
  readonly encoding: 'GSM-7' | 'UCS-2';
  readonly segments: number;
  /** XOF; absent where no price is known. */
  readonly estimatedXof?: number;
}
