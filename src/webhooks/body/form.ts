import type { Budget } from './limits.ts';
import { percentDecode } from './percent.ts';
import { type GrowingTree, type Parsed, place } from './tree.ts';

/** `a=1&data[b][c]=2`, the encoding the interface names for checkout callbacks (interface: Events). */
export function readForm(text: string, budget: Budget): Parsed {
  const tree: GrowingTree = new Map();
  let start = 0;
  while (start < text.length) {
    const found = text.indexOf('&', start);
    const end = found === -1 ? text.length : found;
    const pair = text.slice(start, end);
    start = end + 1;
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = percentDecode(equals === -1 ? pair : pair.slice(0, equals)).trim();
    const value = equals === -1 ? '' : percentDecode(pair.slice(equals + 1));
    const reason = place(tree, name, value, budget);
    if (reason) return { reason };
  }
  return { tree };
}
