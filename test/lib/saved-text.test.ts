import { expect, test } from 'vitest';
import { textOf } from '../../src/lib/saved-text.ts';

const TEXT = '{"SN": 20, "é": "œ"}';
const little = Buffer.from(`\ufeff${TEXT}`, 'utf16le');

test.for([
  ['UTF-8', Buffer.from(TEXT)],
  ['UTF-8 behind the mark that Notepad writes', Buffer.from(`\ufeff${TEXT}`)],
  ['UTF-16, as PowerShell writes it', little],
  ['UTF-16, big endian', Buffer.from(little).swap16()],
] as const)('a saved text is read from %s', ([, bytes]) => expect(textOf(bytes)).toBe(TEXT));

test('half a character at its end breaks nothing', () => {
  expect(textOf(Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from([0, 0x41, 0x42])]))).toBe('A');
});
