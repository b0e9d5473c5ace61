/** `llms.txt`: the list of pages for language models (llmstxt.org), with the Markdown of each page beside it. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { docs, type Section, textOf } from './pages.mts';

/** The first sentence below the title. */
function summaryOf(page: string): string {
  const [, first = ''] = /^# .+\n+([^\n|#!`-][^]*?)\n\n/m.exec(textOf(page)) ?? [];
  const [sentence = ''] = first.replaceAll('\n', ' ').split(/(?<=[.])\s/);
  return sentence.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1');
}

export function writeLlms(outDir: string, sections: readonly Section[]): void {
  const lines = sections.map(({ text, items }) => {
    const rows = items.map((item) => `- [${item.text}](${item.link}.md): ${summaryOf(`${item.link.slice(1)}.md`)}`);
    return `## ${text}\n\n${rows.join('\n')}`;
  });
  const head = `# relais\n\n> ${summaryOf('index.md')}`;
  writeFileSync(join(outDir, 'llms.txt'), `${[head, ...lines].join('\n\n')}\n`);
  for (const { link } of sections.flatMap(({ items }) => items)) {
    const to = join(outDir, `${link}.md`);
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(join(docs, `${link}.md`), to);
  }
}
