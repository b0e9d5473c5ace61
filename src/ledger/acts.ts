/** Acts of users in the audit log, written in the transaction of the change. */
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

/** Adds the line in the transaction of `run`. */
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

/** The parameter of statements that write the line themselves. If they write many lines, each has its own target. */
export function actToJson(act: Act): Readonly<Record<string, unknown>> {
  return { ...act };
}
