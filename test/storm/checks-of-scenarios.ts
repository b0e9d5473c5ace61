/** P16–P19 and S8: properties under late processes, outdated data, several people, and wrong statuses. */
import type { Check } from './checks.ts';
import { straddles } from './eras.ts';
import { groupBy } from './grouping.ts';
import type { SeenLook, SeenRecord, Story } from './story.ts';

/** Between the last check of the clock and the wire, plus our own reading of it. */
const ON_ITS_WAY_MS = 1_000;

const nothingLate: Check = {
  name: 'P16',
  says: 'nothing leaves after its lease or its expiry, whatever froze',
  broken: (story) => [...lateSubmits(story), ...lateCodes(story)],
};

function lateSubmits(story: Story): string[] {
  const { submits, rules } = story;
  return submits.flatMap(({ at, disburseId, image }) => {
    const late = image && image.ageMs > rules.sendWithinMs + ON_ITS_WAY_MS;
    if (!late || straddles(story, at, rules.lockMs)) return [];
    return [`${disburseId} left ${Math.round(image.ageMs)} ms after it was written down`];
  });
}

function lateCodes(story: Story): string[] {
  const ends = new Map(story.codes.map(({ text, expiresAt }) => [text, expiresAt]));
  return story.sends.flatMap(({ at, items }) =>
    items.flatMap(({ text }) => {
      const lateMs = at - (ends.get(text) ?? Number.POSITIVE_INFINITY);
      if (lateMs <= ON_ITS_WAY_MS) return [];
      return [`"${text}" left ${Math.round(lateMs)} ms after its end`];
    }),
  );
}

const notDoneAgain: Check = {
  name: 'P17',
  says: 'after a restore nothing that was done or cancelled is done again, and the operator is told',
  broken: (story) => [
    ...unnoticed(story),
    ...paidAfterCancel(story),
    ...sentAgain(story),
    ...story.credits
      .filter(({ times }) => times > 1)
      .map(({ accountAlias, times }) => `the credit to ${accountAlias} was made ${times} times`),
  ],
};

/** If nothing had left between backup and restore, no repeatable work was lost. */
function unnoticed({ restores, submits, sends }: Story): string[] {
  return restores
    .filter(({ recoveredAt }) => recoveredAt === undefined)
    .filter(({ copiedAt, restoredAt, noticedAt }) => {
      const left = [...submits, ...sends].some(({ at }) => at > copiedAt && at < restoredAt);
      return left || noticedAt !== undefined;
    })
    .map(({ how, noticedAt }) => `a copy was put in place (${how}) and relais ${noticedAt ? 'never ' : ''}went on`);
}

function paidAfterCancel({ asked, ledger }: Story): string[] {
  const books = groupBy(ledger, ({ disburseId }) => disburseId ?? '');
  return asked
    .filter(({ cancelledAt }) => cancelledAt !== undefined)
    .filter(({ disburseId }) => (books.get(disburseId) ?? []).some(({ effects }) => effects > 0))
    .map(({ id }) => `${id} was cancelled and paid`);
}

/**
 * Submits after a restore of payments that the provider executed before it. A caller's repeated request may repeat
 * one.
 */
function sentAgain(story: Story): string[] {
  const { restores, submits, ledger, asked } = story;
  const done = groupBy(
    ledger.filter(({ effects }) => effects > 0),
    ({ disburseId }) => disburseId ?? '',
  );
  const again = new Map(asked.map(({ disburseId, askedAgainAt = [] }) => [disburseId, askedAgainAt]));
  return restores.flatMap(({ restoredAt }) =>
    submits.flatMap(({ at, disburseId }) => {
      const before = (done.get(disburseId) ?? []).some(
        ({ doneAt = Number.POSITIVE_INFINITY }) => doneAt < restoredAt,
      );
      const wasAsked = (again.get(disburseId) ?? []).some((askedAt) => askedAt >= restoredAt && askedAt <= at);
      if (at <= restoredAt || !before || wasAsked) return [];
      return [`${disburseId} was paid before a restore and sent again ${Math.round(at - restoredAt)} ms after it`];
    }),
  );
}

const strictestHolds: Check = {
  name: 'P18',
  says: 'no limit is ever looser than the strictest that was asked for, unless two people said so',
  broken: ({ limits }) => {
    if (!limits) return [];
    const { greedy, afterTwo } = limits;
    return [
      ...greedy
        .filter(({ status = 0, times }) => (status >= 200 && status < 300) || times > 0)
        .map(({ at, amount, status, times }) => {
          const inForce = limits.inForce.findLast(({ from }) => from <= at)?.amount;
          return `${amount} was answered ${status ?? 'with nothing'} and paid ${times} times, the limit was ${inForce}`;
        }),
      ...(greedy.length > 0 ? [] : ['nobody asked for more than the limit']),
      ...(afterTwo === undefined || ['succeeded', 'failed', 'needs_review', 'reversed'].includes(afterTwo)
        ? []
        : [`what two people had allowed is ${afterTwo}`]),
    ];
  },
};

const namedByItsEnd: Check = {
  name: 'P19',
  says: 'no word ends a payment that does not name it, and no single word says that it failed',
  broken: ({ records, looks, rules }) => {
    const byToken = groupBy(looks, ({ token }) => token);
    return records.flatMap((record) => {
      const words = (status: string): SeenLook[] =>
        (byToken.get(record.token ?? '') ?? []).filter((look) => look.status === status && isAbout(look, record));
      if (record.state === 'succeeded' && words('success').length === 0)
        return [`${record.id} succeeded and no answer said so of it`];
      if (record.state !== 'failed') return [];
      const times = words('failed').map(({ at }) => at);
      const apart = Math.max(...times) - Math.min(...times);
      const apartEnough = apart >= rules.quietMs / 2 - ON_ITS_WAY_MS / 2;
      if (times.length > 1 && apartEnough) return [];
      return [`${record.id} failed by ${times.length} answers that named it`];
    });
  },
};

const isAbout = ({ names }: SeenLook, { token, disburseId, amount }: SeenRecord): boolean =>
  names?.token === token && names?.disburseId === disburseId && Number(names?.amount) === amount;

const noTextAgain: Check = {
  name: 'S8',
  says: 'no text that was sent before a restore is sent after it',
  broken: ({ restores, sends }) => {
    const firsts = new Map<string, number>();
    return sends.flatMap(({ at, items }) =>
      items.flatMap(({ to, text }) => {
        const name = `${to} ${text}`;
        const first = firsts.get(name);
        if (first === undefined) firsts.set(name, at);
        const between = restores.some(({ restoredAt }) => (first ?? at) < restoredAt && restoredAt < at);
        return between ? [`"${text}" was posted again after a restore`] : [];
      }),
    );
  },
};

export const scenarioChecks: readonly Check[] = [
  nothingLate,
  notDoneAgain,
  strictestHolds,
  namedByItsEnd,
  noTextAgain,
];
