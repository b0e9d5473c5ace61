/** What a text costs on the air: how it is encoded and into how many segments it is cut (3GPP TS 23.038, TS 23.040). */
export interface SegmentCount {
  readonly encoding: 'GSM-7' | 'UCS-2';
  /** Septets of GSM-7 (an extended character counts 2) or UTF-16 code units of UCS-2. */
  readonly units: number;
  /** Billed parts. An empty text has none. */
  readonly segments: number;
}

/** The basic alphabet: one septet each. */
const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
/** The extension: an escape and a septet. */
const EXTENDED = '\f^{}\\[~]|€';

/** A text of several parts carries a header of six bytes in each, to put them together again. */
const LIMITS = { 'GSM-7': { single: 160, part: 153 }, 'UCS-2': { single: 70, part: 67 } } as const;

const septets = new Uint8Array(65_536);
for (const char of BASIC) septets[char.charCodeAt(0)] = 1;
for (const char of EXTENDED) septets[char.charCodeAt(0)] = 2;

/** Septets of one UTF-16 code unit; 0 when GSM-7 does not have it. */
export function septetsOf(codeUnit: number): number {
  return septets[codeUnit] ?? 0;
}

export function countSegments(text: string): SegmentCount {
  let units = 0;
  for (let at = 0; at < text.length; at += 1) {
    const width = septetsOf(text.charCodeAt(at));
    if (width === 0) return { encoding: 'UCS-2', units: text.length, segments: partsOf(text, text.length, 'UCS-2') };
    units += width;
  }
  return { encoding: 'GSM-7', units, segments: partsOf(text, units, 'GSM-7') };
}

function partsOf(text: string, units: number, encoding: SegmentCount['encoding']): number {
  const { single, part } = LIMITS[encoding];
  if (units <= single) return units === 0 ? 0 : 1;
  const width = encoding === 'GSM-7' ? (at: number) => septetsOf(text.charCodeAt(at)) : () => 1;
  let parts = 1;
  let filled = 0;
  for (let at = 0; at < text.length; ) {
    const pair = encoding === 'UCS-2' && isPair(text, at);
    const size = pair ? 2 : width(at);
    // Neither an escape and its septet nor the halves of a surrogate pair may stand in different parts.
    if (filled + size > part) {
      parts += 1;
      filled = 0;
    }
    filled += size;
    at += pair ? 2 : 1;
  }
  return parts;
}

function isPair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
}
