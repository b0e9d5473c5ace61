/** The pages as written: their links, the commands to type, and the names that they use. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectFiles, root } from '../tidy/scanner.ts';

export interface Page {
  readonly path: string;
  readonly text: string;
}

/** Past changes may name things that no longer exist. */
const PAST = new Set(['CHANGELOG.md']);

export const pages: readonly Page[] = projectFiles().filter(
  ({ path }) => path.endsWith('.md') && !PAST.has(path) && !path.startsWith('examples/openapi-client/'),
);

interface Block extends Page {
  readonly language: string;
}

const FENCED = /^ *```(\w*)\n(.*?)^ *```$/gms;

/** The content between fences. */
export const blocksOf = ({ path, text }: Page): readonly Block[] =>
  [...text.matchAll(FENCED)].map(([, language = '', block = '']) => ({ path, language, text: block }));

const proseOf = ({ text }: Page): string => text.replace(FENCED, '');

/** The content between backticks; in a table, with its bars. */
export const spansOf = (page: Page): readonly string[] =>
  [...proseOf(page).matchAll(/`([^`\n]+(?:\n[^`\n]+)?)`/g)].map(([, span = '']) =>
    span.replaceAll('\\|', '|').replace(/\s+/g, ' '),
  );

/** GitHub's anchors of headings: repeated ones get a number. */
function anchorsOf(text: string): ReadonlySet<string> {
  const seen = new Map<string, number>();
  const anchors = new Set([...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, id = '']) => id));
  for (const [, heading = ''] of proseOf({ path: '', text }).matchAll(/^#{1,6} +(.*?)\s*#*$/gm)) {
    const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = words.replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '').replaceAll(' ', '-');
    const before = seen.get(slug) ?? 0;
    seen.set(slug, before + 1);
    anchors.add(before === 0 ? slug : `${slug}-${before}`);
  }
  return anchors;
}

/** Broken links within the project. */
export function brokenLinks(page: Page): readonly string[] {
  const links = [...proseOf(page).matchAll(/\]\(<?((?![a-z]+:)[^)\s>]+)>?\)/g)].map(([, link = '']) => link);
  return links.filter((link) => {
    const [path = '', anchor] = link.split('#');
    const to = path === '' ? undefined : join(root, dirname(page.path), decodeURIComponent(path));
    if (to !== undefined && !existsSync(to)) return true;
    if (anchor === undefined) return false;
    return !anchorsOf(to === undefined ? page.text : readFileSync(to, 'utf8')).has(decodeURIComponent(anchor));
  });
}

/** A shell line as words. The text after a pipe, a redirection or a comment is not part of the command. */
export function wordsOf(line: string): readonly string[] {
  const words: string[] = [];
  for (const [, single, double, bare = ''] of line.matchAll(/'([^']*)'|"([^"]*)"|([^\s'"]+)/g)) {
    if (single === undefined && double === undefined && /^(#|\||>|;|&&|\))/.test(bare)) break;
    words.push(single ?? double ?? bare.replace(/[;,]$/, ''));
  }
  return words;
}

/** Each command of a block, on one line; of two columns, the first. */
export const linesOf = (block: string): readonly string[] =>
  block
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.replace(/ {3,}.*$| {2,}(?=#).*$/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
