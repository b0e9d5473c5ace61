/** Single-byte encodings: the meaning of the bytes from 0x80 on. */
import { isAscii } from 'node:buffer';
import type { CodePage } from './encodings.ts';

const UPPER_HALF = Array.from({ length: 96 }, (_, at) => String.fromCharCode(0xa0 + at)).join('');

export const codePages: Readonly<Record<CodePage, string>> = {
  /** Up to 0x9F Latin-1 has control characters; from there the two are equal. */
  'windows-1252': `€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ${UPPER_HALF}`,
  'mac-roman':
    'ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u00a0ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\uf8ffÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ',
  /** MS-DOS in Western Europe; Excel calls it “CSV (MS-DOS)”. */
  cp850:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
  /** MS-DOS in America. French differs only in capital letters. */
  cp437:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
};

/** Not TextDecoder: that of Node 20.20 reads `windows-1252` as Latin-1, and every œ, € and ’ is lost. */
export function fromCodePage(bytes: Buffer, page: CodePage): string {
  const table = codePages[page];
  if (isAscii(bytes)) return bytes.toString('latin1');
  return bytes.toString('latin1').replace(/[\x80-\xff]/g, (char) => table.charAt(char.charCodeAt(0) - 0x80));
}
