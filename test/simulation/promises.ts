/** The guarantees about payments, checked against the provider's actions, never only against our own record. */
import { isFinal, isState } from '../../src/kinds/index.ts';
import { derivedHex } from '../../src/lib/ids.ts';
import type { DisbursementRecord } from '../../src/operations/record.ts';
import { readEvidence } from '../../src/operations/transition.ts';
import type { ReportedEvent } from '../support/model-operations.ts';
import { POLICY, type PaymentsWorld } from './payments.ts';
import type { Send, Token } from './provider.ts';

/** The complete history of one payment. */
interface Life {
  readonly id: string;
  readonly record: DisbursementRecord | undefined;
  readonly executions: readonly (Token['executions'][number] & { readonly of: Token })[];
  readonly paid: number;
  /** Without returned money. */
  readonly kept: number;
  readonly sends: readonly Send[];
  readonly events: readonly ReportedEvent[];
  readonly world: PaymentsWorld;
}

const SENDS_MAX = 3;
/** Reviews caused by contradictions of the provider, whose later statuses do not settle them. */
const BY_WORDS = new Set(['contradicted', 'unidentified', 'token_collision', 'mismatch_token', 'mismatch_amount']);
/** Events that may follow each other: only a late status follows a final one. */
const LATE = new Set(['failed succeeded', 'succeeded reversed', 'failed succeeded reversed']);

const promises: Readonly<Record<string, (life: Life) => string | false | undefined>> = {
  'P1 paid at most once': ({ paid }) => paid > 1 && `paid ${paid} times`,
  'P2 to the beneficiary, and the amount, that were asked for': ({ executions, record }) =>
    executions.some(({ of }) => of.accountAlias !== record?.accountAlias || of.amount !== record.amount) && 'not so',
  'P3 succeeded is paid, and reported one time': (life) => {
    const { record, paid, events } = life;
    if (record?.state !== 'succeeded') return false;
    if (cameBack(life)) return 'and the provider took it back';
    return (paid !== 1 || reported(events, 'succeeded') !== 1) && `paid ${paid} times`;
  },
  'P3 reversed was paid, and came back': ({ record, paid, kept }) =>
    record?.state === 'reversed' && (paid !== 1 || kept !== 0) && `paid ${paid} times, kept ${kept}`,
  'P4 failed, rejected and cancelled are not paid': ({ record, kept }) =>
    ['failed', 'rejected', 'cancelled'].includes(record?.state ?? '') && kept > 0 && `${record?.state} but paid`,
  'P5 what was accepted ends, or needs review': ({ record, world, id }) => {
    if (record === undefined) return world.answered.has(id) && 'the record is gone';
    return !isFinal('disbursement', record.state) && record.state !== 'needs_review' && `still ${record.state}`;
  },
  'P6 a payment in review carries its evidence, and was reported': ({ record, events }) =>
    record?.state === 'needs_review' &&
    (reported(events, 'needs_review') !== 1 ||
      !record.reason ||
      !(wasSent(record) || record.reason === 'token_collision')) &&
    'without its evidence',
  'P6 a late status settles what needs review': ({ record, executions, world }) => {
    if (record?.state !== 'needs_review' || BY_WORDS.has(record.reason ?? '')) return false;
    const last = executions.findLast(({ of }) => of.token === record.token)?.outcome;
    return last !== undefined && world.options.promises.uniqueId && `${last} at the provider, still in review`;
  },
  'P7 the intent and its token are recorded before a byte leaves': ({ sends }) =>
    sends.some(({ recorded, token }) => recorded.state !== 'submitting' || recorded.token !== token) &&
    'not recorded',
  'P8 always the same token and the same id': ({ sends, id }) =>
    (new Set(sends.map(({ token }) => token)).size > 1 || sends.some((one) => one.disburseId !== derivedHex(id))) &&
    'another token, or another id',
  'P9 a bounded number of sends, all recorded': ({ sends, record, world }) => {
    const most = world.options.mode === 'strict' ? 1 : SENDS_MAX;
    return sends.length > Math.min(most, record?.sends ?? 0) && `${sends.length} sends, ${record?.sends} recorded`;
  },
  'P10 sent again only after two answers of `created`': ({ sends, world }) => {
    const inOrder = sends.filter(({ residue }) => !residue);
    return inOrder.slice(1).some((next, index) => !mayFollow(inOrder[index], next, world)) && 'sent again too soon';
  },
  'P11 each final state is reported, and only a late truth after it': ({ events, record }) => {
    const words = events.map(({ type }) => type.replace('disbursement.', ''));
    const parts = words
      .filter((word) => word === 'needs_review' || isEnd(word))
      .join(' ')
      .split('needs_review');
    const inOrder = parts.every((part) => !part.trim().includes(' ') || LATE.has(part.trim()));
    const isTold = record === undefined || !isEnd(record.state) || words.filter(isEnd).at(-1) === record.state;
    return (
      (!inOrder || !isTold || new Set(events.map(({ id }) => id)).size < events.length) &&
      `${record?.state}: ${words.join(', ')}`
    );
  },
  'P19 one `failed` is not believed': ({ events, record, world: { provider } }) =>
    events.some(({ type, at }) => {
      const said = provider.looks
        .filter(
          (look) => look.token === record?.token && look.status === 'failed' && look.named && look.beganAt <= at,
        )
        .map(({ beganAt }) => beganAt);
      return type === 'disbursement.failed' && Math.max(...said) - Math.min(...said) < POLICY.quietMs / 2;
    }) && 'reported too soon',
};

