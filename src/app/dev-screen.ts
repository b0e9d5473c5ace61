import type { Words } from '../messages/languages.ts';

/** The addresses that `relais dev` reports when it is ready. */
export interface DevUrls {
  readonly api?: string;
  readonly control?: string;
  readonly redis?: string;
  readonly database?: string;
  readonly metrics?: string;
}

/** Start screen for a terminal. Programs read these facts as one line of JSON. */
export function devScreen(
  { api = '', control = '', redis, database, metrics }: DevUrls,
  words: Words['dev'],
): string {
  const { labels } = words;
  const rows = [
    [labels.console, `${api}/console/`],
    [labels.key, words.keys],
    [labels.api, `${api}/v1/  ${api}/docs`],
    [labels.sandbox, `${control}/`],
    [labels.database, database],
    [labels.redis, redis],
    [labels.metrics, metrics && `${metrics}/metrics`],
  ].filter((row): row is [string, string] => row[1] !== undefined);
  const width = Math.max(...rows.map(([label]) => label.length));
  return [
    '',
    words.title,
    '',
    ...rows.map(([label, text]) => `  ${label.padEnd(width)}  ${text}`),
    '',
    words.stop,
    '',
  ].join('\n');
}
