/** What a row says about its payment for people. It is part of the request, and the provider never gets it. */
import { z } from 'zod';
import { paymentDescription } from '../../kinds/request-pieces.ts';
import { type Problem, check } from '../problems.ts';

const schema = z.strictObject(paymentDescription);
export type Description = z.output<typeof schema>;

interface Described {
  /** The request without its description. */
  readonly asked: Readonly<Record<string, unknown>>;
  /** Absent: the row has none. */
  readonly description?: Description;
  readonly problems: readonly Problem[];
}

export function describedIn(request: Readonly<Record<string, unknown>>): Described {
  const { payeeName, purpose, metadata, ...asked } = request;
  if (payeeName === undefined && purpose === undefined && metadata === undefined) return { asked, problems: [] };
  const { data, problems } = check(schema, { payeeName, purpose, metadata });
  if (problems) return { asked, problems };
  // A field that is absent is no part of the request.
  const description: Description = Object.fromEntries(
    Object.entries(data).filter(([, value]) => value !== undefined),
  );
  return { asked, description, problems: [] };
}
