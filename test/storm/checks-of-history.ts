/** H1–H6: what must be true of PostgreSQL after a storm, and of what left Redis because of it. */
import type { Check } from './checks.ts';
import { newest, straddles, wasLost } from './eras.ts';
import { groupBy, sumOf } from './grouping.ts';
import type { RecipientRow, SeenCampaign, SeenHistory, Story } from './story.ts';

const CREDIT_XOF = 700;
/** What was asked for around a copy may be in it or not. */
const ASKED_AROUND_MS = 1_500;
const NOT_PAID = new Set(['failed', 'rejected', 'cancelled', 'reversed']);

function history(name: string, says: string, broken: (kept: SeenHistory, story: Story) => string[]): Check {
  return { name, says, broken: (story) => (story.history ? broken(story.history, story) : []) };
}

/**
 * A Redis that was put back begins again where its copy was, and history has what came of it in the time that was lost.
 * What a recovery leads on takes a revision that is higher than any of that time; what was over in the copy, and the
 * people of a slice, do not. Those may stand in history as they were last in the lost time, and then agree with the books.
 */
const isAhead = (row: { readonly rev: number }, rev: number, { restores }: Pick<Story, 'restores'>): boolean =>
  restores.length > 0 && row.rev > rev;

const keptOnce = history(
  'H1',
  'every operation that is over is in history once, as it was last, and so is every event; after a restore, as it was last in either time',
  ({ rows, standing, left, events, waiting }, story) => {
    const byId = groupBy(rows, ({ id }) => id);
    const current = new Map(newest(rows).map((row) => [row.id, row]));
    // What was lost, and was asked for again, was accepted once in each time.
    const atMost = 1 + story.restores.length;
    const twice = [...byId]
      .filter(([, all]) => all.length > atMost)
      .map(([id, all]) => `${id} has ${all.length} rows`);
    const absent = [...standing, ...left].filter(({ id }) => !byId.has(id)).map(({ id }) => `${id} is not there`);
    const otherwise = standing.flatMap(({ id, rev, state, createdAt }) => {
      const row = byId.get(id)?.find((one) => one.createdAt === createdAt) ?? current.get(id);
      if (!row || (row.rev === rev && row.state === state)) return [];
      if (isAhead(row, rev, story) && isTrue(row, story)) return [];
      return [`${id} is ${row.state} in its revision ${row.rev} there, and ${state} in ${rev} here`];
    });
    const last = new Map(story.events.map(({ data, type }) => [data.id, type.split('.')[1]]));
    const leftOtherwise = left.flatMap(({ id, state }) => {
      const words = new Set([state, current.get(id)?.state ?? state, last.get(id) ?? state]);
      return words.size === 1 ? [] : [`${id} left, and is called ${[...words].join(' and ')}`];
    });
    const told = groupBy(events, ({ operation, sequence }) => `${operation}.${sequence}`);
    const untold = story.events.filter(({ data, sequence }) => {
      const times = told.get(`${data.id}.${sequence}`)?.length ?? 0;
      return times < 1 || times > atMost;
    });
    return [
      ...twice,
      ...absent,
      ...otherwise,
      ...leftOtherwise,
      ...untold.map(({ id }) => `the event ${id} is there ${told.get(id)?.length ?? 0} times`),
      ...(waiting === 0 ? [] : [`${waiting} still wait to be copied`]),
    ];
  },
);

/** What the books of the service say of a payment, where they say anything. */
function isTrue({ id, state }: { readonly id: string; readonly state: string }, { asked, ledger }: Story): boolean {
  const disburseId = asked.find((one) => one.id === id)?.disburseId;
  if (disburseId === undefined) return true;
  const isPaid = ledger.some((entry) => entry.disburseId === disburseId && entry.effects > 0);
  if (state === 'succeeded' || state === 'reversed') return isPaid;
  return !NOT_PAID.has(state) || !isPaid;
}

const nothingLost = history(
  'H2',
  'what left Redis is in history, and left a stub; and something left. Of a time that was lost Redis need not know',
  ({ rows, standing, gone, stubs, returned, left }, story) => {
    const there = new Set(rows.map(({ id }) => id));
    const known = new Set([...standing, ...left].map(({ id }) => id));
    const unnamed = stubs - returned - gone.filter(({ stub }) => stub !== undefined).length;
    return [
      ...gone
        .filter(({ state, stub, createdAt }) => stub !== state && (stub !== undefined || !wasLost(story, createdAt)))
        .map(({ id, state, stub }) => `${id} is ${state} in history, not in Redis, and its stub says ${stub}`),
      ...(unnamed === 0 ? [] : [`${unnamed} stubs more than there are rows that left`]),
      ...left.filter(({ id }) => !there.has(id)).map(({ id }) => `${id} left, and is in no history`),
      ...story.asked
        .filter(({ acknowledged, id }) => acknowledged && !known.has(id) && !there.has(id))
        .map(({ id }) => `${id} is neither in Redis nor in history`),
      ...(left.length > 0 ? [] : ['nothing left: this says nothing']),
    ];
  },
);

