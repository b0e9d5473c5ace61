/** Parser of server-sent events. */

/** The id and the data; without `data` it only advances the reader. */
export interface SentMessage {
  readonly id?: string;
  readonly data?: string;
}

/** Messages end with an empty line, at any position in the network chunks. */
export async function* messagesOf(parts: AsyncIterable<string>): AsyncGenerator<SentMessage, void> {
  let rest = '';
  for await (const part of parts) {
    const blocks = (rest + part).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) yield messageIn(block);
  }
}

function messageIn(block: string): SentMessage {
  const fields = block.split('\n').map((line) => /^(id|data): ?(.*)$/.exec(line) ?? []);
  return Object.fromEntries(fields.flatMap(([, name, value]) => (name === undefined ? [] : [[name, value]])));
}
