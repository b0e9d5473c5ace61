/** The pages of docs/, and the order in which docs/index.md and docs/fr/index.md name them. */
import { readFileSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';

export const docs = join(import.meta.dirname, '../../docs');

export interface Section {
  readonly text: string;
  readonly items: readonly { readonly text: string; readonly link: string }[];
}

export const textOf = (page: string): string => readFileSync(join(docs, page), 'utf8');

/** `# HTTP API: clients, limits and lists` is `HTTP API` in a menu. */
const shortTitleOf = (page: string): string => {
  const [, title] = /^# (.+)$/m.exec(textOf(page)) ?? [];
  if (title === undefined) throw new Error(`docs/${page} has no title`);
  return title.replace(/\s*:.*$/, '');
};

const linksIn = (text: string, folder: string): readonly string[] =>
  [...text.matchAll(/\]\(([^)#:]+\.md)\)/g)]
    .map(([, to = '']) => posix.join(folder, to))
    .filter((page) => !page.startsWith('..'));

/** The sections of an index page, each with the pages that it links to. */
export function sidebarOf(index: string): readonly Section[] {
  const folder = posix.dirname(index);
  const [, ...sections] = textOf(index).split(/^## /m);
  return sections.map((section) => ({
    text: section.slice(0, section.indexOf('\n')).trim(),
    items: linksIn(section, folder).map((page) => ({
      text: shortTitleOf(page),
      link: `/${page.replace(/\.md$/, '')}`,
    })),
  }));
}

/** A page that no index links to would be found by nobody. */
export function refuseUnlinked(sidebars: readonly Section[]): void {
  const linked = new Set(sidebars.flatMap(({ items }) => items.map(({ link }) => `${link.slice(1)}.md`)));
  const all = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'));
  const missing = all.filter((page) => !page.endsWith('index.md') && !linked.has(page));
  if (missing.length > 0) throw new Error(`no index page links to: ${missing.join(', ')}`);
}
