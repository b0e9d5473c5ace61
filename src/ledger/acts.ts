/** Acts of people as the audit log records them: written in the transaction of what they did. */
import type { Run } from './pool.ts';

export interface Act {
  /** Name of the API key, or `sql:<role>`. */
  readonly by: string;
  /** The person or service behind the key; empty: unknown. */
  readonly person: string;
  readonly role: string;
  /** Entry point. */
  readonly source: 'api' | 'console' | 'link' | 'settings' | 'sql' | 'intake';
  readonly requestId: string;
  readonly act: string;
  readonly target: string;
  /** State before the act. No phone number, SMS text or secret, here and in `facts`. */
  readonly before?: Readonly<Record<string, unknown>> | undefined;
  /** State after the act. */
  readonly facts?: Readonly<Record<string, unknown>> | undefined;
}

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
