/**
 * One decision for many disbursements that need review. The first request lists the selection with a name for exactly
 * these; the confirming request repeats the name. Each one passes the checks of a single decision and gets its own
 * audit line. The selection is not stored: after an interruption, the same request selects the rest.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { accountName, askedTime, identityText } from '../kinds/request-pieces.ts';
import { Sums } from '../kinds/batch-rows.ts';
import type { DisbursementRecord } from '../operations/record.ts';
import { wordAbout } from './collect-resolve.ts';
import { type ApiContext, findRecord } from './context.ts';
import { decideDisbursement } from './disbursements.ts';
import { accountsListed, requireNoRecovery, requireStill } from './gates.ts';
import type { ApiKey } from './keys.ts';
import { selection } from './openapi/answers-operating.ts';
import { ApiProblem, invalid, languageFor, membersOf } from './problem.ts';
import { type AnyAsked, json, Reply, route } from './route.ts';
import { message } from '../messages/message.ts';
import { says } from '../messages/schemas.ts';

/** Maximum per decision. Their ids are held in memory. */
const MOST = 10_000;
const PAGE = 500;
const AT_ONCE = 4;

const xof = z.int().min(0).optional();

const where = z
  .strictObject({
    reason: identityText(100).optional().meta({ example: 'restored', description: 'The reason for the review.' }),
    account: accountName.optional(),
    withdrawMode: identityText(64).optional(),
    batch: identityText(100).optional().meta({ description: 'Only rows of this payment batch.' }),
    createdFrom: askedTime.optional(),
    createdTo: askedTime.optional(),
    amountMin: xof,
    amountMax: xof,
  })
  .refine((filters) => Object.keys(filters).length > 0, says('needs_filter'))
  .meta({ description: 'All filters apply together; limits are inclusive.' });

const word = z
  .strictObject({
    where,
    ...wordAbout('disbursement'),
    confirm: z
      .strictObject({
        count: z.int().min(1).meta({ example: 412 }),
        selection: z.string().regex(/^[0-9a-f]{16}$/, says('earlier_value')),
      })
      .optional()
      .meta({
        description: 'The id of the selection, from the answer without `confirm`. Absent: nothing is decided.',
      }),
  })
  .meta({ id: 'SelectionResolution' });

type Word = z.output<typeof word>;

const LINE =
  '{"id":"dsb_0f6c8d4b2a1e49578c3d","outcome":"resolved","state":"failed","amount":25000}\n' +
  '{"id":null,"outcome":"done","resolved":1,"xof":25000,"refused":0}\n';

const resolveSelection = route(
  {
    method: 'post',
    path: '/v1/review/resolve',
    id: 'resolveSelection',
    fresh: true,
    cli: { name: 'review resolve', byHand: true },
    tag: 'Operating',
    summary: 'Resolve many disbursements that need review',
    description:
      'Without `confirm`, the answer gives the number and the amount by reason, and the id of the selection. With ' +
      '`confirm`, each disbursement is resolved as a single one is: relais asks the provider first, nobody decides on their own ' +
      `request, and the audit log has a line for each. A changed selection is refused (409). At most ${MOST} disbursements. ` +
      'After an interruption, repeat the request for the rest.',
    role: 'approve',
    scope: 'none',
    body: json(word),
    answers: {
      200: {
        says: 'Without `confirm`: the selection. With `confirm`: one streamed line for each disbursement; the last says `done`.',
        schema: selection,
        files: {
          'application/x-ndjson': {
            says: '`resolved`, or `refused` with its problem.',
            example: LINE,
          },
        },
      },
    },
    problems: ['wrong-state', 'recovering'],
  },
  async ({ context, key, body, act, response }) => {
    const { confirm, outcome } = body;
    if (confirm && outcome === 'resubmit') await requireNoRecovery(context, response);
    const { ids, ...told } = await choose(context, key, body);
    if (!confirm) return new Reply(200, { dryRun: true as const, ...told });
    if (confirm.count !== told.count || confirm.selection !== told.selection) {
      const { count, selection: now } = told;
      const detail = message('selection_changed', { reviewed: confirm.count, now: count });
      throw new ApiProblem('wrong-state', detail, { rule: 'content-changed', count, selection: now });
    }
    response.status(200).type('application/x-ndjson');
    try {
      await pipeline(Readable.from(decideAll(ids, { context, key, act, response, word: body })), response);
    } catch (error) {
      // The caller disconnected: no further one is started, and the rest is requested again.
      if (!response.destroyed) throw error;
    }
    return undefined;
  },
);

