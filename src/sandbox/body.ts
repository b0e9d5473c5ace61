/** Parses a body by its schema: strictly by the interface, or leniently like the provider. */
import type { z } from 'zod';
import type { Call, Simulator } from './simulator.ts';

type Read<Data> =
  | { readonly ok: true; readonly data: Data }
  /** `field` is empty if the body as a whole is wrong. */
  | { readonly ok: false; readonly field: string; readonly problem: string };

/**
 * Records a breach for each invalid part. Lenient: a number for a string, or the reverse, is converted, every other
 * such part is omitted, and the body is refused only if a required field is then missing.
 */
export function readBody<S extends z.ZodType>(schema: S, call: Call, simulator: Simulator): Read<z.output<S>> {
  const { records, settings } = simulator;
  const body = readJson(call, simulator);
  const parsed = schema.safeParse(body);
  if (parsed.success) return { ok: true, data: parsed.data };
  const { issues } = parsed.error;
  if (settings.values.strictness === 'lenient') {
    const again = schema.safeParse(corrected(body, issues));
    if (again.success) {
      for (const issue of issues) records.breach(call.operation, problemOf(issue));
      return { ok: true, data: again.data };
    }
  }
  const [first] = issues;
  const problem = problemOf(first);
  records.breach(call.operation, problem);
  return { ok: false, field: first?.path.join('.') ?? '', problem };
}

/** A body that is not JSON is recorded as a breach and undefined. */
export function readJson({ operation, text }: Call, { records }: Simulator): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    records.breach(operation, 'the body is not JSON');
    return undefined;
  }
}

type Issue = z.ZodError['issues'][number];

const problemOf = (issue: Issue | undefined): string =>
  `${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'not valid'}`;

function corrected(body: unknown, issues: readonly Issue[]): unknown {
  const copy: unknown = structuredClone(body);
  for (const issue of issues) {
    const paths = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
    for (const path of paths) correct(copy, path, issue);
  }
  return copy;
}

function correct(body: unknown, path: readonly PropertyKey[], issue: Issue): void {
  const name = String(path.at(-1));
  const holder = memberAt(body, path.slice(0, -1));
  if (path.length === 0 || !isHolder(holder)) return;
  const value = holder[name];
  const expected = issue.code === 'invalid_type' ? issue.expected : '';
  if (expected === 'string' && typeof value === 'number') holder[name] = String(value);
  else if (expected === 'number' && typeof value === 'string' && /^\d+(\.\d+)?$/.test(value))
    holder[name] = Number(value);
  else delete holder[name];
}

function memberAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((at: unknown, name) => (isHolder(at) ? at[String(name)] : undefined), value);
}

function isHolder(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
