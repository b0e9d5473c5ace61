/** Acts of people as the audit log records them: written in the transaction of what they did. */
import type { Act } from '../operations/act.ts';
import type { Run } from './pool.ts';

export type { Act } from '../operations/act.ts';

/** Facts that only the store knows. */
export type Known = Pick<Act, 'before' | 'facts'>;

/** The act as an entry point describes it, with the facts that the store adds. */
export function actOf(asked: Act, { before, facts }: Known = {}): Act {
  const all = { ...facts, ...asked.facts };
  return {
    ...asked,
    ...(before === undefined ? {} : { before }),
    facts: Object.keys(all).length === 0 ? undefined : all,
  };
}

/** Adds the line, in the transaction that `run` belongs to. */
export async function noteAct(run: Run, act: Act, now?: Date): Promise<void> {
  const { by, person, role, source, target, requestId, before, facts } = act;
  await run('note_act', [
    by,
    person,
    role,
    source,
    act.act,
    target,
    requestId,
    facts ?? null,
    now ?? null,
    before ?? null,
  ]);
}

/** As statements take it that write the line themselves. Those of many lines have a target for each. */
export function actToJson(act: Act): Readonly<Record<string, unknown>> {
  return { ...act };
}
