/** Which functions ran in a process, by what V8 counted (NODE_V8_COVERAGE), told in terms of the sources. */
import { readFileSync, readdirSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** One built file as V8 reports it: its functions, outer before inner, each with the blocks that ran otherwise. */
export interface Covered {
  readonly url: string;
  readonly functions: readonly { readonly functionName: string; readonly ranges: readonly Range[] }[];
}

/** A source that works for something, and how many of its lines do. */
export interface Worker {
  readonly path: string;
  readonly lines: number;
}

/** What the process of this folder reported of the files below `built`. */
export function readCoverage(folder: string, built: string): readonly Covered[] {
  const base = `${pathToFileURL(built).href}/`;
  const reports = readdirSync(folder).filter((name) => name.startsWith('coverage-'));
  if (reports.length !== 1) throw new Error(`${folder} holds ${reports.length} reports, and one process was watched`);
  return reports.flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { result: readonly Covered[] };
    return result.filter(({ url }) => url.startsWith(base));
  });
}

/**
 * The files with a function that ran in `working` and not in `idle`. Their lines: what ran in the one and not in the
 * other, counted in the sources.
 */
export function workers(
  { working, idle }: { readonly working: readonly Covered[]; readonly idle: readonly Covered[] },
  sourceLines: (url: string, offsets: readonly boolean[]) => number,
): readonly { readonly url: string; readonly lines: number }[] {
  const rested = new Map(idle.map((file) => [file.url, file]));
  return working.flatMap((file) => {
    const other = rested.get(file.url);
    const ranIdle = new Set(other?.functions.flatMap((one) => (ran(one) ? [spanOf(one)] : [])));
    if (!file.functions.some((one) => ran(one) && !ranIdle.has(spanOf(one)))) return [];
    const before = other ? offsetsOf(other) : [];
    const only = offsetsOf(file).map((did, offset) => did && before[offset] !== true);
    return [{ url: file.url, lines: sourceLines(file.url, only) }];
  });
}

type Ran = Covered['functions'][number];

const ran = ({ ranges }: Ran): boolean => (ranges[0]?.count ?? 0) > 0;
const spanOf = ({ ranges }: Ran): string => `${ranges[0]?.startOffset}-${ranges[0]?.endOffset}`;

/** For each character, whether it ran. Inner ranges come after outer ones, and say it better. */
function offsetsOf({ functions }: Covered): readonly boolean[] {
  const offsets: boolean[] = [];
  for (const { startOffset, endOffset, count } of functions.flatMap(({ ranges }) => ranges)) {
    // V8 grows an array that is filled from its end as slowly as it can.
    for (let at = offsets.length; at < endOffset; at += 1) offsets.push(false);
    offsets.fill(count > 0, startOffset, endOffset);
  }
  return offsets;
}

/** Lines of the source that the marked characters of a built file were made from. */
export function sourceLinesOf(url: string, marked: readonly boolean[]): number {
  const path = fileURLToPath(url);
  const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')));
  const lines = new Set<number>();
  let start = 0;
  for (const [number, text] of readFileSync(path, 'utf8').split('\n').entries()) {
    const column = firstMarked(text, start, marked);
    const entry: { originalLine?: unknown } | undefined = column < 0 ? undefined : map.findEntry(number, column);
    if (typeof entry?.originalLine === 'number') lines.add(entry.originalLine);
    start += text.length + 1;
  }
  return lines.size;
}

/** Where the first name on this line stands that is marked; brackets alone are no work. */
function firstMarked(line: string, start: number, marked: readonly boolean[]): number {
  for (let at = 0; at < line.length; at += 1) {
    if (marked[start + at] === true && /[\w$]/.test(line.charAt(at))) return at;
  }
  return -1;
}

/** `…/dist/lib/clock.js` → `src/lib/clock.ts`: one file is built from each. */
export function sourcePathOf(url: string, built: string): string {
  return `src/${relative(built, fileURLToPath(url)).replaceAll('\\', '/').replace(/\.js$/, '.ts')}`;
}
