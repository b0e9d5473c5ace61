/** The format of events. Readers must ignore unknown fields. */
import { z } from 'zod';

export interface EventDeclaration {
  /** One sentence about the new state. */
  readonly says: string;
  /** `data` of an example, without its id and its state. */
  readonly example: Readonly<Record<string, unknown>>;
  /** If the state differs from the type's name. */
  readonly state?: string;
}

/** By `<kind>.<state>`. Undeclared types are never emitted. */
type Types = Readonly<Record<string, EventDeclaration>>;

export interface EventsOf {
  readonly types: Types;
  readonly data: z.ZodObject;
  /** Fields copied from the record, in this order. */
  readonly carries?: readonly string[];
}

type StateOfType<T extends Types, Name extends keyof T> = T[Name] extends { readonly state: infer S extends string }
  ? S
  : Name extends `${string}.${infer S}`
    ? S
    : never;
type StateIn<T extends Types> = { [Name in keyof T]: StateOfType<T, Name> }[keyof T];

/** Event fields of several kinds. */
export const told = {
  reference: z.string().optional().meta({ description: 'The name that the caller gave it.' }),
  metadata: z.record(z.string(), z.string()).optional().meta({ description: 'The data that the caller gave it.' }),
  reason: z.string().optional().meta({ description: 'Why, as a word for programs.' }),
  note: z.string().optional().meta({ description: 'The reason that a person gave for the decision.' }),
  rejectedBy: z.string().optional().meta({ description: 'The key of the person who refused to approve it.' }),
  xof: z.int().meta({ description: 'Whole XOF.' }),
  late: z
    .boolean()
    .optional()
    .meta({ description: 'It came after we had given up on it: another word was told before.' }),
  resolvedBy: z.string().optional().meta({ description: 'The key of the person who resolved it.' }),
  failure: z.string().optional().meta({ description: 'What the provider said.' }),
};

interface Carried<C, M> {
  /** Beside id and state, each of its events has these fields of the record; */
  readonly carries: C;
  /** and some events have these. */
  readonly more: M;
  readonly id?: string;
}

export function events<const T extends Types, C extends z.core.$ZodLooseShape, M extends z.core.$ZodLooseShape>(
  types: T,
  { carries, more, id = 'The id of the operation.' }: Carried<C, M>,
) {
  const data = z.looseObject({
    id: z.string().meta({ description: id }),
    state: z.enum(statesTold(types)),
    ...carries,
    ...more,
  });
  return { types, data, carries: Object.keys(carries) };
}

/** A state that differs from the type's name comes first. */
function statesTold<T extends Types>(types: T): StateIn<T>[] {
  const named = Object.entries(types).map(
    ([type, { state }]) => [state !== undefined, state ?? afterDot(type)] as const,
  );
  const inOrder = [...named.filter(([other]) => other), ...named.filter(([other]) => !other)];
  // The text after the dot, or its replacement, is the type StateIn, which the compiler cannot follow through a list.
  return inOrder.map(([, state]) => state) as StateIn<T>[];
}

const afterDot = (type: string): string => type.slice(type.indexOf('.') + 1);
