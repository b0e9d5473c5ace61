/** Values of a row in one line: separated by tabs, with tabs, line ends and backslashes escaped. */

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n' };
const PLAIN: Readonly<Record<string, string>> = { '\\\\': '\\', '\\t': '\t', '\\n': '\n' };
const escaped = (value: string): string => value.replaceAll(/[\\\t\n]/g, (one) => ESCAPES[one] ?? one);
const unescaped = (value: string): string => value.replaceAll(/\\[\\tn]/g, (one) => PLAIN[one] ?? one);

export const packValues = (values: readonly string[]): string => values.map(escaped).join('\t');

export const unpackValues = (line: string): string[] => {
  const values = line.split('\t');
  return line.includes('\\') ? values.map(unescaped) : values;
};
