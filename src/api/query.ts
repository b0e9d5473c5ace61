/**
 * The parameters of a query, by the schemas of its route. What is not declared is refused: a filter with a slip of the
 * pen would otherwise be no filter, and everything would be answered.
 */
import { z } from 'zod';
import { nearest } from '../lib/nearest.ts';
import { type Problem, check } from '../producer/problems.ts';
import { invalid } from './problem.ts';

export type Shape = Readonly<Record<string, z.ZodType>>;
export type OutputOf<S extends Shape> = { readonly [Name in keyof S]: z.output<Exclude<S[Name], undefined>> };

const NONE = {};

/** `search` is what follows the question mark. */
export function queryReader(shape: Shape): (search: string) => object {
  const schema = z.object(shape);
  const numbers = new Set(Object.keys(shape).filter((name) => isNumber(shape[name])));
  const lists = new Set(Object.keys(shape).filter((name) => isList(shape[name])));
  const known = Object.keys(shape);
  const read = (given: URLSearchParams): object => {
    const problems = [...new Set(given.keys())].flatMap((name) => problemWith(name, given, known));
    const valueIn = (name: string, text: string): unknown => {
      if (lists.has(name)) return text.split(',');
      return numbers.has(name) ? numberIn(text) : text;
    };
    const words = [...given].map(([name, text]) => [name, valueIn(name, text)]);
    const { data, problems: wrong = [] } = check(schema, Object.fromEntries(words));
    // Of several words in one parameter, the parameter is named.
    problems.push(
      ...wrong.map(({ pointer, message }) => ({ pointer: pointer.replace(/^(\/[^/]+)\/\d+$/, '$1'), message })),
    );
    if (data && problems.length === 0) return data;
    throw invalid(problems);
  };
  return (search) => (search === '' && known.length === 0 ? NONE : read(new URLSearchParams(search)));
}

function problemWith(name: string, given: URLSearchParams, known: readonly string[]): Problem[] {
  const pointer = `/${name.slice(0, 40)}`;
  if (!known.includes(name)) return [{ pointer, message: notKnown(name, known) }];
  return given.getAll(name).length > 1 ? [{ pointer, message: 'is given twice' }] : [];
}

function notKnown(name: string, known: readonly string[]): string {
  if (known.length === 0) return 'is not a parameter here; there are none';
  const meant = nearest(name, known);
  return `is not a parameter here; ${meant ? `did you mean "${meant}"?` : `there are ${known.join(', ')}`}`;
}

function isList(schema: z.ZodType | undefined): boolean {
  return schema instanceof z.ZodOptional ? isList(schema.unwrap() as z.ZodType) : schema instanceof z.ZodArray;
}

function isNumber(schema: z.ZodType | undefined): boolean {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return isNumber(schema.unwrap() as z.ZodType);
  }
  return schema instanceof z.ZodNumber;
}

/** A text that is no number in plain digits is left to the schema to refuse. */
function numberIn(text: string): string | number {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}