/** Money that is gone at the service, of what relais is not in doubt about. */
const dayEqualsBooks = history(
  'H3',
  'relais.daily is what the books of the service say, to the franc',
  ({ rows, daily }, story) => {
    const { ledger, asked, credits } = story;
    const stateOf = new Map(newest(rows).map(({ id, state }) => [id, state]));
    const idOf = new Map(asked.map(({ disburseId, id }) => [disburseId, id]));
    const booked = ledger.filter(
      ({ status, disburseId = '', effects }) =>
        effects > 0 && status !== 'failed' && stateOf.get(idOf.get(disburseId) ?? '') !== 'needs_review',
    );
    const modes = new Set([...booked, ...daily].flatMap(({ withdrawMode }) => withdrawMode ?? []));
    const wrong = [...modes].flatMap((mode) => {
      const days = daily.filter(({ withdrawMode }) => withdrawMode === mode);
      const inSql = {
        count: sumOf(days, ({ succeeded, reversed }) => succeeded.count - reversed.count),
        xof: sumOf(days, ({ succeeded, reversed }) => succeeded.xof - reversed.xof),
      };
      const paid = booked.filter(({ withdrawMode }) => withdrawMode === mode);
      const inBooks = {
        count: sumOf(paid, ({ effects }) => effects),
        xof: sumOf(paid, ({ effects, amount }) => effects * amount),
      };
      return inSql.count === inBooks.count && inSql.xof === inBooks.xof
        ? []
        : [`${mode}: ${inSql.count} with ${inSql.xof} XOF in SQL, ${inBooks.count} with ${inBooks.xof} in the books`];
    });
    const notPaid = booked.filter(({ disburseId = '' }) =>
      NOT_PAID.has(stateOf.get(idOf.get(disburseId) ?? '') ?? ''),
    );
    const inDoubt = newest(rows).filter(
      ({ kind, state }) => kind === 'direct_credit' && state === 'needs_review',
    ).length;
    const [credited, xof] = [sumOf(daily, (day) => day.credited.count), sumOf(daily, (day) => day.credited.xof)];
    const made = sumOf(credits, ({ times }) => times);
    // The service keeps no reference of a credit: one that a copy forgot, and nobody asks for again, is nowhere.
    const forgotten = sumOf(credits, ({ askedAt, times }) =>
      straddles(story, askedAt, ASKED_AROUND_MS) ? times : 0,
    );
    const known = credited + inDoubt + forgotten;
    const creditsAgree = credited <= made && made <= known && xof === credited * CREDIT_XOF;
    return [
      ...wrong,
      ...notPaid.map(({ disburseId }) => `${disburseId} was paid, and is not so in SQL`),
      ...(creditsAgree
        ? []
        : [`${credited} credits with ${xof} XOF in SQL, ${made} in the books, ${inDoubt} in doubt`]),
    ];
  },
);

const everyRecipient = history(
  'H4',
  'every recipient of a campaign is in history once, in the state that the campaign tells: also who was left out, or cancelled',
  ({ recipients, slices }, story) => {
    const { campaigns, messages } = story;
    const revOf = new Map(slices.map(({ id, rev }) => [id, rev]));
    const got = new Set(messages.map(({ to, text }) => `${to} ${text}`));
    // As they were last in the time that was lost: then it is true, and no less is known of them.
    const wasTrue = (row: RecipientRow, { text }: SeenCampaign, to: string): boolean => {
      const rev = revOf.get(row.slice);
      if (rev === undefined || !isAhead(row, rev, story)) return false;
      const isSent = [...got].some((one) => one.startsWith(`${to} `) && one.includes(text));
      return row.state === 'unknown' || (row.state === 'sent') === isSent;
    };
    const bySlice = groupBy(recipients, ({ slice }) => slice);
    const old = slices.filter(({ id, rev, count }) => {
      const rows = bySlice.get(id) ?? [];
      return rows.length !== count || rows.some((row) => row.rev !== rev && !isAhead(row, rev, story));
    });
    const byPlace = groupBy(recipients, ({ campaign, row }) => `${campaign} ${row}`);
    const wrong = campaigns.flatMap((campaign) =>
      campaign.recipients.flatMap(({ row, state, to }) => {
        const rows = byPlace.get(`${campaign.id} ${row}`) ?? [];
        if (rows.length === 1 && rows.every((one) => one.state === state || wasTrue(one, campaign, to))) return [];
        const there = rows.map((one) => one.state).join(' and ') || 'nothing';
        return [`row ${row} of ${campaign.id} is ${state}, in SQL ${there}`];
      }),
    );
    return [...old.map(({ id }) => `the people of ${id} are not as they were last`), ...wrong];
  },
);

const identityTaken = history(
  'H5',
  'what left is asked for again: the same is a duplicate, another amount a conflict, and nobody is paid for it',
  ({ left }) =>
    left.flatMap(({ id, reference, state, again, readsThen, changed, paid, tokens }) => [
      ...(again.status === 202 && again.id === id
        ? []
        : [`${reference} was answered ${again.status} as ${again.id ?? 'nobody'}, and is ${id}`]),
      ...(changed === 409 ? [] : [`${reference} with another amount was answered ${changed}`]),
      ...(readsThen === state
        ? []
        : [`${id} was ${state}, and is ${readsThen ?? 'nothing'} since it was asked for again`]),
      ...(tokens.after === tokens.before ? [] : [`${id} had ${tokens.before} tokens, and has ${tokens.after}`]),
      ...(paid.after === paid.before ? [] : [`${id} was paid ${paid.before} times, and ${paid.after} afterwards`]),
    ]),
);

const readsById = history('H6', 'what left is read by its id, as it left', ({ left }) =>
  left
    .filter(({ state, reads }) => state !== reads)
    .map(({ id, state, reads }) => `${id} left as ${state}, and reads ${reads ?? 'as nothing'}`),
);

export const historyChecks: readonly Check[] = [
  keptOnce,
  nothingLost,
  dayEqualsBooks,
  everyRecipient,
  identityTaken,
  readsById,
];
