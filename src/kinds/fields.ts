/** How a field stands in a record, which is all text, and how callers see it. */
import type { z } from 'zod';

/** By what operations are found besides their ids, each with the letter that stands for it in the index. */
export const soughtNames = {
  phone: 'p',
  token: 't',
  transactionId: 'x',
  providerRef: 'r',
  disburseId: 'd',
  batch: 'b',
} as const;

export type SoughtName = keyof typeof soughtNames;

/** Characters. Nothing is asked for by a longer name. */
export const NAME_MOST = 200;

export interface Field<Value = unknown, Presence extends 'sure' | 'maybe' = 'sure' | 'maybe'> {
  /** `time`: a number, ms since the epoch, which callers see as ISO 8601. `flag`: true where it is more than 0. */
  readonly codec: 'text' | 'number' | 'time' | 'flag' | 'json' | 'derived';
  /** `maybe`: where the record does not have it, or has it empty, nobody sees it. */
  readonly presence: Presence;
  /** What it is where the record does not have it. Absent, for one that is sure: a record without it is damaged. */
  readonly otherwise?: Value;
  /**
   * As callers see it, at this place among the others. Where it is absent, false or 0, one that is optional is left
   * out; one that is nullable is null where it is absent. Absent: callers do not see it.
   */
  readonly shown?: z.ZodType;
  /** How callers know it, where they know it by another name. */
  readonly as?: string;
  /** It finds the operation, under this name. */
  readonly sought?: SoughtName;
}

export type Fields = Readonly<Record<string, Field>>;

type Sure<Value> = Field<Value, 'sure'>;
type Maybe<Value> = Field<Value, 'maybe'>;

export const text: Sure<string> = { codec: 'text', presence: 'sure' };
export const maybeText: Maybe<string> = { codec: 'text', presence: 'maybe' };
/** A number that must be there. */
export const amount: Sure<number> = { codec: 'number', presence: 'sure' };
export const count: Sure<number> = { codec: 'number', presence: 'sure', otherwise: 0 };
export const maybeNumber: Maybe<number> = { codec: 'number', presence: 'maybe' };
export const time: Sure<number> = { codec: 'time', presence: 'sure', otherwise: 0 };
export const maybeTime: Maybe<number> = { codec: 'time', presence: 'maybe' };
export const flag: Sure<boolean> = { codec: 'flag', presence: 'sure', otherwise: false };
export const json = <Value>(otherwise?: Value): Sure<Value> => ({
  codec: 'json',
  presence: 'sure',
  ...(otherwise === undefined ? {} : { otherwise }),
});
export const maybeJson = <Value>(): Maybe<Value> => ({ codec: 'json', presence: 'maybe' });
/** One of a few words. */
export const word = <Word extends string>(): Sure<Word> => ({ codec: 'text', presence: 'sure' });
export const maybeWord = <Word extends string>(): Maybe<Word> => ({ codec: 'text', presence: 'maybe' });

export interface Shown<S extends z.ZodType> {
  readonly shown: S;
}

export function shown<F extends Field, S extends z.ZodType>(field: F, schema: S): F & Shown<S> {
  return { ...field, shown: schema };
}

/** Shown under another name than it is kept under. */
export function shownAs<F extends Field, S extends z.ZodType, const As extends string>(
  field: F,
  as: As,
  schema: S,
): F & Shown<S> & { readonly as: As } {
  return { ...field, shown: schema, as };
}

/** An operation is found by it. */
export function sought<F extends Field>(field: F, by: SoughtName): F & { readonly sought: SoughtName } {
  return { ...field, sought: by };
}

/** Not kept: it follows from the other fields. */
export function derived<S extends z.ZodType>(schema: S): Maybe<never> & Shown<S> & { readonly codec: 'derived' } {
  return { codec: 'derived', presence: 'maybe', shown: schema };
}
/** As a record has it, by the name of each field. */
export type Read<F extends Fields> = {
  readonly [N in keyof F as F[N] extends Field<unknown, 'sure'> ? N : never]: F[N] extends Field<infer V> ? V : never;
} & {
  readonly [N in keyof F as F[N] extends { readonly codec: 'derived' }
    ? never
    : F[N] extends Field<unknown, 'sure'>
      ? never
      : N]?: F[N] extends Field<infer V> ? V : never;
};

/** What a view has to be told, since no field says it. `history` is read from the evidence of every record. */
export type Derived<F extends Fields> = {
  readonly [N in DerivedName<F> as undefined extends Seen<F[N]> ? never : N]: Seen<F[N]>;
} & {
  readonly [N in DerivedName<F> as undefined extends Seen<F[N]> ? N : never]?: Seen<F[N]>;
};

type DerivedName<F extends Fields> = Exclude<
  { [N in keyof F]: F[N] extends { readonly codec: 'derived' } ? N : never }[keyof F],
  'history' | 'historyDropped'
>;
type Seen<F> = F extends Shown<infer S> ? z.input<S> : never;
