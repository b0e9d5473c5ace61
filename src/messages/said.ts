/** Sentences with `{value}`s in them. */

/** Braces around anything else are part of the sentence: `{{stop}}`, `{"apply": true}`. */
type NoName = `${string}${'{' | '"' | '|' | '-'}${string}`;

/** The value names in a sentence: row and rows of `row {row} of {rows}`. */
export type ValuesOf<S extends string, V = string | number> = S extends `${string}{${infer Name}}${infer Rest}`
  ? Name extends NoName
    ? ValuesOf<Rest, V>
    : { readonly [N in Name]: V } & ValuesOf<Rest, V>
  : unknown;

export type Values = Readonly<Record<string, string | number>>;

/** Missing values stay as placeholders. */
export function filled(sentence: string, values: Values): string {
  return sentence.replace(/\{(\w+)\}/g, (written, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : written,
  );
}

/** The values of a filled sentence, for a library that returns only the text. Undefined: another sentence. */
export function readBack(sentence: string, text: string): Values | undefined {
  const literal = sentence.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  const pattern = literal.replace(/\{(\w+)\}/g, '(?<$1>.*)');
  const found = new RegExp(`^${pattern}$`, 's').exec(text);
  return found === null ? undefined : { ...found.groups };
}

/** Texts as texts, and sentences with values as functions: equal in every language. */
export type Whole<T> = T extends string
  ? string
  : T extends (...given: infer G) => unknown
    ? (...given: G) => string
    : { readonly [K in keyof T]: Whole<T[K]> };
