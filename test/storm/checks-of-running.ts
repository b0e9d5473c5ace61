/** P12, P14 and P15: what leaks, how long an attempt takes, and what is given to a person. */
import { places } from './canaries.ts';
import type { Check } from './checks.ts';
import { groupBy } from './grouping.ts';
import type { SeenRecord, Story } from './story.ts';

const nothingLeaks: Check = {
  name: 'P12',
  says: 'no key, secret, bearer or code of a payer stands anywhere; no telephone number in a log, a metric or an event',
  broken: ({ canaries: { leaks, searched, used } }) => [
    ...leaks.map(({ what, place }) => `${what} stands in ${place === 'Redis' ? place : `the ${place}`}`),
    ...places.filter((place) => searched[place] === 0).map((place) => `nothing was searched of ${place}`),
    ...['a one-time code', 'a bearer token']
      .filter((what) => !used.includes(what))
      .map((what) => `${what} was never used, so it could not leak`),
  ],
};

const attemptsEnd: Check = {
  name: 'P14',
  says: 'no attempt took longer than half of its lock, unless its process stood still',
  broken: ({ attempts, rules: { lockMs } }) => [
    ...(attempts.count > 0 ? [] : ['no attempt was told of']),
    ...attempts.long
      .filter(({ durationMs, stoodStill }) => !stoodStill && durationMs > lockMs / 2)
      .map(
        ({ worker, queue, id, settlement, durationMs }) =>
          `${id} in ${queue} took ${worker} ${durationMs} ms: ${settlement}`,
      ),
  ],
};

/** Reasons that leave nothing to be done by itself, by mode; each is proved by what was heard on the wire. */
const ENDS_OF_THE_ROAD: Readonly<Record<Story['rules']['mode'], readonly string[]>> = {
  resubmit: ['sent_three_times', 'disburse_id_used'],
  strict: ['never_executed', 'disburse_id_used'],
};
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
        const created = (looks.get(record.token ?? '') ?? []).filter(({ status }) => status === 'created').length;
        const word = (books.get(record.token ?? '') ?? []).find(({ status }) => /^(success|failed)$/.test(status));
        return [
          ...(word ? [`${record.id} needs review although the service says ${word.status}`] : []),
          ...unfinished(story, record, created).map((what) => `${record.id} needs review (${record.reason}) ${what}`),
        ];
      });
  },
};

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
