/** A recipient as readers see it, and the place where a page of recipients ends. */
import type { RecipientBin, RecipientState } from '../kinds/recipient.ts';
import type { OwnCells } from './headings.ts';

export interface RecipientRow {
  readonly to: string;
  readonly row: number;
  readonly state: RecipientState;
  readonly code?: string;
  readonly reason?: string;
  readonly sentAt?: string;
  readonly segments?: number;
  /** How often it was sent again after a doubt: one that is `sent` with it may have got it more than once. */
  readonly resent?: number;
  /** What else its row of the file had, by heading. */
  readonly own?: OwnCells;
}

export interface RecipientsAsked {
  readonly state?: RecipientBin | undefined;
  /** Whether what a row that was left out has is the number that is looked for. */
  readonly isMeant?: ((to: string) => boolean) | undefined;
  /** The same in numbers (E.164). */
  readonly phones?: readonly string[] | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface RecipientPage {
  readonly items: readonly RecipientRow[];
  /** Headings of the files, of all uploads. */
  readonly columns: readonly string[];
  /** To go on from; absent at the end. */
  readonly next?: string;
}

export interface Cursor {
  /** `c`: recipients; `s`: rows of an upload that were left out. */
  readonly part: 'c' | 's';
  readonly index: number;
  readonly offset: number;
}

/** Among the recipients, or the rows that were left out. */
export const recipientsCursor = /^([cs])\.(\d{1,9})\.(\d{1,9})$/;

export function readCursor(text: string | undefined): Cursor {
  const [, part = 'c', index = '0', offset = '0'] = recipientsCursor.exec(text ?? '') ?? [];
  return { part: part as 'c' | 's', index: Number(index), offset: Number(offset) };
}

export const COLUMNS = ['to', 'row', 'state', 'code', 'reason', 'sentAt', 'segments', 'resent'] as const;
