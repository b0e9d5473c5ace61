/** GET /v1/explain/{id}: the explanation of any operation, with the current reason of its wait. */
import { queueOf, type Kind } from '../kinds/index.ts';
import { type BegunWith, closedFor, foreignTo, sentOnce } from '../processors/context.ts';
import { explainDisbursement, explainOther, explainReason } from '../operations/explain.ts';
import { explainBatch } from '../operations/explain-batch.ts';
import { progressOf } from '../producer/batch/report.ts';
import { explainCampaign, explainMessage } from '../operations/explain-texts.ts';
import type { Circumstances, Explanation, Standing } from '../operations/explanation.ts';
import type { RecordOf } from '../operations/record.ts';
import { type Language, languageAccepted } from '../messages/languages.ts';
import { failureOf } from '../provider/verdict.ts';
import { type ApiContext, recordFor } from './context.ts';
import type { ApiKey } from './keys.ts';
import { explanation } from './openapi/answers-operating.ts';
import { answer, route } from './route.ts';
import { ApiProblem } from './problem.ts';
import { message } from '../messages/message.ts';

/** The key, the operation, and the language of the answer. */
interface Asking {
  readonly context: ApiContext;
  readonly key: ApiKey;
  readonly language: Language;
}

type Teller<K extends Kind> = (record: RecordOf[K], asking: Asking) => Promise<Explanation>;

/** An unlisted kind is explained by its state and its evidence. */
const tellers: { readonly [K in Kind]?: Teller<K> } = {
  disbursement: async (record, asking) => explainDisbursement(record, await circumstancesOf(record, asking)),
  campaign: async (record, asking) => explainCampaign(record, await circumstancesOf(record, asking)),
  batch: async (record, asking) => {
    const states = await progressOf(record, asking.context.batches);
    return explainBatch(record, states, await circumstancesOf(record, asking));
  },
  message: async (record, asking) => explainMessage(record, await circumstancesOf(record, asking)),
};

const explain = route(
  {
    method: 'get',
    path: '/v1/explain/{id}',
    id: 'explain',
    cli: { name: 'explain', example: 'dsb_4n7q0c1w2e3r4t5y6z7a8b9c0d' },
    tag: 'Operating',
    summary: 'Explain an operation or a reason',
    description:
      'With its timeline and the next steps. In French when `Accept-Language` prefers it; `Content-Language` names ' +
      'the language.',
    role: 'read',
    scope: 'record',
    answers: { 200: answer('What happened, and what to do.', explanation) },
  },
  async ({ context, key, request, response, params: { id } }) => {
    const language = languageAccepted(request.get('accept-language')) ?? 'en';
    response.set({ 'Content-Language': language, Vary: 'Accept-Language' });
    const told = await toldOf(id, { context, key, language });
    if (told) return told;
    // The same text for an unknown id and for another account's, which must not be revealed.
    throw new ApiProblem('not-found', message('operation_not_found', { id: id.slice(0, 80) }));
  },
);

async function toldOf(id: string, asking: Asking): Promise<Explanation | undefined> {
  const telling = { failureOf, language: asking.language };
  if (!/^[\w.-]{1,80}$/.test(id)) return explainReason(id, telling);
  const kind = await asking.context.queries.kindOf(id);
  return kind === undefined ? explainReason(id, telling) : explainFor(kind, id, asking);
}

async function explainFor(kind: Kind, id: string, asking: Asking): Promise<Explanation | undefined> {
  const record = await recordFor(asking.context, asking.key, kind, id);
  return record && tell(kind, record, asking);
}

async function tell<K extends Kind>(kind: K, record: RecordOf[K], asking: Asking): Promise<Explanation> {
  const teller: Teller<K> | undefined = tellers[kind];
  return teller ? teller(record, asking) : explainOther(record, await circumstancesOf(record, asking));
}

async function circumstancesOf(
  record: Standing & BegunWith & { readonly account: string },
  { context, language }: Asking,
): Promise<Circumstances> {
  const { accounts, accountNames, processing, clock, queries, queues } = context;
  const queue = queueOf(record.kind, record.state, record.lane);
  // A process without keys cannot know.
  const keys = processing.account(record.account);
  const [holds, switches, dueAt] = await Promise.all([
    accounts.holdsOf(record.account),
    queues.list(),
    queue === undefined ? undefined : queries.dueAt(queue, record.id),
  ]);
  return {
    now: clock.now(),
    dueAt,
    holds,
    accountKnown: accountNames.includes(record.account),
    closed: closedFor(processing, sentOnce(record.kind, processing.policy)),
    foreign: keys?.fingerprint ? foreignTo(keys, record) : undefined,
    pausedQueues: switches.filter(({ paused }) => paused).map(({ name }) => name),
    failureOf,
    language,
  };
}

export const explainRoutes = [explain];
