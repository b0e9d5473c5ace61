/** The promises, checked against the ledger of the service and never against our own memory alone. */
import { isFinal, queueOf, statesOf, type StateOf } from '../../src/kinds/index.ts';
import { derivedHex } from '../../src/lib/ids.ts';
import { keys } from '../../src/operations/keys.ts';
import { type DisbursementRecord, readRecord } from '../../src/operations/record.ts';
import { readEvidence } from '../../src/operations/transition.ts';
import type { StoredEvent } from '../support/memory-store.ts';
import type { Execution, Token } from './ledger.ts';
import type { Send } from './upstream.ts';
import type { World } from './world.ts';
import { POLICY } from './tools.ts';

/** All that is known of one disbursement when everything is over. */
interface Life {
  readonly id: string;
  readonly record: DisbursementRecord | undefined;
  readonly executions: readonly (Execution & { readonly of: Token })[];
  readonly paid: number;
  /** Without what came back. */
  readonly kept: number;
  readonly sends: readonly Send[];
  readonly events: readonly StoredEvent[];
  readonly world: World;
}

type Promised = (life: Life) => string | undefined | false;

const SENDS_MAX = 3;

const promises: Readonly<Record<string, Promised>> = {
  'P1 paid at most once': ({ paid }) => paid > 1 && `paid ${paid} times`,
  'P2 to whom it was asked for': ({ executions, record }) =>
    executions.some(({ of }) => of.accountAlias !== record?.accountAlias || of.amount !== record.amount) &&
    'somebody else, or another amount',
  'P3 succeeded is paid, and told once': (life) => {
    const { record, paid, events } = life;
    if (record?.state !== 'succeeded') return false;
    if (tookBack(life)) return 'and upstream took it back';
    return (paid !== 1 || told(events, 'succeeded') !== 1) && `paid ${paid} times`;
  },
  'P3 reversed was paid, and came back': ({ record, paid, kept }) =>
    (record?.state as string) === 'reversed' && (paid !== 1 || kept !== 0) && `paid ${paid} times, kept ${kept}`,
  'P4 failed, rejected and cancelled are not paid': ({ record, kept }) =>
    ['failed', 'rejected', 'cancelled'].includes(record?.state ?? '') && kept > 0 && `${record?.state} but paid`,
  'P5 what was answered is never lost': ({ record, world, id }) => {
    if (record === undefined) return world.answered.has(id) && 'the record is gone';
    const rests = isFinal('disbursement', record.state) || record.state === 'needs_review';
    return !rests && `still ${record.state} at the end`;
  },
  'P6 what needs review carries its evidence and was told once': ({ record, events }) =>
    record?.state === 'needs_review' &&
    (told(events, 'needs_review') !== 1 ||
      !record.reason ||
      !(wasSent(record) || record.reason === 'token_collision')) &&
    'without its evidence',
  'P6 a late word settles what needs review': ({ record, executions, world }) => {
    if (record?.state !== 'needs_review') return false;
    if (BY_WORDS.has(record.reason ?? '')) return false;
    const word = executions.findLast(({ of }) => of.token === record.token)?.outcome;
    return word !== undefined && world.options.promises.uniqueId && `${word} upstream, still in review`;
  },
  'P7 durable before it is sent': ({ sends }) =>
    sends.some(({ durably, token }) => durably.state !== 'submitting' || durably.token !== token) &&
    'sent what a power loss would have forgotten',
  'P8 always the same token and the same id': ({ sends, id }) =>
    (new Set(sends.map(({ token }) => token)).size > 1 ||
      sends.some(({ disburseId }) => disburseId !== derivedHex(id))) &&
    'another token, or another id',
  'P9 bounded sends': ({ sends, record, world }) => {
    const most = world.options.mode === 'strict' ? 1 : SENDS_MAX;
    return (
      sends.length > Math.min(most, record?.sends ?? 0) && `${sends.length} sends, ${record?.sends} written down`
    );
  },
  'P10 two looks said created before it was sent again': ({ sends, world }) => {
    const inOrder = sends.filter(({ residue }) => !residue);
    return inOrder.slice(1).some((next, index) => !mayFollow(inOrder[index]!, next, world)) && 'sent again too soon';
  },
  'P11 events in sequence, and only a late truth after a last word': ({ events }) => {
    const words = events.map(({ type }) => type.replace('disbursement.', ''));
    const ordered = events.every(({ seq }, index) => seq === index + 1);
    // Whatever a person was asked about is said anew.
    const parts = words
      .filter((word) => word === 'needs_review' || isLastWord(word))
      .join(' ')
      .split('needs_review');
    const inOrder = parts.every((part) => !part.trim().includes(' ') || LATE_WORDS.has(part.trim()));
    return (!ordered || !inOrder) && events.map(({ seq, type }) => `${seq} ${type}`).join(', ');
  },
  'P19 no single word says that it failed: it is said twice, half a quiet period apart': ({
    events,
    record,
    world: { looks },
  }) =>
    events.some(({ type, at }) => {
      const said = looks
        .filter(({ token, status, named }) => token === record?.token && status === 'failed' && named)
        .flatMap(({ beganAt }) => (beganAt <= at ? [beganAt] : []));
      return type === 'disbursement.failed' && Math.max(...said) - Math.min(...said) < POLICY.quietMs / 2;
    }) && 'told too soon',
};

