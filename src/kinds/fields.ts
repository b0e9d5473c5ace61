/** How a field is stored in a record, as text, and how callers see it. */
import type { z } from 'zod';

/** Lookup keys of operations besides their ids, each with its letter in the index. */
export const soughtNames = {
  phone: 'p',
  token: 't',
  transactionId: 'x',
  providerRef: 'r',
  disburseId: 'd',
  batch: 'b',
} as const;

export type SoughtName = keyof typeof soughtNames;

/** Characters. No lookup key is longer. */
export const NAME_MOST = 200;

export interface Field<Value = unknown, Presence extends 'sure' | 'maybe' = 'sure' | 'maybe'> {
  /** `time`: a number, ms since the epoch, which callers see as ISO 8601. `flag`: true if greater than 0. */
  readonly codec: 'text' | 'number' | 'time' | 'flag' | 'json' | 'derived';
  /** `maybe`: omitted if absent or empty in the record. */
  readonly presence: Presence;
  /** The value if the record has none. Absent, for a required field: a record without it is damaged. */
  readonly otherwise?: Value;
  /**
   * The schema and position for callers. If the value is absent, false or 0, an optional field is omitted and a
   * nullable one is null. Absent: hidden from callers.
   */
  readonly shown?: z.ZodType;
  /** The name for callers, if it differs. */
  readonly as?: string;
  /** The lookup key under which it finds the operation. */
  readonly sought?: SoughtName;
  /** The part that events carry, if it is not the whole field. */
  readonly reported?: (value: unknown) => unknown;
}

export type Fields = Readonly<Record<string, Field>>;

type Sure<Value> = Field<Value, 'sure'>;
type Maybe<Value> = Field<Value, 'maybe'>;

export const text: Sure<string> = { codec: 'text', presence: 'sure' };
export const maybeText: Maybe<string> = { codec: 'text', presence: 'maybe' };
/** A required number. */
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

/** Shown under another name than it is stored. */
export function shownAs<F extends Field, S extends z.ZodType, const As extends string>(
  field: F,
  as: As,
  schema: S,
): F & Shown<S> & { readonly as: As } {
  return { ...field, shown: schema, as };
}

/** A lookup key of the operation. */
export function sought<F extends Field>(field: F, by: SoughtName): F & { readonly sought: SoughtName } {
  return { ...field, sought: by };
}

/** Events have less of it. */
export function reportedAs<F extends Field>(field: F, reported: (value: unknown) => unknown): F {
  return { ...field, reported };
}

/** Not stored: computed from the other fields. */
export function derived<S extends z.ZodType>(schema: S): Maybe<never> & Shown<S> & { readonly codec: 'derived' } {
  return { codec: 'derived', presence: 'maybe', shown: schema };
}
/** The typed fields of a record. */
export type Read<F extends Fields> = {
  readonly [N in keyof F as F[N] extends Field<unknown, 'sure'> ? N : never]: F[N] extends Field<infer V> ? V : never;
} & {
  readonly [N in keyof F as F[N] extends { readonly codec: 'derived' }
    ? never
    : F[N] extends Field<unknown, 'sure'>
      ? never
      : N]?: F[N] extends Field<infer V> ? V : never;
};

/** Additional inputs of a view. `history` is read from the evidence of every record. */
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
