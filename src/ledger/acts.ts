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
  /** No phone number, SMS text or secret. */
  readonly facts?: Readonly<Record<string, unknown>> | undefined;
}

/** Adds the line, in the transaction that `run` belongs to. */
export async function noteAct(run: Run, act: Act, now?: Date): Promise<void> {
  const { by, person, role, source, target, requestId, facts } = act;
  await run('note_act', [by, person, role, source, act.act, target, requestId, facts ?? null, now ?? null]);
}

/** As statements take it that write many lines, each with a target of its own. */
export function actToJson({
  by,
  person,
  role,
  source,
  requestId,
  act,
  facts,
}: Act): Readonly<Record<string, unknown>> {
  return { by, person, role, source, requestId, act, facts };
}
