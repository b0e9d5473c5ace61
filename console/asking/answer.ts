/** A complete answer. */

/** No complete answer arrived. A read had no effect; a change may have been made. */
export class NoAnswer extends Error {}

export async function wholeOf(response: Response): Promise<unknown> {
  try {
    return read(response, await response.text());
  } catch (error) {
    // Interrupted: the result is unknown, as without an answer.
    throw new NoAnswer(String(error));
  }
}

function read({ headers }: Response, text: string): unknown {
  const isLines = headers.get('content-type')?.startsWith('application/x-ndjson');
  if (isLines) return text.split('\n').flatMap((line): unknown[] => (line === '' ? [] : [JSON.parse(line)]));
  // The answer only says that it is done.
  return text === '' ? {} : JSON.parse(text);
}
