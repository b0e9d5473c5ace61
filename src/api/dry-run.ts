/** `?dryRun=true`: what is asked for is judged by the same rules as ever, and nothing is written. */
import { z } from 'zod';
import type { Answer } from '../producer/acceptance.ts';
import { type ApiContext, takeAnswer } from './context.ts';
import { text } from './openapi/answers-shared.ts';
import { answer, flag } from './openapi/pieces.ts';
import { type AnyAsked, Reply } from './route.ts';

export const dryRunQuery = { dryRun: flag.meta({ description: 'Judge it by every rule, and write nothing.' }) };

const judged = z
  .looseObject({
    dryRun: z.literal(true),
    outcome: z.enum(['sound', 'duplicate']).meta({ description: '`duplicate`: it was accepted before.' }),
    id: text('dsb_0f6c8d4b2a1e49578c3d').meta({ description: 'The id that it has, or would have.' }),
    state: text('queued').meta({ description: 'The state that it is in, or would begin in.' }),
    warnings: z.array(z.string()).meta({ description: 'What looks wrong, and is no reason to refuse.' }),
  })
  .meta({ id: 'DryRun' });

export const JUDGED = answer(
  'With `dryRun`: sound, and nothing was written. What is not sound is refused as ever.',
  judged,
);

/** The one that judges alone, where that is asked for. */
export function acceptanceFor({ context: { acceptance }, query, act }: Asked) {
  return query.dryRun ? acceptance.dryRun() : acceptance.actingAs(act());
}

export function collectFor({ context: { collect }, query, act }: Asked) {
  return query.dryRun ? collect.dryRun() : collect.actingAs(act());
}

interface Asked extends Pick<AnyAsked, 'act'> {
  readonly context: Pick<ApiContext, 'acceptance' | 'collect'>;
  readonly query: { readonly dryRun: boolean };
}

/** Refused as it would have been, or what would have been answered. */
export function judgedAs(given: Answer, warnings: readonly string[] = []) {
  const { id, state, outcome } = takeAnswer(given);
  return new Reply(200, {
    dryRun: true as const,
    outcome: outcome === 'accepted' ? 'sound' : outcome,
    id,
    state,
    warnings,
  });
}
