/** The text of a small user-saved file: Notepad adds a byte order mark, and PowerShell writes UTF-16. */
export function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const text = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)));
  if (first === 0xff && second === 0xfe) return text.subarray(2).toString('utf16le');
  if (first === 0xfe && second === 0xff) return text.swap16().subarray(2).toString('utf16le');
  return Buffer.from(bytes)
    .toString('utf8')
    .replace(/^\ufeff/, '');
}