const isEnd = (word: string): boolean => word === 'reversed' || isFinal('disbursement', word);

/** The provider returned the payment and reported it twice. */
function cameBack({ executions, world: { provider } }: Life): boolean {
  return executions.some(({ of: { reversedAt = Number.POSITIVE_INFINITY, token } }) => {
    const said = provider.looks.filter((look) => look.token === token && look.beganAt > reversedAt);
    const [last, before] = said.toReversed();
    const isTwice = [last, before].every((look) => look?.named && look.status === 'failed') && last && before;
    return (
      reversedAt < Number.POSITIVE_INFINITY &&
      (said.length === 0 || (isTwice && last.beganAt - before.beganAt >= POLICY.quietMs / 2))
    );
  });
}

const wasSent = (record: DisbursementRecord): boolean =>
  Boolean(record.token) && readEvidence(record).lines.some(({ operation }) => operation === 'submit');

const reported = (events: readonly ReportedEvent[], state: string): number =>
  events.filter(({ type }) => type === `disbursement.${state}`).length;

function mayFollow(first: Send | undefined, next: Send, { provider }: PaymentsWorld): boolean {
  const from = (first?.endedAt ?? 0) + POLICY.quietMs;
  const said = provider.looks
    .filter(({ token, status, named }) => token === next.token && status === 'created' && named)
    .map(({ beganAt }) => beganAt)
    .filter((beganAt) => beganAt >= from && beganAt <= next.leftAt);
  return said.length > 0 && Math.max(...said) - Math.min(...said) >= POLICY.quietMs / 2;
}

/** Broken guarantees, a line each. */
export function broken(world: PaymentsWorld): readonly string[] {
  const { ledger, provider, ids, crashes } = world;
  const lives = ids.map((id): Life => {
    const executions = [...provider.tokens.values()].flatMap((of) => of.executions.map((one) => ({ ...one, of })));
    const own = executions.filter(({ of }) => of.id === id);
    const succeeded = own.filter(({ outcome }) => outcome === 'success');
    return {
      id,
      world,
      record: world.record(id),
      executions: own,
      paid: succeeded.length,
      kept: succeeded.filter(({ of }) => of.reversedAt === undefined).length,
      sends: provider.sends.filter((send) => send.id === id).toSorted((a, b) => a.leftAt - b.leftAt),
      events: ledger.events.filter(({ subject }) => subject === id),
    };
  });
  const found = lives.flatMap((life) =>
    Object.entries(promises).flatMap(([name, broke]) => {
      const how = broke(life);
      return how ? [`${name}: ${life.id} ${how}`] : [];
    }),
  );
  const leaves = lives.flatMap(({ record }) =>
    record && !isState('disbursement', record.state, 'without effect') ? [record.amount] : [],
  );
  const spent = ledger.spent.get('main') ?? 0;
  const isExact = spent === leaves.reduce((sum, amount) => sum + amount, 0);
  return [
    ...found,
    ...(isExact ? [] : [`P13 sums: ${spent}`]),
    ...crashes.map((error) => `crashed: ${String(error)}`),
  ];
}
