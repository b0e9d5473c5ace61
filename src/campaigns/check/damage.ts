/**
 * Damage by programs: UTF-8 read in another encoding, HTML, escapes of a programming language. Each with the probable
 * original, if it can be known.
 */

import { codePages } from '../../files/code-pages.ts';
import type { CodePage } from '../../files/encodings.ts';

interface Damage {
  readonly pattern: RegExp;
  /** Undefined: letters are lost. */
  readonly meant: (written: string) => string | undefined;
}

/** 0x80 to 0xBF: the second bytes of UTF-8 as read in another encoding. */
const lookOf = (page: CodePage): string => codePages[page].slice(0, 64);
const [WINDOWS, MAC, DOS] = [lookOf('windows-1252'), lookOf('mac-roman'), lookOf('cp850')];

const behind = `[${WINDOWS}\u0080-\u009f]`;

const NAMED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    (
      'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro ' +
      'para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil ' +
      'Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave ' +
      'Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml ' +
      'igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute ' +
      'thorn yuml'
    )
      .split(' ')
      .map((name, at) => [name, String.fromCharCode(0xa0 + at)]),
  ),
  nbsp: ' ',
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  hellip: '…',
  ndash: '–',
  mdash: '—',
  bull: '•',
  rsquo: '’',
  lsquo: '‘',
  rdquo: '”',
  ldquo: '“',
  euro: '€',
  oelig: 'œ',
  OElig: 'Œ',
  trade: '™',
};
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\n', t: ' ' };

const DAMAGES: readonly Damage[] = [
  { pattern: /[\ufffd]|ï¿½/gu, meant: () => undefined },
  { pattern: /ï»¿/gu, meant: () => '' },
  // C2 and C3 begin the letters of Latin-1, E2 80 and E2 82 quotes, dashes and the euro, F0 9F the emojis. Other
  // first bytes are letters that occur next to such signs in correct words: É», Ê….
  {
    pattern: new RegExp(`[ÂÃ]${behind}|Å[“’¸]|â[€‚„]${behind}|ðŸ${behind}{2}`, 'gu'),
    meant: (written) => asUtf8(Array.from(written, windowsByte)),
  },
  // The second byte of à is a non-breaking space, and is lost at the end of a cell.
  { pattern: /(?<=\p{Ll})Ã(?=\s|$)/gu, meant: () => 'à' },
  {
    pattern: new RegExp(`√[${MAC}]`, 'gu'),
    meant: ([, second = '']) => asUtf8([0xc3, 0x80 + MAC.indexOf(second)]),
  },
  {
    pattern: new RegExp(`├[${DOS}]`, 'gu'),
    meant: ([, second = '']) => asUtf8([0xc3, 0x80 + DOS.indexOf(second)]),
  },
  {
    pattern: /<\/?(?:br|p|b|i|u|strong|em|div|span|a|font|li|ul)(?:\s[^<>]*)?\/?>/giu,
    meant: (written) => (/^<br/i.test(written) ? '\n' : ''),
  },
  // If semicolons separate cells, the one of an entity ends the cell.
  { pattern: /&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,7})(?:;|$)/giu, meant: (written) => ofEntity(written) },
  { pattern: /(?:%C[23]%[89AB][0-9A-F])+/giu, meant: (written) => asUtf8(bytesOf(written)) },
  { pattern: /(?:=C[23]=[89AB][0-9A-F])+/gu, meant: (written) => asUtf8(bytesOf(written)) },
  {
    pattern: /\\(?:r\\n|[nrt]|u[0-9a-f]{4}|x[0-9a-f]{2})/giu,
    meant: (written) => ESCAPES[written.charAt(1)] ?? String.fromCodePoint(Number.parseInt(written.slice(2), 16)),
  },
];

/** Nearly all texts have none of these. */
const MAYBE = /[\ufffd¿»ÂÃÅâð√├<&%=\\]/u;

export interface Trace {
  readonly at: number;
  readonly written: string;
  readonly meant?: string;
}

/** In the order of their kinds. */
export function damageIn(text: string): readonly Trace[] {
  if (!MAYBE.test(text)) return [];
  return DAMAGES.flatMap(({ pattern, meant }) =>
    [...text.matchAll(pattern)].flatMap(({ 0: written, index }): Trace[] => {
      // `&b;` is no entity, and letters in a link may look like one.
      if (written.startsWith('&') && ofEntity(written) === undefined) return [];
      if (/^[%=]/.test(written) && text.includes('://')) return [];
      const instead = meant(written);
      return [{ at: index, written, ...(instead !== undefined && { meant: instead }) }];
    }),
  );
}

/** The text with all damage repaired; undefined if letters are lost. */
export function repaired(text: string, traces: readonly Trace[]): string | undefined {
  let [done, from] = ['', 0];
  for (const { at, written, meant } of traces.toSorted((one, other) => one.at - other.at)) {
    if (meant === undefined) return undefined;
    if (at < from) continue;
    done += text.slice(from, at) + meant;
    from = at + written.length;
  }
  return done + text.slice(from);
}

function ofEntity(written: string): string | undefined {
  const name = written.slice(1).replace(/;$/, '');
  if (!name.startsWith('#')) return NAMED[name] ?? NAMED[name.toLowerCase()];
  const point = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return point > 0x10_ffff ? undefined : String.fromCodePoint(point);
}

function windowsByte(character: string): number {
  const at = WINDOWS.indexOf(character);
  return at < 0 ? (character.codePointAt(0) ?? 0) : 0x80 + at;
}

function bytesOf(written: string): number[] {
  return written.match(/[0-9A-F]{2}/gi)?.map((pair) => Number.parseInt(pair, 16)) ?? [];
}

function asUtf8(bytes: readonly number[]): string | undefined {
  const text = Buffer.from(bytes).toString('utf8');
  return text.includes('\ufffd') ? undefined : text;
}
