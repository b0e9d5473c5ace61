/** P1–P11 and P13: properties of money after a storm, from the provider's records and the wire. */
import type { Check } from './checks.ts';
import { eraOf, perDisbursement, sinceRestore, straddles } from './eras.ts';
import { groupBy, pairsOf, sumOf } from './grouping.ts';
import type { SeenEvent, SeenRecord, Story } from './story.ts';

const NOT_PAID = new Set(['failed', 'rejected', 'cancelled']);
const ENDED = new Set([...NOT_PAID, 'succeeded', 'reversed']);
/** Allowed events after a final one, when a late status arrives. */
const LATE_WORDS = new Set(['failed succeeded', 'succeeded reversed', 'failed succeeded reversed']);
const AT_REST = new Set([...ENDED, 'needs_review']);
const SENDS_MAX = 3;

/** Effects by disburse_id, summed for all records. */
export function effectsById({ ledger }: Pick<Story, 'ledger'>): (disburseId: string) => number {
  const heaps = groupBy(ledger, ({ disburseId }) => disburseId ?? '');
  return (disburseId) => sumOf(heaps.get(disburseId) ?? [], ({ effects }) => effects);
}

/** Without returned money: the provider took it and returned it with its `failed`. */
function keptById(story: Story): (disburseId: string) => number {
  return effectsById({ ...story, ledger: story.ledger.filter(({ status }) => status !== 'failed') });
}

const eventsById = ({ events }: Pick<Story, 'events'>): Map<string, SeenEvent[]> =>
  groupBy(
    events.filter(({ type }) => type.startsWith('disbursement.')),
    ({ data }) => data.id,
  );

const stateOf = ({ type }: SeenEvent): string => type.split('.')[1] ?? '';

const neverPaidTwice: Check = {
  name: 'P1',
  says: 'nobody was paid twice',
  broken: (story) => {
    const effects = effectsById(story);
    const ids = [...new Set(story.ledger.flatMap(({ disburseId }) => disburseId ?? []))];
    // A token without a disburse_id is still a payment.
    const nameless = story.ledger.filter((paid) => paid.disburseId === undefined && paid.effects > 1);
    return [
      ...ids.filter((id) => effects(id) > 1).map((id) => `${id} was paid ${effects(id)} times`),
      ...nameless.map((paid) => `token ${paid.token} was paid ${paid.effects} times`),
    ];
  },
};

const paidAsAsked: Check = {
  name: 'P2',
  says: 'every payment was asked for: one record, the same beneficiary, amount and mode',
  broken: ({ ledger, records, asked }) => {
    const byId = groupBy(records, ({ disburseId }) => disburseId);
    const unasked = ledger
      .filter(({ effects }) => effects > 0)
      .flatMap((paid) => {
        const [record, second] = byId.get(paid.disburseId ?? '') ?? [];
        if (!record || second) return [`token ${paid.token} was paid for ${record ? 'two records' : 'no record'}`];
        const same =
          record.amount === paid.amount &&
          record.accountAlias === paid.accountAlias &&
          record.withdrawMode === paid.withdrawMode;
        return same ? [] : [`${record.id} was asked as ${describe(record)} and paid as ${describe(paid)}`];
      });
    const changed = asked.flatMap(({ reference, changedRequestStatus: status }) =>
      status === undefined || status === 409 ? [] : [`${reference} with another amount was answered ${status}`],
    );
    return [...unasked, ...changed];
  },
};

const describe = (payment: { amount: number; accountAlias: string; withdrawMode: string }): string =>
  `${payment.amount} to ${payment.accountAlias} by ${payment.withdrawMode}`;

const succeededIsPaid: Check = {
  name: 'P3',
  says: 'whatever is reported as succeeded was paid once and announced once',
  broken: (story) => {
    const events = eventsById(story);
    const effects = keptById(story);
    const reversed = story.records.filter(({ state }) => state === 'reversed');
    const unfounded = reversed.filter(({ disburseId }) => effects(disburseId) > 0);
    const succeeded = story.records
      .filter(({ state }) => state === 'succeeded')
      .flatMap(({ id, disburseId }) => {
        const told = new Set(
          (events.get(id) ?? []).filter(({ type }) => type === 'disbursement.succeeded').map((e) => e.id),
        );
        return [
          ...(effects(disburseId) === 1 ? [] : [`${id} succeeded and was paid ${effects(disburseId)} times`]),
          ...(told.size === 1 ? [] : [`${id} succeeded and was announced ${told.size} times`]),
        ];
      });
    return [...succeeded, ...unfounded.map(({ id }) => `${id} is reversed and the provider kept it`)];
  },
};

