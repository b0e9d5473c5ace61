/** What came back, whole. */

/** Nothing came back, or not all of it. What was only read was not; what was to change something may have. */
export class NoAnswer extends Error {}

export async function wholeOf(response: Response): Promise<unknown> {
  try {
    return read(response, await response.text());
  } catch (error) {
    // It broke off on its way: how it went on is known as little as where nothing came.
    throw new NoAnswer(String(error));
  }
}

function read({ headers }: Response, text: string): unknown {
  const isLines = headers.get('content-type')?.startsWith('application/x-ndjson');
  if (isLines) return text.split('\n').flatMap((line): unknown[] => (line === '' ? [] : [JSON.parse(line)]));
  // Nothing came with it but that it is done.
  return text === '' ? {} : JSON.parse(text);
}
