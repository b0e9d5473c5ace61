/**
 * Reads what upstream posts, in whichever encoding it comes. The interface says "form, a data table read through the
 * key data" for invoices and nothing at all for disbursements (interface: Events), so the body itself decides:
 *
 *   multipart? ──▶ JSON, or JSON as a text? ──▶ name=value? ──▶ percent-encoded: take a layer off and ask again
 *
 * The content type is asked only for a multipart boundary. It is wrong too often to be believed about the rest.
 */
import { type CallbackFields, pickFields } from './fields.ts';
import { readForm } from './form.ts';
import { readJson } from './json.ts';
import { BODY_LIMITS, type Budget, type UnreadableReason } from './limits.ts';
import { readMultipart } from './multipart.ts';
import { percentDecode } from './percent.ts';
import type { Parsed, Tree } from './tree.ts';

export type CallbackBody =
  | { readonly readable: true; readonly fields: CallbackFields }
  | { readonly readable: false; readonly reason: UnreadableReason };

/** The known fields of a callback. Never throws and takes bounded time, whatever the bytes. */
export function readCallbackBody(raw: Uint8Array, contentType?: string): CallbackBody {
  const parsed = readTree(raw, contentType);
  if ('reason' in parsed) return { readable: false, reason: parsed.reason };
  const fields = pickFields(recordsIn(parsed.tree));
  return fields ? { readable: true, fields } : { readable: false, reason: 'not_understood' };
}

/** Everything a callback holds, known or not. */
export function readTree(raw: Uint8Array, contentType?: string): Parsed {
  if (raw.byteLength > BODY_LIMITS.bytes) return { reason: 'too_large' };
  // The decoder replaces what is not UTF-8 and drops a byte order mark.
  const text = new TextDecoder().decode(raw).trim();
  if (text === '') return { reason: 'empty' };
  const budget: Budget = { parameters: BODY_LIMITS.parameters };
  const parsed = readMultipart(text, contentType, budget) ?? readText(text, budget);
  if (parsed === undefined) return { reason: 'not_understood' };
  return 'tree' in parsed ? unwrap(parsed.tree, budget) : parsed;
}

/** The record is below `data`, or flat, or (seen in the wild) one part here and one there: `data` is asked first. */
function recordsIn(tree: Tree): readonly Tree[] {
  const data = tree.get('data');
  return typeof data === 'object' ? [data, tree] : [tree];
}

/**
 * Reads texts that stand where a record, or a part of one, should. Only at these three places and never deeper: a body
 * of nothing but `data=data=data=…` would otherwise be read as often as it has letters.
 */
function unwrap(tree: Tree, budget: Budget): Parsed {
  const outer = unwrapAt(tree, 'invoice', budget);
  if ('reason' in outer) return outer;
  const withData = unwrapAt(outer.tree, 'data', budget);
  const data = 'tree' in withData ? withData.tree.get('data') : undefined;
  if ('reason' in withData || typeof data !== 'object') return withData;
  const inner = unwrapAt(data, 'invoice', budget);
  return 'reason' in inner ? inner : { tree: new Map(withData.tree).set('data', inner.tree) };
}

function unwrapAt(tree: Tree, name: string, budget: Budget): Parsed {
  const node = tree.get(name);
  const parsed = typeof node === 'string' ? readText(node, budget) : undefined;
  if (parsed === undefined) return { tree };
  return 'reason' in parsed ? parsed : { tree: new Map(tree).set(name, parsed.tree) };
}

function readText(text: string, budget: Budget): Parsed | undefined {
  let current = text.trim();
  for (let layer = 0; layer < BODY_LIMITS.layers; layer += 1) {
    const json = readJson(current, budget);
    if (json && !('text' in json)) return json;
    if (json === undefined && isForm(current)) return readUnescapedData(current, budget) ?? readForm(current, budget);
    const next = json ? json.text.trim() : percentDecode(current);
    if (next === current) return undefined;
    current = next;
  }
  return undefined;
}

/** `name=…`, unless the text is JSON whose opening bracket or quote is itself still percent-encoded. */
function isForm(text: string): boolean {
  return /^[^=]{1,400}=/.test(text) && !/^%(?:25)*(?:7b|5b|22)/i.test(text);
}

/** `data={…}` that nobody encoded. Its texts may hold `&` and `=`, so it must not be cut at them. */
function readUnescapedData(text: string, budget: Budget): Parsed | undefined {
  const found = /^data\s*=(?=\s*[{["])/.exec(text);
  if (found === null) return undefined;
  const json = readJson(text.slice(found[0].length), budget);
  if (json === undefined || 'reason' in json) return json;
  return { tree: new Map([['data', 'tree' in json ? json.tree : json.text]]) };
}
