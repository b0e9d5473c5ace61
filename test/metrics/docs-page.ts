import { declarationOf, metricNames } from '../../src/metrics/declarations.ts';
import { ACCOUNT_NAMES, words } from '../../src/metrics/label-words.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');
const row = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
const code = (text: string): string => `\`${text}\``;

const INTRODUCTION = `# Metrics

This page is for people who watch relais with Prometheus. Every process serves \`/metrics\` (Prometheus text format), \`/healthz\`
(it is alive) and \`/readyz\` (200, or 503 with the reasons) on \`METRICS_PORT\`. All values are in base units: seconds and whole XOF.

| of | read from | in queries |
| --- | --- | --- |
| process | this process | \`sum()\` counters and histograms |
| whole | PostgreSQL at each scrape, at most once a second; the same in every process. Absent while PostgreSQL is away | \`max()\`, never \`sum()\` |
| queues | Redis at each scrape, likewise. Absent while Redis is away | \`max()\`, never \`sum()\` |`;

const LABELS = `## Labels

The value of a label is a word of relais: never an id, a phone number or a text of the provider. Any other value is counted
as \`other\`, so one process never shows more than 2,200 series.`;

/** The whole of docs/metrics.md. */
export function metricsPage(): string {
  return `${[INTRODUCTION, metricTable(), LABELS, labelList()].join('\n\n')}\n\n${NODE}\n`;
}

const NODE = 'Node.js adds metrics of its own (`process_…`, `nodejs_…`): memory, event loop, garbage collection.';

function metricTable(): string {
  const rows = metricNames.map((name) => {
    const { type, of, labels, help } = declarationOf(name);
    return row([code(name), type, of, Object.keys(labels).map(code).join(' '), help]);
  });
  return [row(['name', 'type', 'of', 'labels', 'meaning']), row(Array(5).fill('---') as string[]), ...rows].join(
    '\n',
  );
}

function labelList(): string {
  const sets = metricNames.flatMap((name) =>
    Object.entries(declarationOf(name).labels).map(([label, set]) => [label, set, name] as const),
  );
  const lines = new Map(sets.map(([label, set]) => [`${label} ${set}`, describe(label, set, usersOf(set))]));
  return [...lines.values()].join('\n');
}

function usersOf(set: string): string {
  return metricNames
    .filter((name) => Object.values(declarationOf(name).labels).includes(set as keyof typeof words))
    .map(code)
    .join(', ');
}

function describe(label: string, set: keyof typeof words | typeof ACCOUNT_NAMES, users: string): string {
  if (set === ACCOUNT_NAMES) return `- ${code(label)} (${users}): the names of your accounts`;
  const values: readonly string[] = words[set];
  const list =
    set === 'codes'
      ? `${code('ok')}, or one of the ${values.length - 1} codes of failures`
      : values.map(code).join(' ');
  return `- ${code(label)} (${users}): ${list}`;
}
