/** C1–C3: properties of every answer to the console during the faults. */
import type { Check } from './checks.ts';
import { groupBy, sumOf } from './grouping.ts';
import type { ConsoleAnswer, Restore, SeenConsole, Story } from './story.ts';

/** How long a process may still accept a revoked key, plus a margin for a busy machine. */
const REVOKED_WITHIN_MS = 3_000;
const SLACK_MS = 1_500;
const NOT_PAID = new Set(['failed', 'rejected', 'cancelled']);
const AWAY = new Set(['unavailable', 'recovering']);
/** Requests that a console must have sent in any storm: an idle one proves nothing. */
const LOOKED_AT = ['sign-in', 'status', 'disbursements', 'one', 'explain', 'search', 'reports/daily', 'event'];

function ofConsole(name: string, says: string, broken: (seen: SeenConsole, story: Story) => string[]): Check {
  return { name, says, broken: (story) => (story.console ? broken(story.console, story) : []) };
}

const answers = ofConsole(
  'C1',
  'the console is answered, or told why not; and it has looked at everything',
  (seen, story) => {
    const wrong = seen.answers.filter((answer) => !mayBe(answer, seen, story.restores));
    const each = groupBy(wrong, ({ route, status, problem = 'no reason' }) => `${route}: ${status} ${problem}`);
    const good = new Set(seen.answers.filter(({ status }) => status < 300).map(({ route }) => route));
    return [
      ...[...each].map(([what, all]) => `${what}, ${all.length} times, first at ${all[0]?.at}`),
      ...LOOKED_AT.filter((route) => !good.has(route)).map((route) => `it never saw ${route}: this says nothing`),
    ];
  },
);

function mayBe(answer: ConsoleAnswer, seen: SeenConsole, restores: readonly Restore[]): boolean {
  const { status, problem = '', route, sitting, at, until = at, since = at } = answer;
  if (status < 300) return true;
  if (status === 503) return AWAY.has(problem);
  // Balances are read from the provider at the request.
  if (status === 502 || status === 504) return route === 'balances' && problem.startsWith('upstream-');
  if (status === 404) return problem === 'not-found' && restores.length > 0;
  // The restored ledger lacks it, and the journal shows that it existed.
  if (status === 410) return problem === 'removed' && restores.length > 0;
  if (status !== 401) return status === 429 && problem === 'too-many-requests';
  if (problem !== 'unauthenticated') return false;
  // The key was revoked. Or PostgreSQL was restored: it lacks younger sessions and keys, and the recovery ends older sessions.
  const isRevoked = sitting === 'first' && seen.revokedAt !== undefined;
  return (
    isRevoked ||
    restores.some(({ restoredAt, recoveredAt = until }) => since <= recoveredAt && restoredAt <= until + SLACK_MS)
  );
}

const revoked = ofConsole(
  'C2',
  'once its key is revoked nobody is answered any more, and the stream is over',
  ({ answers: all, streams, revokedAt }, { restores }) => {
    if (revokedAt === undefined) return ['no key was revoked: this says nothing'];
    const over = revokedAt + REVOKED_WITHIN_MS + SLACK_MS;
    // A ledger restored from an earlier backup accepts the key until it is revoked again.
    const backAgainAt = Math.min(
      ...restores
        .filter(({ copiedAt, restoredAt }) => copiedAt < revokedAt && restoredAt > revokedAt)
        .map(({ restoredAt }) => restoredAt),
    );
    const isOver = (at: number): boolean => at > over && at < backAgainAt;
    const late = all.filter(({ sitting, status, at }) => sitting === 'first' && status < 300 && isOver(at));
    const tried = all.some(({ sitting, at }) => sitting === 'first' && isOver(at));
    const open = streams.filter(
      ({ sitting, status, openedAt, endedAt = Number.POSITIVE_INFINITY }) =>
        sitting === 'first' && status === 200 && (openedAt > over || endedAt > over) && openedAt < backAgainAt,
    );
    return [
      ...late.map(
        ({ route, at }) => `${route} was answered ${Math.round(at - revokedAt)} ms after its key was revoked`,
      ),
      ...(backAgainAt > over ? open.map(({ openedAt }) => `the stream that was opened at ${openedAt} went on`) : []),
      ...(tried || backAgainAt <= over ? [] : ['nobody tried with the key that was revoked: this says nothing']),
    ];
  },
);

const agrees = ofConsole(
  'C3',
  'nothing is shown as paid that was not, nor as not paid that was; and no day shows more than left',
  ({ shown }, { ledger, asked, looks }) => {
    const disburseIdOf = new Map(asked.map(({ id, disburseId }) => [id, disburseId]));
    const entriesOf = groupBy(ledger, ({ disburseId = '' }) => disburseId);
    const everPaid = sumOf(ledger, ({ effects, amount }) => effects * amount);
    // Payments that the provider itself reported as failed: a repeated status is trusted, and corrected later.
    const saidFailed = new Set(looks.filter(({ status }) => status === 'failed').map(({ token }) => token));
    const wrong = shown.flatMap(({ id, state, xof }) => {
      if (xof !== undefined) return xof > everPaid ? [`${id} shows ${xof} XOF, and ${everPaid} left`] : [];
      const disburseId = disburseIdOf.get(id);
      if (disburseId === undefined) return [];
      const entries = entriesOf.get(disburseId) ?? [];
      const isPaid = entries.some(({ effects }) => effects > 0);
      if (state === 'succeeded' && !isPaid) return [`${id} was shown as succeeded, and was never paid`];
      const mayBelieve = entries.some(({ token }) => saidFailed.has(token));
      return NOT_PAID.has(state) && isPaid && !mayBelieve ? [`${id} was shown as ${state}, and was paid`] : [];
    });
    return [...new Set(wrong), ...(shown.length > 0 ? [] : ['it was shown no payment: this says nothing'])];
  },
);

export const consoleChecks: readonly Check[] = [answers, revoked, agrees];
