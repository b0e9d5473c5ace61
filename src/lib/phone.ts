const ZERO = '0'.charCodeAt(0);
const NINE = '9'.charCodeAt(0);

/**
 * The digits of a number in international form, including its country code: the form for comparisons. `+221…`,
 * `00221…` and `221…` are one number; a national number is read as if it began with a country code.
 */
export function digitsOf(number: string): string {
  const bare = number.startsWith('+') ? number.slice(1) : number;
  // Nearly every number has this form already, and each passes here several times.
  const digits = isBare(bare) ? bare : number.replace(/\D/g, '');
  return digits.startsWith('00') ? digits.slice(2) : digits;
}

function isBare(number: string): boolean {
  for (let at = 0; at < number.length; at += 1) {
    const unit = number.charCodeAt(at);
    if (unit < ZERO || unit > NINE) return false;
  }
  return true;
}

/** A possible phone number: digits with any separators. */
const NUMBER = /\+?\d[\d\s().\p{Pd}\p{Cf}-]{6,}\d/gu;
/** No valid number for SMS has fewer digits. */
const DIGITS_LEAST = 7;

/**
 * Machine-written texts that are no phone numbers. Each pattern checks the characters before it, so that no phone
 * number ends in one.
 */
const OCTET = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)';
const IPV4 = `${OCTET}(?:\\.${OCTET}){3}`;
/** With a port it is an address in any context; without one, it may be a number after a country code. */
const ADDRESS = `(?<![\\d.+-]|(?:\\+|00|\\()\\d{1,3}\\)?[\\s.-])${IPV4}(?!\\.?\\d)`;
const WRITTEN = [
  `(?<![\\d.+-])${IPV4}:\\d{1,5}(?!\\d)`,
  // 2026-11-22, with its time, or in names of backups: 2026-11-22-0300.
  '(?<![\\d+-])(?:19|20)\\d\\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])(?:[T ]\\d\\d:\\d\\d(?::\\d\\d(?:[.,]\\d{1,9})?)?|-\\d{4})?(?![\\d-])',
  // Milliseconds since 1970, and ids of stream entries. No country's numbers are that long after a 1.
  '(?<![\\d+.-])1[5-9]\\d{11}(?:-\\d{1,6})?(?!\\d)',
  '\\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\\b',
  // Our ids, checksums, memory addresses, thread names in OpenSSL errors.
  '\\b[a-z]{2,5}_[0-9a-z]{26}\\b',
  '\\b(?=\\d*[a-f])[0-9a-f]{32,128}\\b',
  '\\b0x[0-9a-fA-F]{1,16}\\b',
  '\\b[0-9A-F]{16}(?=:error:)',
  // Counts with a unit.
  '(?<![\\d+.-])\\d+ ?(?:bytes?|[kKMGT]i?B|ms)\\b',
  '\\b\\w*(?:memory|bytes|size|offset|length)\\s?[:=]?\\s?\\d+(?!\\d)',
  '(?<![\\d+.-])\\d{1,4}\\.\\d{1,3}(?![\\d.-])',
];
/** By the author of the text: one of our programs, or a user, whose `77.123.45.67` is a phone number. */
const MACHINES = {
  program: new RegExp(`(${[...WRITTEN, ADDRESS].join('|')})`),
  anybody: new RegExp(`(${WRITTEN.join('|')})`),
} as const;

/** Hides all but the last four digits of a possible phone number: `+22177•••4567`. */
export function maskPhone(text: string, writtenBy: keyof typeof MACHINES = 'program'): string {
  // Most texts have none, which this check detects early.
  if (text.search(NUMBER) < 0) return text;
  // Numbers are searched between the machine-written parts, which split puts at odd positions.
  const pieces = text.split(MACHINES[writtenBy]);
  return pieces.map((piece, index) => (index % 2 === 1 ? piece : piece.replace(NUMBER, hidden))).join('');
}

function hidden(number: string): string {
  const digits = number.replace(/\D/g, '');
  if (digits.length < DIGITS_LEAST) return number;
  const keep = number.startsWith('+') ? `+${digits.slice(0, 5)}` : digits.slice(0, 2);
  return `${keep}•••${digits.slice(-4)}`;
}

/** Only an error's own message: data that libraries attach (headers, bodies) never reaches a log line. */
export function describeError(error: unknown): {
  name: string;
  message: string;
  code?: string;
  stack?: string;
  cause?: unknown;
} {
  if (!(error instanceof Error)) return { name: 'Unknown', message: maskPhone(String(error)) };
  const { code } = error as { code?: unknown };
  return {
    name: error.name,
    message: maskPhone(error.message),
    ...(typeof code === 'string' ? { code } : {}),
    ...(error.stack ? { stack: maskPhone(error.stack) } : {}),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}
