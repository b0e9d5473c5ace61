import { declarationOf, metricNames, ACCOUNT_NAMES, words } from '../../src/metrics/declarations.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');
const row = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
const code = (text: string): string => `\`${text}\``;

const INTRODUCTION = `# What is measured, and what does each figure mean?

Every process serves \`/metrics\` (Prometheus, text format), \`/healthz\` (it is alive) and \`/readyz\` (200, or 503
with the reasons) on \`METRICS_PORT\`. All values are in base units: seconds and whole XOF.

Metrics *of the process* describe one process: use \`sum()\` for its counters and histograms. Metrics *of the whole* are
read from PostgreSQL at each scrape, at most once a second, and are the same from every process: use \`max()\`, never
\`sum()\`. While PostgreSQL is away they are absent, and \`relais_database_up\` is 0. Metrics *of the queues* are the
same, read from Redis: while Redis is away they are absent, and \`relais_redis_up\` is 0.`;

const LABELS = `## Labels

The values of labels are words of relais, never an id, a telephone number or a text of the service. What is not
listed is counted as \`other\`, so one process never shows more than 2,000 series.`;

/** docs/metrics.md, whole. */
export function metricsPage(): string {
  return `${[INTRODUCTION, metricTable(), LABELS, labelList()].join('\n\n')}\n\n${NODE}\n`;
}

const NODE = "Besides these there are Node's own (`process_…`, `nodejs_…`): memory, event loop, garbage collection.";

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