/** Newest first, page by page. */
async function choose(context: ApiContext, key: ApiKey, { where: asked, outcome }: Word) {
  const { createdFrom, createdTo, amountMin, amountMax, ...alike } = asked;
  const filters = {
    accounts: accountsListed(context, key, asked.account),
    states: ['needs_review'],
    createdFrom: createdFrom === undefined ? undefined : Date.parse(createdFrom),
    createdTo: createdTo === undefined ? undefined : Date.parse(createdTo),
    amountMin,
    amountMax,
  };
  const ids: string[] = [];
  const reasons = new Sums();
  const hash = createHash('sha256').update(outcome);
  let xofOfAll = 0;
  let after: string | undefined;
  do {
    const page = await context.queries.page('disbursement', { ...filters, after, limit: PAGE });
    for (const record of page.items) {
      if (!isAlike(record, alike)) continue;
      ids.push(record.id);
      hash.update(`\n${record.id}`);
      reasons.add(record.reason ?? '', record.amount);
      xofOfAll += record.amount;
    }
    if (ids.length > MOST)
      throw invalid([{ pointer: '/where', message: message('selects_too_many', { most: MOST }) }]);
    after = page.next;
  } while (after !== undefined);
  const name = hash.digest('hex').slice(0, 16);
  return { ids, count: ids.length, xof: xofOfAll, reasons: reasons.read(), selection: name };
}

function isAlike(
  record: DisbursementRecord,
  { reason, withdrawMode, batch }: Pick<Word['where'], 'reason' | 'withdrawMode' | 'batch'>,
): boolean {
  return (
    (reason === undefined || reason === record.reason) &&
    (withdrawMode === undefined || withdrawMode === record.withdrawMode) &&
    (batch === undefined || batch === record.batch)
  );
}

interface Deciding extends Pick<AnyAsked, 'key' | 'act' | 'response'> {
  readonly context: ApiContext;
  readonly word: Word;
}

interface Decided {
  readonly id: string;
  readonly outcome: 'resolved' | 'refused';
  readonly state?: string;
  readonly amount?: number;
  readonly problem?: object;
}

/** A few at a time; if the reader disconnects, it ends after those. */
async function* decideAll(ids: readonly string[], deciding: Deciding): AsyncGenerator<string> {
  let [resolved, xofResolved] = [0, 0];
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const decided = await Promise.all(ids.slice(from, from + AT_ONCE).map((id) => decide(id, deciding)));
    for (const { outcome, amount = 0 } of decided) {
      if (outcome !== 'resolved') continue;
      resolved += 1;
      xofResolved += amount;
    }
    yield decided.map((one) => `${JSON.stringify(one)}\n`).join('');
  }
  const last = { id: null, outcome: 'done', resolved, xof: xofResolved, refused: ids.length - resolved };
  yield `${JSON.stringify(last)}\n`;
}

async function decide(
  id: string,
  { context, key, act, response, word: { outcome, note } }: Deciding,
): Promise<Decided> {
  try {
    const record = await findRecord(context, key, 'disbursement', id);
    await turnOf(context, record.account);
    await requireStill(context, key);
    await decideDisbursement({ context, key, record, act, response }, { outcome, note });
    const { state, amount } = await findRecord(context, key, 'disbursement', id);
    return { id, outcome: 'resolved', state, amount };
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    const { kind } = error;
    return { id, outcome: 'refused', problem: { kind, ...membersOf(error, languageFor(response.req)) } };
  }
}

/** A single decision does not wait; many share the provider's rate with all other requests. */
async function turnOf({ processing, clock }: ApiContext, account: string): Promise<void> {
  const known = processing.account(account);
  if (!known) return;
  for (;;) {
    const turn = await processing.upstream.admit(known.upstream, 'payments', 'look');
    if (turn.admitted) return;
    await clock.sleep(turn.retryAfterMs);
  }
}

export const reviewSelectionRoutes = [resolveSelection];