const notPaidIsNotPaid: Check = {
  name: 'P4',
  says: 'whatever is reported as failed, rejected or cancelled was not paid',
  broken: (story) => {
    const effects = keptById(story);
    return story.records
      .filter(({ state, disburseId }) => NOT_PAID.has(state) && effects(disburseId) > 0)
      .map(({ id, state }) => `${id} is ${state} and was paid`);
  },
};

const neverLost: Check = {
  name: 'P5',
  says: 'everything that was acknowledged has one record, and it has ended or waits for a person',
  broken: ({ asked, records }) => {
    const byId = groupBy(records, ({ id }) => id);
    return asked.flatMap(({ reference, id, acknowledged, answeredIds, cancelledAt }) => {
      const [record] = byId.get(id) ?? [];
      // Cancelled, and then lost in a restore: no caller waits for it.
      if (cancelledAt !== undefined && !record) return [];
      if (!acknowledged) return [`${reference} was never acknowledged`];
      if (answeredIds.some((answered) => answered !== id))
        return [`${reference} was answered as ${answeredIds.join(' and ')}`];
      if (!record) return [`${reference} was acknowledged and is lost`];
      return AT_REST.has(record.state) ? [] : [`${id} is still ${record.state}`];
    });
  },
};

const reviewHasEvidence: Check = {
  name: 'P6',
  says: 'whatever needs review has its token, its sends, what was answered last, and was announced once',
  broken: (story) => {
    const events = eventsById(story);
    return story.records
      .filter(({ state }) => state === 'needs_review')
      .flatMap((record) => {
        const told = (events.get(record.id) ?? []).filter(({ type }) => type === 'disbursement.needs_review').length;
        return [
          ...missingEvidence(record).map((what) => `${record.id} needs review without ${what}`),
          ...(told === 1 ? [] : [`${record.id} needs review and was announced ${told} times`]),
        ];
      });
  },
};

/** Reasons of a review without a send. */
const UNSENT = new Set(['disburse_id_used', 'restored', 'token_collision']);

function missingEvidence({ token, history, reason }: SeenRecord): string[] {
  if (UNSENT.has(reason ?? '')) return history.length > 0 ? [] : ['any evidence'];
  const has = (operation: string): boolean => history.some((line) => line.operation === operation);
  return [
    ...(token ? [] : ['its token']),
    ...(reason ? [] : ['a reason']),
    ...(has('submit') ? [] : ['the times of its sends']),
    ...(has('status') ? [] : ['a last look']),
  ];
}

const durableBeforeEffect: Check = {
  name: 'P7',
  says: 'before a submit left, its committed row already said so',
  broken: (story) =>
    perDisbursement(story).flatMap(([disburseId, sent]) =>
      sent.flatMap(({ at, image, token }, index) => {
        if (!image || straddles(story, at, story.rules.lockMs)) return [];
        if (image.token !== token) return [`${disburseId} was sent with a token that its record did not have`];
        return image.sends > index
          ? []
          : [
              `${disburseId} was sent ${index + 1} times while its record said ${image.sends}${sinceRestore(story, sent[0]?.at ?? 0)}`,
            ];
      }),
    ),
};

const oneToken: Check = {
  name: 'P8',
  says: 'every submit carried the disburse_id of its record, and always the same token',
  broken: (story) => {
    const known = new Set(story.asked.map(({ disburseId }) => disburseId));
    return perDisbursement(story).flatMap(([disburseId, sent]) => {
      const tokens = new Set(sent.map(({ token }) => token));
      return [
        ...(known.has(disburseId) ? [] : [`a submit carried the unknown id ${disburseId || '(none)'}`]),
        ...(tokens.size === 1
          ? []
          : [`${disburseId} was submitted with ${tokens.size} tokens${sinceRestore(story, sent[0]?.at ?? 0)}`]),
      ];
    });
  },
};

