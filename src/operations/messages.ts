/** Single messages: accepted together, up to a chunk of them in one step, each with a verdict of its own. */
import type { Redis } from 'ioredis';
import type { QueueName } from '../kinds/due-queues.ts';
import { RECIPIENTS_PER_CHUNK } from './chunk-items.ts';
import { type Guard, NO_MEMORY } from './heartbeat.ts';
import { keys } from './keys.ts';
import type { Accepted } from './operations.ts';
import { RECORD_VERSION } from './record.ts';
import { acceptMessagesScript } from './scripts/message.ts';
import { runScript } from './scripts/script.ts';

export interface NewMessage {
  readonly id: string;
  readonly fingerprint: string;
  readonly reference?: string | undefined;
  /** The id that the reference alone would give. */
  readonly idOfReference?: string | undefined;
  readonly to: string;
  readonly text: string;
  /** Absent: the account's own sender. */
  readonly from?: string | undefined;
  /** ms since the epoch. Absent: never. */
  readonly expiresAt?: number | undefined;
}

/** The chunk that is being filled. It is created with its first message. */
export interface OpenChunk {
  readonly id: string;
  readonly account: string;
  readonly lane: 'otp' | 'normal';
  /** When the due index looks at the chunk if no wake-up job came first, ms from its creation. */
  readonly dueInMs: number;
}

export type MessageAccepted = Exclude<Accepted, { outcome: 'limited' }>;

export interface MessagesAccepted {
  /** How many messages the chunk has now. */
  readonly count: number;
  /** In the order of the messages. `full`: nothing is known about it, and this chunk takes no more. */
  readonly verdicts: readonly (MessageAccepted | { readonly outcome: 'full' })[];
}

export const queueOfLane = { otp: 'sms-otp', normal: 'sms-batch' } as const satisfies Record<string, QueueName>;

/** Safe to ask twice: what the first time has accepted is a duplicate the second time. */
export async function acceptMessages(
  redis: Redis,
  chunk: OpenChunk,
  messages: readonly NewMessage[],
  { now, heartbeat = NO_MEMORY }: { readonly now?: () => number; readonly heartbeat?: Guard | undefined } = {},
): Promise<MessagesAccepted> {
  const { id, account, lane, dueInMs } = chunk;
  const calledFor: string[] = [
    keys.record(id),
    keys.due(queueOfLane[lane]),
    keys.counts('message'),
    keys.counts('chunk'),
    keys.state('chunk', 'queued'),
    keys.heartbeat,
  ];
  const own = [id, account, lane, RECORD_VERSION, RECIPIENTS_PER_CHUNK, dueInMs];
  const words = [now ? String(now()) : '', ...own, ...heartbeat.remembered()];
  for (const message of messages) add(message, account, calledFor, words);
  const answer = (await runScript(redis, acceptMessagesScript, calledFor, words)) as [
    number | 'recovering',
    ...string[],
  ];
  if (answer[0] === 'recovering') throw heartbeat.refused();
  return {
    count: answer[0],
    verdicts: messages.map((message, at) =>
      verdictOf(message, String(answer[2 * at + 1]), String(answer[2 * at + 2])),
    ),
  };
}

/** One list for all of them: this runs for each of very many messages. */
function add(message: NewMessage, account: string, calledFor: string[], words: (string | number)[]): void {
  const { id, fingerprint, reference = '', idOfReference = id, to, text, from = '', expiresAt = 0 } = message;
  const other = idOfReference === id ? '' : idOfReference;
  calledFor.push(keys.record(id));
  if (reference !== '') calledFor.push(keys.reference(account, 'message', reference));
  if (other !== '') calledFor.push(keys.record(other));
  words.push(id, fingerprint, reference, other, to, text, from, expiresAt);
}

function verdictOf({ id }: NewMessage, outcome: string, detail: string): MessagesAccepted['verdicts'][number] {
  switch (outcome) {
    case 'accepted':
    case 'duplicate':
      return { outcome, id, state: detail };
    case 'conflict':
      return { outcome, id: detail };
    default:
      return { outcome: 'full' };
  }
}
