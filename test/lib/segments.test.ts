import { describe, expect, it } from 'vitest';
import { countSegments } from '../../src/lib/segments.ts';

describe('segments', () => {
  // Known answers from 3GPP TS 23.038: 160 septets alone, 153 with a header; 70 code units alone, 67 with one.
  it.each([
    ['nothing', '', 'GSM-7', 0, 0],
    ['one letter', 'a', 'GSM-7', 1, 1],
    ['a full single', 'a'.repeat(160), 'GSM-7', 160, 1],
    ['one more', 'a'.repeat(161), 'GSM-7', 161, 2],
    ['two full parts', 'a'.repeat(306), 'GSM-7', 306, 2],
    ['two full parts and one', 'a'.repeat(307), 'GSM-7', 307, 3],
    ['ten full parts', 'a'.repeat(1530), 'GSM-7', 1530, 10],
    ['é è à ù ò ì Ç É ñ', 'éèàùòìÇÉñ', 'GSM-7', 9, 1],
    ['the extension counts double', '€[]{}\\~^|', 'GSM-7', 18, 1],
    ['80 euros fill a single', '€'.repeat(80), 'GSM-7', 160, 1],
    ['81 euros do not fit, and an escape never stands alone', '€'.repeat(81), 'GSM-7', 162, 2],
    // 76 euros take 152 septets; the 77th would be split, so 153 euros need a third part though 306 septets would
    // not.
    ['an escape is not cut from its septet', '€'.repeat(153), 'GSM-7', 306, 3],
    ['152 letters, then euros', `${'a'.repeat(152)}${'€'.repeat(77)}`, 'GSM-7', 306, 3],
    ['one ê', 'ê', 'UCS-2', 1, 1],
    ['70 with a ç', `ç${'a'.repeat(69)}`, 'UCS-2', 70, 1],
    ['71 with a ç', `ç${'a'.repeat(70)}`, 'UCS-2', 71, 2],
    ['134 with a ç', `ç${'a'.repeat(133)}`, 'UCS-2', 134, 2],
    ['135 with a ç', `ç${'a'.repeat(134)}`, 'UCS-2', 135, 3],
    ['35 emoji', '😀'.repeat(35), 'UCS-2', 70, 1],
    ['36 emoji', '😀'.repeat(36), 'UCS-2', 72, 2],
    // 33 pairs take 66 of 67 units; the 34th would be split, so 67 pairs need a third part though 134 units would
    // not.
    ['a pair is not cut', '😀'.repeat(67), 'UCS-2', 134, 3],
    ['a lone surrogate counts one', '\ud83d', 'UCS-2', 1, 1],
    ['a line break is one septet', 'a\nb', 'GSM-7', 3, 1],
    ['a tab is not in the alphabet', 'a\tb', 'UCS-2', 3, 1],
  ] as const)('%s', (_name, text, encoding, units, segments) => {
    expect(countSegments(text)).toEqual({ encoding, units, segments });
  });
});
