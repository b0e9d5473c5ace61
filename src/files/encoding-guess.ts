/** Detects the single-byte encoding of a text by how much it looks like French in each. */
import { fromCodePage } from './code-pages.ts';
import { type CodePage, codePageNames } from './encodings.ts';
import { unusable } from './problems.ts';
import { detail } from '../messages/details.ts';

/** Throws if two encodings give equally plausible words: a guess could change people's names. */
export function guessCodePage(bytes: Buffer): CodePage {
  const readings = codePageNames.map((page) => {
    const text = fromCodePage(bytes, page);
    return { page, text, score: scoreOf(text) };
  });
  const most = Math.max(...readings.map(({ score }) => score));
  const best = readings
    .filter(({ score }) => score === most)
    // If two code pages give the same text, the more common one is used.
    .filter(({ text }, at, all) => all.findIndex((other) => other.text === text) === at);
  const [first] = best;
  if (first === undefined || (best.length > 1 && most >= 0)) {
    const at = bytes.findIndex((_, place) => new Set(best.map(({ text }) => text[place])).size > 1);
    const samples = best.map(({ page, text }) => `${page}: “${wordAt(text, at)}”`).join(', ');
    throw unusable('unclear_encoding', { detail: detail('samples', { samples }) });
  }
  return first.page;
}

const SAMPLE_MAX = 20;

/** The text around a position, within its cell. */
function wordAt(text: string, at: number): string {
  const [before = ''] = /[^;,\t|"\r\n]*$/.exec(text.slice(Math.max(0, at - SAMPLE_MAX), at)) ?? [];
  const [after = ''] = /^[^;,\t|"\r\n]*/.exec(text.slice(at, at + SAMPLE_MAX)) ?? [];
  return before + after;
}

interface Around {
  readonly before: Kind;
  /** Kind of the character before `before`. */
  readonly earlier: Kind;
  readonly after: Kind;
  readonly next: string;
}

type Kind = 'lower' | 'upper' | 'none';

function scoreOf(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (char < '\x80') continue;
    const [earlier, before, after] = [kindOf(text[at - 2]), kindOf(text[at - 1]), kindOf(text[at + 1])];
    sum += worthOf(char, { earlier, before, after, next: text[at + 1] ?? '' });
  }
  // The capital Ô of one code page is the È of another.
  return sum + (text.match(/c[ôÔ]te d/gi) ?? []).length;
}

function kindOf(char = ''): Kind {
  if (/\p{Ll}/u.test(char)) return 'lower';
  return /\p{Lu}/u.test(char) ? 'upper' : 'none';
}

function worthOf(char: string, around: Around): number {
  if ('éèàêçôîïëûùâœ'.includes(char)) return worthOfSmall(char, around);
  if ('ÉÈÀÊÇÔÎÏËÛÙÂŒ'.includes(char)) return worthOfCapital(char, around);
  if ('«»’‘“”…–—€°\u00a0'.includes(char)) return worthOfSign(char, around);
  if (char === '™') return around.before === 'none' ? -3 : 0;
  return worthOfForeign(char, around);
}

/** Portuguese names occur in Bissau, Spanish and German ones elsewhere. */
function worthOfForeign(char: string, { before, after, next }: Around): number {
  if (before === 'none' && after === 'none') return -3;
  if (/ão|õe/.test(char + next)) return 3;
  if ('áíóúñãõüäöòì'.includes(char)) {
    return 'áíóúã'.includes(char) && before !== 'none' && after === 'lower' ? 1 : -1;
  }
  return 'ÁÍÓÚÑÃÕÜÄÖÒÌ'.includes(char) && before !== 'lower' ? -1 : -3;
}

/** ç occurs only before a, o and u. */
function isLostCedilla(char: string, next: string): boolean {
  return /ç/i.test(char) && !/[aouâàôã]/i.test(next);
}

function worthOfSmall(char: string, { before, earlier, after, next }: Around): number {
  if (isLostCedilla(char, next)) return -2;
  // On a French keyboard these stay lower-case with caps lock.
  if (before === 'upper' && earlier === 'upper' && after !== 'lower') return 'éèçàù'.includes(char) ? 3 : -1;
  if (after === 'upper') return before === 'upper' && 'éèçàù'.includes(char) ? 3 : -1;
  if (before === 'none' && after === 'none') return char === 'à' ? 1 : -2;
  if (before === 'none') return 'éêîôâçœ'.includes(char) ? 2 : 0;
  if (after === 'none') return char === 'é' ? 2 : Number('àù'.includes(char));
  return 'àù'.includes(char) ? 0 : 3;
}

function worthOfCapital(char: string, { before, after, next }: Around): number {
  if (before === 'lower') return -3;
  if (isLostCedilla(char, next)) return -2;
  if (before === 'none' && after === 'none') return 'ÀÉ'.includes(char) ? 1 : -2;
  if (before === 'none') return 'ÉÊÀÇÎÂŒ'.includes(char) ? 2 : 1;
  if (after === 'none') return char === 'É' ? 2 : Number('ÀÈ'.includes(char));
  if (after === 'lower') return -1;
  if ('ÉÇ'.includes(char)) return 3;
  if (char === 'À') return 0;
  return 'ÈÊÔŒ'.includes(char) ? 2 : 1;
}

function worthOfSign(char: string, { before, after }: Around): number {
  const [follows, leads] = [before !== 'none', after !== 'none'];
  if (char === '’') return follows && leads ? 3 : 1;
  if ('«“‘'.includes(char)) return follows ? -2 : 1;
  if ('»”'.includes(char)) return leads ? -2 : 1;
  if (char === '€') return follows || leads ? -2 : 1;
  if (char === '°') return leads ? -2 : 1;
  return follows && leads && char !== '\u00a0' ? -1 : 1;
}
