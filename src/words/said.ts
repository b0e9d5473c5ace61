/** Sentences with `{value}`s in them. */

/** The names in a sentence: of `row {row} of {rows}`, row and rows. */
export type ValuesOf<S extends string> = S extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [N in Name]: string | number } & ValuesOf<Rest>
  : unknown;

export type Values = Readonly<Record<string, string | number>>;

/** What is not given stays as it stands. */
export function filled(sentence: string, values: Values): string {
  return sentence.replace(/\{(\w+)\}/g, (written, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : written,
  );
}
