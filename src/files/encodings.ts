/** The encodings of a text file, by common names and `charset` values. */

/** Encodings with one byte per character, more common first. */
export const codePageNames = ['windows-1252', 'mac-roman', 'cp850', 'cp437'] as const;
export type CodePage = (typeof codePageNames)[number];

export const encodings = ['utf-8', 'utf-16le', 'utf-16be', ...codePageNames] as const;
export type Encoding = (typeof encodings)[number];

const NAMES: Readonly<Record<string, Encoding>> = {
  ascii: 'utf-8',
  'us-ascii': 'utf-8',
  utf8: 'utf-8',
  'utf-16': 'utf-16le',
  utf16: 'utf-16le',
  utf16le: 'utf-16le',
  cp1252: 'windows-1252',
  ansi: 'windows-1252',
  // As in browsers: files labelled Latin-1 contain the quotes and the euro of Windows.
  'iso-8859-1': 'windows-1252',
  latin1: 'windows-1252',
  macintosh: 'mac-roman',
  macroman: 'mac-roman',
  mac: 'mac-roman',
  'x-mac-roman': 'mac-roman',
  'cp-850': 'cp850',
  ibm850: 'cp850',
  pc850: 'cp850',
  'cp-437': 'cp437',
  ibm437: 'cp437',
  pc437: 'cp437',
};

/** The encoding of a name or `charset`; undefined: unknown. */
export function encodingOf(name: string): Encoding | undefined {
  const plain = name.trim().toLowerCase();
  return encodings.find((encoding) => encoding === plain) ?? NAMES[plain];
}

export function isCodePage(name: string): name is CodePage {
  return codePageNames.some((page) => page === name);
}