const fewSubmits: Check = {
  name: 'P9',
  says: 'at most one submit in strict; at most three, each of them written down, in resubmit',
  broken: (story) => {
    const byId = groupBy(story.records, ({ disburseId }) => disburseId);
    const most = story.rules.mode === 'strict' ? 1 : SENDS_MAX;
    const eras = story.restores.length;
    return perDisbursement(story).flatMap(([disburseId, sent]) => {
      const [record] = byId.get(disburseId) ?? [];
      const last = eras === 0 || eraOf(story, sent[0]?.at ?? 0) === eras;
      const intended = record && last && !record.historyDropped ? intents(record) : Number.POSITIVE_INFINITY;
      return [
        ...(sent.length <= most ? [] : [`${disburseId} was submitted ${sent.length} times`]),
        ...(sent.length <= intended
          ? []
          : [
              `${disburseId} was submitted ${sent.length} times, intended ${intended}${sinceRestore(story, sent[0]?.at ?? 0)}`,
            ]),
      ];
    });
  },
};

const intents = ({ history }: SeenRecord): number =>
  history.filter(({ operation, code }) => operation === 'submit' && code === 'intended').length;

const lookedBetween: Check = {
  name: 'P10',
  says: 'between two submits lies a `created` that was asked for after the quiet period',
  broken: (story) => {
    const { rules, looks } = story;
    const byToken = groupBy(looks, ({ token }) => token);
    return perDisbursement(story).flatMap(([disburseId, sent]) =>
      pairsOf(sent).flatMap(([first, second]) => {
        const end = Math.min(first.endedAt || Number.POSITIVE_INFINITY, first.at + rules.patienceMs);
        const asked = (byToken.get(first.token) ?? []).some(
          ({ at, status }) => status === 'created' && at >= end + rules.quietMs && at < second.at,
        );
        return asked ? [] : [`${disburseId} was submitted again ${Math.round(second.at - end)} ms later, unasked`];
      }),
    );
  },
};

const toldInOrder: Check = {
  name: 'P11',
  says: 'the events of an operation are numbered without a repeat, and only a late truth follows a last word',
  broken: (story) =>
    [...eventsById(story)].flatMap(([id, told]) => {
      const falls = pairsOf(told).filter(([first, second]) => second.sequence <= first.sequence);
      const words = told.map(stateOf).filter((state) => ENDED.has(state) || state === 'needs_review');
      // Reviewed payments are reported again.
      const parts = words
        .join(' ')
        .split('needs_review')
        .map((part) => part.trim());
      const wrong = parts.filter((part) => part.includes(' ') && !LATE_WORDS.has(part));
      return [
        ...(falls.length === 0 ? [] : [`${id} has events out of order`]),
        ...wrong.map((part) => `${id} ended more than once: ${part}`),
      ];
    }),
};

const sumsAgree: Check = {
  name: 'P13',
  says: 'what was accepted is the sum of its states, in records, events, metrics and daily reports alike',
  broken: ({ asked, records, events, counted, reportedXof }) => {
    const byState = groupBy(records, ({ state }) => state);
    const countOf = (state: string): number => byState.get(state)?.length ?? 0;
    const states = new Set([...byState.keys(), ...Object.keys(counted)]);
    const metrics = [...states].filter((state) => countOf(state) !== (counted[state] ?? 0));
    const lastWords = groupBy(
      [...eventsById({ events })].flatMap(
        ([, told]) => told.map(stateOf).findLast((state) => ENDED.has(state)) ?? [],
      ),
      (state) => state,
    );
    const paidXof = sumOf(byState.get('succeeded') ?? [], ({ amount }) => amount);
    const told = [...ENDED].filter((state) => (lastWords.get(state)?.length ?? 0) !== countOf(state));
    return [
      ...(records.length === asked.length ? [] : [`${asked.length} were asked for, ${records.length} have a record`]),
      ...metrics.map((state) => `${countOf(state)} records are ${state}, the metrics say ${counted[state] ?? 0}`),
      ...told.map((state) => `${countOf(state)} records are ${state}, the events say otherwise`),
      ...(reportedXof === paidXof ? [] : [`${paidXof} XOF succeeded, the daily reports show ${reportedXof}`]),
    ];
  },
};

export const paymentChecks: readonly Check[] = [
  neverPaidTwice,
  paidAsAsked,
  succeededIsPaid,
  notPaidIsNotPaid,
  neverLost,
  reviewHasEvidence,
  durableBeforeEffect,
  oneToken,
  fewSubmits,
  lookedBetween,
  toldInOrder,
  sumsAgree,
];
