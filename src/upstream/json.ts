export type JsonObject = Readonly<Record<string, unknown>>;

export type JsonReading =
  | { readonly object: JsonObject }
  | { readonly problem: 'empty' | 'html' | 'not_json' | 'duplicate_keys' | 'too_deep' | 'not_an_object' };

const DEEPEST = 32;
const [SPACE, QUOTE, BACKSLASH, COLON] = [0x20, 0x22, 0x5c, 0x3a];

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
  const problem = shapeProblem(trimmed, value);
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
  return value.trim() || undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * What is wrong with a text that is known to be JSON. Each key that is written stands before a colon outside of
 * strings; where the value has fewer keys than that, one was written twice. Counting both is cheaper than reading the
 * keys.
 */
function shapeProblem(text: string, value: unknown): 'duplicate_keys' | 'too_deep' | undefined {
  const keys = isContainer(value) ? countKeys(value, 0) : 0;
  if (keys === TOO_DEEP) return 'too_deep';
  if (keys === mostWrittenKeys(text)) return undefined;
  return keys === countWrittenKeys(text) ? undefined : 'duplicate_keys';
}

/**
 * Colons after a quotation mark: every key that is written, and perhaps some that stand in a string. Equal to the keys
 * that were read, there were no others; and to find them costs a tenth of reading each character.
 */
function mostWrittenKeys(text: string): number {
  let count = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) <= SPACE) before -= 1;
    if (text.charCodeAt(before) === QUOTE) count += 1;
  }
  return count;
}

/** Survives being added to. */
const TOO_DEEP = Number.POSITIVE_INFINITY;

/**
 * TOO_DEEP: nested too deeply to be worth reading. A list of an object's values, or a call for each of them, would cost
 * more than looking at them.
 */
function countKeys(container: object, depth: number): number {
  if (depth === DEEPEST) return TOO_DEEP;
  let count = 0;
  if (Array.isArray(container)) {
    for (const member of container as readonly unknown[]) {
      if (isContainer(member)) count += countKeys(member, depth + 1);
    }
    return count;
  }
  // What JSON.parse made inherits nothing that is listed, so these are its own keys.
  for (const key in container) {
    const member = (container as JsonObject)[key];
    count += isContainer(member) ? 1 + countKeys(member, depth + 1) : 1;
  }
  return count;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function countWrittenKeys(text: string): number {
  let count = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) inString = !inString;
    else if (code === BACKSLASH) at += 1;
    else if (code === COLON && !inString) count += 1;
  }
  return count;
}
