/** Creation while the caller waits: record first, then provider, then answer. A repeated request continues. */
import { queueOf } from '../kinds/index.ts';
import type { RecordOf } from '../operations/record.ts';
import type { Tried } from '../processors/attempt.ts';
import type { MoneyContext } from '../processors/context.ts';
import type { Answer } from '../producer/acceptance.ts';
import { requireAsked } from './collect-resolve.ts';
import { type ApiContext, findRecord, takeAnswer } from './context.ts';
import { ApiProblem } from './problem.ts';
import { type AnyAsked, Reply, replayed } from './route.ts';
import { problemOfCode, upstreamProblem } from './upstream-problem.ts';
import { message } from '../messages/message.ts';

export const WHILE_WAITING =
  'relais calls the provider during the request: 502 and 504 name the stored record. Repeat the same request to ' +
  'continue with it (202 while another process works on it).';

type Created = 'invoice' | 'payment_request';

type Advance = (id: string, processing: MoneyContext) => Promise<Tried>;
type Asked = Pick<AnyAsked, 'context' | 'key' | 'response'>;

interface Creation<K extends Created, View> {
  readonly kind: K;
  /** The answer of the acceptance. */
  readonly answer: Answer;
  readonly advance: Advance;
  readonly view: (record: RecordOf[K]) => View;
}

export async function createWhileWaiting<K extends Created, View>(
  { context, key, response }: Asked,
  { kind, answer, advance, view }: Creation<K, View>,
): Promise<Reply<201 | 202, View>> {
  const { id, state, outcome } = takeAnswer(answer);
  replayed(response, outcome === 'duplicate');
  const tried = state === 'creating' ? await advance(id, context.processing) : undefined;
  const record = await findRecord(context, key, kind, id);
  const unmade = unmadeOf(record, tried);
  if (unmade) throw unmade;
  return new Reply(record.state === 'creating' ? 202 : 201, view(record));
}

/** Why there is no result; undefined: there is one, or another attempt is running. */
function unmadeOf(record: RecordOf[Created], tried: Tried | undefined): ApiProblem | undefined {
  if (record.publishedAt !== undefined) return undefined;
  const { id, state } = record;
  const creating = state === 'creating';
  if (tried?.failure) return upstreamProblem(tried.failure, { id, state, retryable: creating });
  if (creating) return undefined;
  const failure = record.failure;
  return problemOfCode(record.reason ?? '', {
    id,
    state,
    retryable: false,
    ...(failure ? { message: failure } : {}),
  });
}

interface Look<R> {
  readonly record: R;
  readonly again: () => Promise<R>;
  readonly advance: Advance;
}

/** Checks the status now, for a caller that does not want to wait for the next poll. */
export async function lookWhileWaiting<R extends RecordOf[Created]>(
  context: ApiContext,
  { record: { id, state, publishedAt }, again, advance }: Look<R>,
): Promise<R> {
  if (publishedAt === undefined) {
    throw new ApiProblem('wrong-state', message('no_check_needed', { state }), { state });
  }
  const tried = await advance(id, context.processing);
  const record = await again();
  if (tried.failure) throw upstreamProblem(tried.failure, { id, state: record.state, retryable: true });
  // A finished operation needs no check.
  if (queueOf(record.kind, record.state) !== undefined) requireAsked(record.state, tried);
  return record;
}
