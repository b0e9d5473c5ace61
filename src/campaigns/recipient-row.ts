/** A recipient for readers, and the cursor of a page of recipients. */
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
  /** Number of resends after a doubt: a recipient that is `sent` with it may have got it more than once. */
  readonly resent?: number;
  /** Additional cells of its row, by heading. */
  readonly own?: OwnCells;
}

export interface RecipientsAsked {
  readonly state?: RecipientBin | undefined;
  /** Whether a skipped row has the searched number. */
  readonly isMeant?: ((to: string) => boolean) | undefined;
  /** As numbers (E.164). */
  readonly phones?: readonly string[] | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface RecipientPage {
  readonly items: readonly RecipientRow[];
  /** Headings of the files, of all uploads. */
  readonly columns: readonly string[];
  /** The next cursor; absent at the end. */
  readonly next?: string;
}

export interface Cursor {
  /** `c`: recipients; `s`: skipped rows of an upload. */
  readonly part: 'c' | 's';
  readonly index: number;
  readonly offset: number;
}

/** A position among the recipients, or among the skipped rows. */
export const recipientsCursor = /^([cs])\.(\d{1,9})\.(\d{1,9})$/;

export function readCursor(text: string | undefined): Cursor {
  const [, part = 'c', index = '0', offset = '0'] = recipientsCursor.exec(text ?? '') ?? [];
  return { part: part as 'c' | 's', index: Number(index), offset: Number(offset) };
}

export const COLUMNS = ['to', 'row', 'state', 'code', 'reason', 'sentAt', 'segments', 'resent'] as const;
