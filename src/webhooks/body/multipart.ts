import type { Budget } from './limits.ts';
import { type GrowingTree, type Parsed, place } from './tree.ts';

/** A part's headers are two short lines; a longer run of text before the first empty line is no part of ours. */
const LONGEST_HEAD = 1_024;

/**
 * The text fields of a multipart body; files are passed over. The boundary is the one announced, or else the one the
 * first line shows: a body keeps its boundary when its content type is lost or replaced on the way.
 */
export function readMultipart(text: string, contentType: string | undefined, budget: Budget): Parsed | undefined {
  const candidates = [announcedBoundary(contentType), shownBoundary(text)];
  const boundary = candidates.find((candidate) => candidate !== undefined && text.includes(`--${candidate}`));
  if (boundary === undefined) return undefined;

  const tree: GrowingTree = new Map();
  let start = text.indexOf(`--${boundary}`);
  while (start !== -1) {
    const from = start + boundary.length + 2;
    const next = text.indexOf(`--${boundary}`, from);
    const field = readPart(text.slice(from, next === -1 ? text.length : next));
    const reason = field && place(tree, field.name, field.value, budget);
    if (reason) return { reason };
    start = next;
  }
  return tree.size === 0 ? undefined : { tree };
}

function announcedBoundary(contentType: string | undefined): string | undefined {
  const [, quoted, bare] =
    /^\s*multipart\/.*?boundary=(?:"([^"]{1,200})"|([^\s;]{1,200}))/is.exec(contentType ?? '') ?? [];
  return quoted ?? bare;
}

function shownBoundary(text: string): string | undefined {
  return /^\s{0,16}--([^\r\n]{1,200}?)[ \t]{0,16}\r?\n/.exec(text)?.[1];
}

/** Headers, an empty line, the value, a line end that belongs to the next boundary. */
function readPart(part: string): { readonly name: string; readonly value: string } | undefined {
  const gap = /\r?\n\r?\n/.exec(part);
  if (gap === null || gap.index > LONGEST_HEAD) return undefined;
  const head = part.slice(0, gap.index);
  const [, quoted, bare] = /content-disposition:[^\r\n]*?[;\s]name=(?:"([^"\r\n]*)"|([^\s;"]+))/i.exec(head) ?? [];
  const name = quoted ?? bare;
  if (name === undefined || /;\s{0,16}filename\*?=/i.test(head)) return undefined;
  return { name, value: part.slice(gap.index + gap[0].length).replace(/\r?\n$/, '') };
}
