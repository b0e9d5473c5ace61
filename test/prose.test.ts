/** Plain English: dialect, and sentences that are too long, become fewer. To lower a count is always right. */
import { expect, test } from 'vitest';
import { routes } from '../src/api/routes.ts';
import { projectFiles } from './tidy/scanner.ts';

const WORDS_MOST = 30;

/** Words with a plain equivalent that every reader knows. */
const DIALECT = new RegExp(
  String.raw`\b(?:nobody|somebody|anybody|whoever|upstream|told|heard|stood|anew|learnt|telephone|strangers?|nudge[ds]?|` +
    String.raw`as ever|of then|last word|lost time|mend(?:s|ed|ing)?|(?:put|hand|handed) back|(?:put|set) aside|` +
    String.raw`call(?:s|ed)? off|let(?:s)? go|goes on|take stock|sweeper|taker|provider of identities|` +
    String.raw`file of payments|event endpoint)\b`,
  'gi',
);

/** Allowed dialect and long sentences, by folder. The counts may only shrink. */
const ALLOWED: Readonly<Record<string, readonly [dialect: number, long: number]>> = {
  '.': [1, 0],
  console: [0, 1],
  docs: [72, 6],
  'src/messages': [7, 1],
  'src/processors': [1, 1],
};

const FENCED = /^ *```.*?^ *```$/gms;
const COMMENT = /\/\*[^]*?\*\/|^\s*\/\/[^\n]*(?:\n\s*\/\/[^\n]*)*/gm;
const LITERAL = /'(?:\\.|[^'\\\n])*'|`(?:\\[^]|[^`\\])*`/g;

/** The sentences of a text: paragraphs, list items and table cells end one, too. Code is left out. */
const sentencesOf = (text: string): readonly string[] =>
  text
    .replace(/`[^`\n]+`/g, 'code')
    .replace(/\](?:\([^)]*\)|\[[^\]]*\])/g, ']')
    .split(/(?<=[.!?:;])\s+|\n\s*(?:\*|\/\/)?\s*\n|\n\s*(?:\*\s*)?(?:[-*]|\d+\.|#+)\s|\|/)
    .map((sentence) => sentence.replace(/[/*\s]+/g, ' ').trim());

function proseOf({ path, text }: { readonly path: string; readonly text: string }): readonly string[] {
  if (path.endsWith('.md')) return [text.replace(FENCED, '')];
  if (path.endsWith('.sql'))
    return (text.match(/(?:^\s*--[^\n]*\n)+/gm) ?? []).map((block) => block.replaceAll('--', ' '));
  if (/\/english[\w-]*\.ts$/.test(path)) return [...(text.match(COMMENT) ?? []), ...(text.match(LITERAL) ?? [])];
  return /\.tsx?$/.test(path) ? (text.match(COMMENT) ?? []) : [];
}

/** `src/ledger`, `docs`; a file of the root counts for `.`. */
const folderOf = (path: string): string => {
  const parts = path.split('/').slice(0, -1);
  return parts.slice(0, parts[0] === 'src' ? 2 : 1).join('/') || '.';
};

function counted(): Readonly<Record<string, readonly [number, number]>> {
  const files = projectFiles().filter(({ path }) => !path.includes('/generated/') && !path.startsWith('docs/fr/'));
  const summaries = routes.map(({ summary }) => ({ folder: 'summaries', texts: [summary] }));
  const all = files.map((file) => ({ folder: folderOf(file.path), texts: proseOf(file) }));
  const counts: Record<string, [number, number]> = {};
  for (const { folder, texts } of [...all, ...summaries]) {
    const sum = (counts[folder] ??= [0, 0]);
    sum[0] += texts.join('\n').match(DIALECT)?.length ?? 0;
    sum[1] += texts.flatMap(sentencesOf).filter((sentence) => sentence.split(' ').length > WORDS_MOST).length;
  }
  return counts;
}

test('dialect and long sentences become fewer in every folder', () => {
  const grown = Object.entries(counted()).filter(([folder, [dialect, long]]) => {
    const [dialectMost, longMost] = ALLOWED[folder] ?? [0, 0];
    return dialect > dialectMost || long > longMost;
  });
  expect(Object.fromEntries(grown)).toEqual({});
});