/** Upstream took it back and said so twice, or was never asked often enough to say so. */
function tookBack({ executions, world: { looks, asks } }: Life): boolean {
  return executions.some(({ of: { reversedAt = Number.POSITIVE_INFINITY, token } }) => {
    const since = (look: { token: string; beganAt: number }): boolean =>
      look.token === token && look.beganAt > reversedAt;
    const [last, before] = looks.filter(since).toReversed();
    const twice = [last, before].every((look) => look?.named && look.status === 'failed') && last && before;
    const apart = twice && last.beganAt - before.beganAt >= POLICY.quietMs / 2;
    return reversedAt < Number.POSITIVE_INFINITY && (apart || asks.filter(since).length < ASKS_OF_A_SUCCESS);
  });
}
/** How often a success is looked at again by itself. */
const ASKS_OF_A_SUCCESS = POLICY.recheckMs.length;

/** What was over lets go of when it was last sent; that it was stays in its evidence. */
const wasSent = ({ token, fields }: DisbursementRecord): boolean =>
  Boolean(token) && readEvidence({ evidence: fields }).lines.some(({ operation }) => operation === 'submit');

/** Reviews that a word of the service brought about: what it says otherwise does not settle them. */
const BY_WORDS = new Set(['contradicted', 'unidentified', 'token_collision', 'mismatch_token', 'mismatch_amount']);

/** What a last word may be followed by, when the truth comes late. */
const LATE_WORDS = new Set(['failed succeeded', 'succeeded reversed', 'failed succeeded reversed']);
const isLastWord = (word: string): boolean => word === 'reversed' || isFinal('disbursement', word);

function told(events: readonly StoredEvent[], state: StateOf<'disbursement'>): number {
  return events.filter(({ type }) => type === `disbursement.${state}`).length;
}

function mayFollow(first: Send, next: Send, { looks }: World): boolean {
  const from = first.endedAt + POLICY.quietMs;
  const said = looks
    .filter(({ token, status, named }) => token === next.token && status === 'created' && named)
    .map(({ beganAt }) => beganAt)
    .filter((beganAt) => beganAt >= from && beganAt <= next.leftAt);
  return said.length > 0 && Math.max(...said) - Math.min(...said) >= POLICY.quietMs / 2;
}

export interface Verdicts {
  readonly violations: readonly string[];
  readonly states: Readonly<Record<string, number>>;
  readonly paidTwice: number;
  readonly misreported: number;
  readonly lost: number;
}

export function examine(world: World): Verdicts {
  const executions = world.ledger.executions;
  const lives = world.ids.map((id): Life => {
    const fields = Object.fromEntries(world.store.hash(keys.record(id)));
    const own = executions.filter(({ of }) => of.callbackId === id);
    return {
      id,
      world,
      record: fields['kind'] === undefined ? undefined : readRecord('disbursement', fields),
      executions: own,
      paid: own.filter(({ outcome }) => outcome === 'success').length,
      kept: own.filter(({ outcome, of }) => outcome === 'success' && of.reversedAt === undefined).length,
      sends: world.sends.filter(({ callbackId }) => callbackId === id).sort((a, b) => a.leftAt - b.leftAt),
      events: world.store.events.filter(({ op }) => op === id),
    };
  });
  const broken = lives.flatMap((life) =>
    Object.entries(promises).flatMap(([name, broke]) => {
      const how = broke(life);
      return how ? [{ name, life, how }] : [];
    }),
  );
  const count = (name: string): number => broken.filter((one) => one.name.startsWith(`${name} `)).length;
  return {
    violations: [
      ...broken.map(({ name, life, how }) => `${name}: ${life.id} ${how}`),
      ...booksOf(world, lives),
      ...world.heldTwice.map((id) => `P21 one attempt at a time: ${id} was held twice`),
      ...world.crashes.map((error) => `crashed: ${String(error)}`),
    ],
    states: tally(lives.map(({ record }) => record?.state ?? 'never accepted')),
    paidTwice: count('P1'),
    misreported: count('P3') + count('P4'),
    lost: count('P5'),
  };
}

/** P13: counts, lists and due times say the same as the records. */
function booksOf({ store }: World, lives: readonly Life[]): string[] {
  const records = lives.flatMap(({ record }) => (record ? [record] : []));
  const counts = store.hash(keys.counts('disbursement'));
  const wrong: string[] = [];
  for (const state of statesOf('disbursement')) {
    const here = records.filter((record) => record.state === state);
    const xof = here.reduce((sum, { amount }) => sum + amount, 0);
    const counted = Number(counts.get(state) ?? 0) === here.length && Number(counts.get(`xof:${state}`) ?? 0) === xof;
    if (!counted) wrong.push(`P13 counts: ${state}`);
    const listed = store.members(keys.state('disbursement', state)).map(([id]) => id);
    const expected = isFinal('disbursement', state) ? [] : here.map(({ id }) => id);
    if (listed.sort().join() !== expected.sort().join()) wrong.push(`P13 list: ${state}`);
    const queue = queueOf('disbursement', state);
    // What is over is looked at again so often, and then no more.
    const open = isFinal('disbursement', state) ? [] : here;
    const forgotten = open.filter(
      ({ id, token }) => queue && token && store.score(keys.due(queue), id) === undefined,
    );
    if (forgotten.length > 0) wrong.push(`P13 nothing is due: ${state}`);
  }
  return wrong;
}

function tally(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
