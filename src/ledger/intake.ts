/**
 * Judges requests that SQL clients enqueued. Workers poll for them: a `NOTIFY` in the caller's transaction would lock
 * the whole server at its commit. Rows are taken by state, so a caller with a long transaction delays only its own
 * requests.
 *
 * A worker may die between the acceptance of a request and the update of its row. The row is then taken again, and
 * the recorded request is found instead of accepted twice.
 */
import type { z } from 'zod';
import { type AskedKind, operations } from '../kinds/index.ts';
import type { Rejection } from '../kinds/intake.ts';
import { identityText } from '../kinds/request-pieces.ts';
import { derivedId } from '../lib/ids.ts';
import { redacted, masked } from '../queues/rejection.ts';
import { LedgerClosed } from './errors.ts';
import type { Database } from './pool.ts';
import type { Message } from '../messages/message.ts';
import { textOf } from '../messages/texts.ts';

type Answer =
  | { readonly outcome: 'accepted' | 'duplicate'; readonly id: string }
  | { readonly outcome: 'conflict'; readonly existingId: string; readonly differs: readonly string[] }
  | {
      readonly outcome: 'invalid';
      readonly problems: readonly { readonly pointer: string; readonly message: Message }[];
    };

/** The caller, and the identity besides the reference. */
export interface Enqueued {
  readonly idempotencyKey: string | undefined;
  /** `sql:<session user>`. */
  readonly by: string;
}

interface IntakeOptions {
  readonly database: Database;
  readonly environment: string;
  /** One function per kind: the schemas, rules and limits of every other entry point. */
  readonly accept: Readonly<Record<AskedKind, (request: unknown, asked: Enqueued) => Promise<Answer>>>;
  readonly leaseMs: number;
  /** Receives the error of one request, which is judged again after its lease. */
  readonly onError: (error: unknown) => void;
  readonly onRejected?: (rejection: { readonly kind: string }) => void;
}

interface Taken {
  readonly number: string;
  readonly id: string;
  readonly kind: AskedKind;
  readonly account: string;
  readonly idempotency_key: string | null;
  readonly request: Readonly<Record<string, unknown>>;
  readonly client: string;
  readonly version: number;
}

interface Refusal {
  readonly existingId?: string;
  readonly problems: Rejection['problems'];
}

export class Intake {
  readonly #options: IntakeOptions;

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** Judges up to `most` requests. Returns how many it took: fewer than `most` means that no other waits. */
  async run(most: number, now?: Date): Promise<number> {
    const { database, leaseMs, onError } = this.#options;
    const taken = await database.run<Taken>('take_intake', [most, leaseMs, now ?? null]);
    if (taken.length === 0) return 0;
    const accepted: string[] = [];
    const judging = taken.map(async (row) => {
      const refusal = await this.#judge(row);
      if (refusal === undefined) accepted.push(row.number);
      else await this.#reject(row, refusal);
    });
    const judged = await Promise.allSettled(judging);
    if (accepted.length > 0) await database.run('accept_intake', [accepted, now ?? null]);
    for (const one of judged) {
      // A recovery began after the rows were taken: they wait until it ends.
      if (one.status === 'rejected' && !(one.reason instanceof LedgerClosed)) onError(one.reason);
    }
    return taken.length;
  }

  /** Undefined: accepted. */
  async #judge({ id, kind, account, idempotency_key: key, request, client }: Taken): Promise<Refusal | undefined> {
    const idempotencyKey = key ?? undefined;
    if (this.#idOf(kind, account, key ?? request['reference']) !== id) return { problems: [OTHER_SPELLING] };
    const asked = { ...request, account };
    const answer = await this.#options.accept[kind](asked, { idempotencyKey, by: client });
    if (answer.outcome === 'invalid') {
      return { problems: answer.problems.map(({ pointer, message: said }) => ({ pointer, message: textOf(said) })) };
    }
    return answer.outcome === 'conflict' ? conflictWith(answer) : undefined;
  }

  /** The caller has the id that SQL derived: a request is never accepted under another id. */
  #idOf(kind: AskedKind, account: string, name: unknown): string | undefined {
    const { data } = identity.safeParse(name);
    if (data === undefined) return undefined;
    return derivedId(operations[kind].prefix, this.#options.environment, account, kind, data);
  }

  async #reject(row: Taken, { existingId, problems }: Refusal): Promise<void> {
    const { number, version, kind, request } = row;
    const { reference } = request;
    const named = typeof reference === 'string' ? masked(reference) : null;
    const event = derivedId('rej', 'sql', number, String(version));
    const values = [number, version, event, named, existingId, JSON.stringify(redacted(problems)), null];
    const rejected = await this.#options.database.run('reject_intake', values);
    if (rejected.length > 0) this.#options.onRejected?.({ kind });
  }
}

/** The maximum length of a header; the schema of each kind limits its reference. */
const identity: z.ZodType<string> = identityText(300);

const OTHER_SPELLING = {
  pointer: '/reference',
  message: 'must be a name whose characters can all be seen, without spaces around it',
};

function conflictWith({ existingId, differs }: Extract<Answer, { outcome: 'conflict' }>): Refusal {
  const other = differs.length === 0 ? '' : `; not the same: ${differs.join(', ')}`;
  const message = `conflict: already used by another request, ${existingId}${other}`;
  return { existingId, problems: [{ pointer: '/reference', message }] };
}
