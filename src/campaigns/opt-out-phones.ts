/** The numbers of an opt-out: in any common format, parsed by the rules of recipients, which they must match. */
import type { FileFormat, ReadOptions } from '../files/rows.ts';
import type { Encoding } from '../files/encodings.ts';
import { repairableCountries } from '../lib/renumbering.ts';
import { readInternationalNumber, readNumber } from '../lib/written-number.ts';
import { checkRecipients } from './check/check-recipients.ts';
import { phoneReader } from './check/phone.ts';
import type { SkipReason } from './check/report.ts';

export interface PhoneRefused {
  /** The position: the row of a file as a spreadsheet numbers it, or the index in a list. */
  readonly at: number;
  readonly reason: SkipReason;
}

export type OptOutPhone = { readonly phone: string } | { readonly refused: PhoneRefused };

export interface ReadingOptions {
  /** The country of numbers without a country code. */
  readonly country?: string | undefined;
}

/** An old number becomes today's, which would get the SMS: this adds no other person. */
const RENEWING = { repair: repairableCountries };

export function readPhones(written: readonly string[], { country }: ReadingOptions): OptOutPhone[] {
  const read = phoneReader({ ...RENEWING, ...(country === undefined ? {} : { country }) });
  return written.map((text, at) => {
    const reading = read(text);
    return reading.is === 'mobile' ? { phone: reading.e164 } : judged(text, reading.reason, at);
  });
}

/** Accepts an international number stored under earlier rules, even if it breaks the current national rules. */
export function readStoredPhone(written: string, { country }: ReadingOptions): OptOutPhone {
  const reading = phoneReader(country === undefined ? {} : { country })(written);
  if (reading.is === 'mobile') return { phone: reading.e164 };
  const { digits, international } = readNumber(written, country) ?? { digits: '', international: false };
  if (international && /^[1-9]\d{7,14}$/.test(digits)) return { phone: `+${digits}` };
  return refusedAt(0, reading.reason);
}

/**
 * Row by row, as for a campaign; throws an UnusableFile if the file as a whole is unusable. Repeated rows are left
 * out.
 */
export async function* phonesInFile(
  source: AsyncIterable<Uint8Array>,
  {
    country,
    format,
    encoding,
    held,
  }: ReadingOptions & Pick<ReadOptions, 'held'> & { readonly format: FileFormat; readonly encoding?: Encoding },
): AsyncGenerator<OptOutPhone, void, undefined> {
  for await (const row of checkRecipients(source, {
    format,
    encoding,
    held,
    // A hidden row is still an opt-out.
    takeHidden: true,
    ...RENEWING,
    ...(country === undefined ? {} : { country }),
  })) {
    if (row.is === 'recipient') yield { phone: row.to };
    else if (row.reason !== 'duplicate') yield judged(row.to, row.reason, row.row);
  }
}

/** SMS can go to any international number, so any such number can opt out. */
function judged(text: string, reason: SkipReason, at: number): OptOutPhone {
  const asWritten = readInternationalNumber(text);
  return 'number' in asWritten ? { phone: asWritten.number } : refusedAt(at, reason);
}

function refusedAt(at: number, reason: SkipReason): OptOutPhone {
  return { refused: { at, reason } };
}
