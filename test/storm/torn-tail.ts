/**
 * How much of an append-only file is whole: up to the last command that is complete and not inside a transaction that
 * has no end. A script of several writes is kept as such a transaction.
 *
 * Redis 7.0 itself cuts a torn file after the last complete command, in the middle of a transaction if need be. What it
 * then appends follows the half transaction, and the next start carries both out together.
 */
const LINE_END = 2;

export function wholeLength(file: Buffer): number {
  let whole = 0;
  let at = 0;
  let inside = false;
  for (;;) {
    const command = readCommand(file, at);
    if (!command) return whole;
    at = command.end;
    if (command.name === 'MULTI') inside = true;
    if (command.name === 'EXEC') inside = false;
    if (!inside) whole = at;
  }
}

function readCommand(file: Buffer, start: number): { readonly name: string; readonly end: number } | undefined {
  const words = readHead(file, start, '*');
  if (!words) return undefined;
  let at = words.end;
  let name = '';
  for (let index = 0; index < words.number; index += 1) {
    const word = readHead(file, at, '$');
    if (!word) return undefined;
    const end = word.end + word.number + LINE_END;
    if (end > file.length) return undefined;
    if (index === 0) name = file.toString('latin1', word.end, word.end + word.number).toUpperCase();
    at = end;
  }
  return { name, end: at };
}

/** A line such as `*3` or `$5`, whole. */
function readHead(
  file: Buffer,
  start: number,
  sign: string,
): { readonly number: number; readonly end: number } | undefined {
  const end = file.indexOf('\r\n', start, 'latin1');
  if (end < 0 || file.toString('latin1', start, start + 1) !== sign) return undefined;
  return { number: Number(file.toString('latin1', start + 1, end)), end: end + LINE_END };
}
