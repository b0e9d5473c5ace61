/** Differences between GitHub, where the same pages are read, and VitePress. */
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { MarkdownOptions } from 'vitepress';
import { docs } from './pages.mts';

type Markdown = Parameters<NonNullable<MarkdownOptions['config']>>[0];

/** As GitHub names the anchor of a heading, so that links work in both places. */
export const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');

/** `{{prenom}}` is text for a reader, never an expression of Vue. */
function leaveBraces(markdown: Markdown): void {
  const inline = markdown.renderer.rules.code_inline;
  markdown.renderer.rules.code_inline = (tokens, at, options, env, self) => {
    tokens[at]?.attrSet('v-pre', '');
    return inline ? inline(tokens, at, options, env, self) : self.renderToken(tokens, at, options);
  };
}

/** A link to a file of the repository becomes plain text: the site does not contain the file. */
function unlinkRepository(markdown: Markdown): void {
  markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
    const folder = dirname((env as { path: string }).path);
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? (token.attrGet('href') ?? '') : '';
      if (!href.startsWith('..')) continue;
      const target = join(folder, href.replace(/#.*$/, ''));
      if (!relative(docs, target).startsWith('..')) continue;
      if (!existsSync(target)) throw new Error(`${(env as { path: string }).path}: no file ${href}`);
      token.tag = 'span';
      token.attrs = [['title', `${relative(join(docs, '..'), target)} in the repository`]];
      closingOf(token, tokens).tag = 'span';
    }
  });
}

type Token = Parameters<Markdown['renderer']['render']>[0][number];

function closingOf(opening: Token, tokens: readonly Token[]): Token {
  const siblings = tokens.find(({ children }) => children?.includes(opening))?.children ?? [];
  const closing = siblings.slice(siblings.indexOf(opening)).find(({ type }) => type === 'link_close');
  if (closing === undefined) throw new Error('a link does not end');
  return closing;
}

/** A state diagram becomes a table, which needs no script and can be searched. */
function tabulateStates(markdown: Markdown): void {
  const { fence } = markdown.renderer.rules;
  markdown.renderer.rules.fence = (tokens, at, options, env, self) => {
    const token = tokens[at];
    if (token?.info.trim() !== 'mermaid') return fence ? fence(tokens, at, options, env, self) : '';
    const next = new Map<string, string[]>();
    for (const [, from = '', to = '', label] of token.content.matchAll(/^ *(\w+) --> (\w+)(?:: (\w+))?$/gm)) {
      next.set(from, [...(next.get(from) ?? []), `<code>${to}</code>${label === undefined ? '' : ` (${label})`}`]);
    }
    const rows = [...next].map(([from, to]) => `<tr><td><code>${from}</code></td><td>${to.join(' ')}</td></tr>`);
    return `<table><thead><tr><th>from</th><th>to</th></tr></thead><tbody>${rows.join('')}</tbody></table>\n`;
  };
}

export const markdown: MarkdownOptions = {
  anchor: { slugify: slugOf },
  toc: { slugify: slugOf },
  config(md) {
    leaveBraces(md);
    unlinkRepository(md);
    tabulateStates(md);
  },
};
