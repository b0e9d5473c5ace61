export type JsonObject = Readonly<Record<string, unknown>>;

export type JsonReading =
  | { readonly object: JsonObject }
  | { readonly problem: 'empty' | 'html' | 'not_json' | 'duplicate_keys' | 'too_deep' | 'not_an_object' };

const DEEPEST = 32;
const TOKEN = /"(?:[^"\\]+|\\.)*"|[{}[\]:]/g;

/**
 * Reads an answer strictly. A key written twice makes it unreadable: readers disagree about which of the two counts,
 * and one of them may be `00`.
 */
export function readJson(text: string): JsonReading {
  const trimmed = text.replace(/^\uFEFF/, '').trim();
  if (trimmed === '') return { problem: 'empty' };
  if (trimmed.startsWith('<')) return { problem: 'html' };
  const value = parse(trimmed);
  if (value === undefined) return { problem: 'not_json' };
  const problem = shapeProblem(trimmed);
  if (problem) return { problem };
  return isObject(value) ? { object: value } : { problem: 'not_an_object' };
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text with something in it, trimmed; a whole number counts, since the interface is loose about identifiers. */
export function readText(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  if (typeof value !== 'string') return undefined;
  return value.trim() === '' ? undefined : value.trim();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Walks the tokens of a text that is known to be JSON. */
function shapeProblem(text: string): 'duplicate_keys' | 'too_deep' | undefined {
  const open: Set<string>[] = [];
  let last = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') {
      if (open.push(new Set()) > DEEPEST) return 'too_deep';
    } else if (token === '}' || token === ']') {
      open.pop();
    } else if (token === ':') {
      const keys = open.at(-1);
      if (keys?.has(last)) return 'duplicate_keys';
      keys?.add(last);
    } else {
      last = String(JSON.parse(token));
    }
  }
  return undefined;
}
