/** P12, P14 and P15: leaks, durations of attempts, and reviews. */
import { places } from './canaries.ts';
import type { Check } from './checks.ts';
import { groupBy } from './grouping.ts';
import type { SeenLook, SeenRecord, Story } from './story.ts';

const nothingLeaks: Check = {
  name: 'P12',
  says: 'no key, secret, bearer or code of a payer stands anywhere; no telephone number in a log, a metric or an event',
  broken: ({ canaries: { leaks, searched, used } }) => [
    ...leaks.map(
      ({ what, place }) =>
        `${what} stands in ${place === 'Redis' || place === 'PostgreSQL' ? place : `the ${place}`}`,
    ),
    ...places.filter((place) => searched[place] === 0).map((place) => `nothing was searched of ${place}`),
    ...['a one-time code', 'a bearer token']
      .filter((what) => !used.includes(what))
      .map((what) => `${what} was never used, so it could not leak`),
  ],
};

/**
 * An attempt stops starting requests after a quarter of its lock, and waits as long again for its sent request.
 * Writing takes time on a busy machine; a margin before the end of the lock remains.
 */
const attemptsEnd: Check = {
  name: 'P14',
  says: 'no attempt took longer than three quarters of its lock, unless its process stood still or PostgreSQL was away',
  broken: ({ attempts, rules: { lockMs, slowness } }) => [
    ...(attempts.count > 0 ? [] : ['no attempt was told of']),
    ...attempts.long
      .filter(({ durationMs, darkMs, stoodStill }) => !stoodStill && durationMs - darkMs > lockMs * 0.75 * slowness)
      .map(
        ({ worker, queue, id, settlement, durationMs, darkMs }) =>
          `${id} in ${queue} took ${worker} ${durationMs} ms, ${darkMs} of them without PostgreSQL: ${settlement}`,
      ),
  ],
};

/** Reasons after which no automatic step is left, by mode; each is proved by the recorded wire traffic. */
const ENDS_OF_THE_ROAD: Readonly<Record<Story['rules']['mode'], readonly string[]>> = {
  resubmit: ['sent_three_times', 'disburse_id_used'],
  strict: ['never_executed', 'disburse_id_used'],
};
/** Reasons based on statuses, or on missing ones: the recorded status checks must confirm them. */
const BY_WORDS = new Set([
  'unidentified',
  'contradicted',
  'mismatch_token',
  'mismatch_disburse_id',
  'mismatch_amount',
]);
/** Nothing was sent, or no record of it exists. */
const BEFORE_A_SEND = new Set(['restored', 'token_collision']);
const SENDS_MAX = 3;

const reviewIsTheEnd: Check = {
  name: 'P15',
  says: 'whatever needs review had no look left that would have settled it',
  broken: (story) => {
    const looks = groupBy(story.looks, ({ token }) => token);
    const books = groupBy(story.ledger, ({ token }) => token);
    return story.records
      .filter(({ state }) => state === 'needs_review')
      .flatMap((record) => {
        const { reason } = record;
        if (BEFORE_A_SEND.has(reason ?? '')) return unfounded(story, record);
        const heard = looks.get(record.token ?? '') ?? [];
        if (BY_WORDS.has(reason ?? '')) return heard.some((look) => isOdd(look, record)) ? [] : [unheard(record)];
        const created = (looks.get(record.token ?? '') ?? []).filter(({ status }) => status === 'created').length;
        const word = (books.get(record.token ?? '') ?? []).find(({ status }) => /^(success|failed)$/.test(status));
        return [
          ...(word ? [`${record.id} needs review although the provider says ${word.status}`] : []),
          ...unfinished(story, record, created).map((what) => `${record.id} needs review (${record.reason}) ${what}`),
        ];
      });
  },
};

/** `restored` needs a restore; two operations with one token need two that were given it. */
function unfounded({ restores }: Story, { id, reason }: SeenRecord): string[] {
  return reason === 'restored' && restores.length === 0 ? [`${id} needs review (restored) and nothing was`] : [];
}

const unheard = ({ id, reason }: SeenRecord): string => `${id} needs review (${reason}) and no answer was so`;

/** An answer that names another payment, is incomplete, or contradicts an earlier final status. */
const isOdd = ({ status, names }: SeenLook, { token, disburseId, amount }: SeenRecord): boolean =>
  status === 'failed' ||
  names?.token !== token ||
  names?.disburseId !== disburseId ||
  Number(names?.amount) !== amount;

function unfinished({ rules }: Story, { reason, history, historyDropped }: SeenRecord, created: number): string[] {
  if (!ENDS_OF_THE_ROAD[rules.mode].includes(reason ?? '')) return ['for a reason that leaves something to do'];
  const intents = history.filter(({ operation, code }) => operation === 'submit' && code === 'intended').length;
  const tooFew = reason === 'sent_three_times' && !historyDropped && intents < SENDS_MAX;
  return [
    ...(created >= 2 ? [] : [`after ${created} looks that said created`]),
    ...(tooFew ? [`after ${intents} sends`] : []),
  ];
}

export const runningChecks: readonly Check[] = [nothingLeaks, attemptsEnd, reviewIsTheEnd];
