/** Single messages: accepted together, up to a slice of them in one step, each with a verdict of its own. */
import type { ScriptHost } from '../redis/scripts.ts';
import { type AcceptingScripts, acceptingScripts, type Accepted } from './accepting.ts';
import { RECIPIENTS_PER_REQUEST } from './slice-form.ts';
import { type Guard, NO_MEMORY } from './heartbeat.ts';
import { type Act, toldEach } from './audit.ts';
import { keys } from './keys.ts';
import type { NamePlace } from './places.ts';
import type { AcceptMessagesArgs } from './scripts/generated/scripts.ts';
import { stubsOf } from './stubs.ts';
import { type Lane, queueOfLane } from './slices.ts';

export interface NewMessage {
  readonly id: string;
  readonly fingerprint: string;
  readonly reference?: string | undefined;
  /** The id that the reference alone would give. */
  readonly idOfReference?: string | undefined;
  readonly to: string;
  /** How it is found by its number. */
  readonly names?: NamePlace | undefined;
  readonly text: string;
  /** Absent: the account's own sender. */
  readonly from?: string | undefined;
  /** ms since the epoch. Absent: never. */
  readonly expiresAt?: number | undefined;
  /** The request that it came in, where somebody is told to have made it. */
  readonly act?: Act | undefined;
}

/** The slice that is being filled. It is created with its first message. */
export interface OpenSlice {
  readonly id: string;
  readonly account: string;
  readonly lane: Lane;
  /** When the due index looks at the slice if no wake-up job came first, ms from its creation. */
  readonly dueInMs: number;
}

export type MessageAccepted = Exclude<Accepted, { outcome: 'limited' }>;

export interface MessagesAccepted {
  /** How many messages the slice has now. */
  readonly count: number;
  /**
   * In the order of the messages. `full`: nothing is known about it, and this slice takes no more. `failed`: what stands
   * in its place cannot be read, and nothing was written.
   */
  readonly verdicts: readonly (
    | MessageAccepted
    | { readonly outcome: 'full' }
    | { readonly outcome: 'failed'; readonly why: string }
  )[];
}

/** Safe to ask twice: what the first time has accepted is a duplicate the second time. */
export async function acceptMessages(
  redis: ScriptHost,
  slice: OpenSlice,
  messages: readonly NewMessage[],
  { now, heartbeat = NO_MEMORY, scripts = acceptingScripts }: AcceptingMessages = {},
): Promise<MessagesAccepted> {
  const { id, account, lane, dueInMs } = slice;
  const acts = [...new Set(messages.flatMap(({ act }) => act ?? []))];
  const answer = await scripts.acceptMessages(redis, {
    slice: keys.record(id),
    due: keys.due(queueOfLane[lane]),
    messageCounts: keys.counts('message'),
    sliceCounts: keys.counts('slice'),
    queued: keys.state('slice', 'queued'),
    listed: keys.listed('message', account, 'queued'),
    accounts: keys.accounts,
    trimmed: keys.trimmed,
    heartbeat: keys.heartbeat,
    ...toldEach(acts),
    now: now?.(),
    sliceId: id,
    account,
    lane,
    most: RECIPIENTS_PER_REQUEST,
    dueInMs,
    memory: heartbeat.remembered(),
    messages: messages.map((message) => ({
      ...asked(message, account),
      asker: message.act ? acts.indexOf(message.act) + 1 : 0,
    })),
  });
  if (answer.is === 'recovering') throw heartbeat.refused();
  return {
    count: answer.count,
    verdicts: answer.verdicts.map((verdict, at) => {
      if (verdict.is === 'full') return { outcome: verdict.is };
      if (verdict.is === 'failed') return { outcome: verdict.is, why: verdict.why };
      if (verdict.is === 'conflict') return { outcome: verdict.is, id: verdict.id };
      return { outcome: verdict.is, id: messages[at]?.id ?? '', state: verdict.state };
    }),
  };
}

interface AcceptingMessages {
  readonly now?: () => number;
  readonly heartbeat?: Guard | undefined;
  readonly scripts?: AcceptingScripts | undefined;
}

function asked(message: NewMessage, account: string): Omit<AcceptMessagesArgs['messages'][number], 'asker'> {
  const { id, fingerprint, reference, idOfReference = id, to, text, from, expiresAt, names } = message;
  const otherId = idOfReference === id ? undefined : idOfReference;
  return {
    record: keys.record(id),
    ...names,
    mapping: reference ? keys.reference(account, 'message', reference) : undefined,
    other: otherId && keys.record(otherId),
    ...stubsOf(id, idOfReference),
    id,
    fingerprint,
    reference,
    otherId,
    to,
    text,
    from,
    expiresAt,
  };
}
