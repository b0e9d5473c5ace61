/** Single messages: accepted one by one, each put into the chunk that the accepting process is filling. */
import type { Redis } from 'ioredis';
import { RECIPIENTS_PER_CHUNK } from './chunk-items.ts';
import type { QueueName } from './due-queues.ts';
import { keys } from './keys.ts';
import type { Accepted } from './operations.ts';
import { RECORD_VERSION } from './record.ts';
import { acceptMessageScript } from './scripts/message.ts';
import { runScript } from './scripts/script.ts';

export interface NewMessage {
  readonly id: string;
  readonly account: string;
  readonly fingerprint: string;
  readonly reference?: string | undefined;
  readonly idOfReference?: string | undefined;
  readonly lane: 'otp' | 'normal';
  /** The packed form for the chunk; see chunk-items.ts. */
  readonly item: string;
  readonly fields: Readonly<Record<string, string | number>>;
}

export interface OpenChunk {
  readonly id: string;
  /** When the due index looks at the chunk if no wake-up job came first, ms from its creation. */
  readonly dueInMs: number;
}

export const queueOfLane = { otp: 'sms-otp', normal: 'sms-batch' } as const satisfies Record<string, QueueName>;

export async function acceptMessage(
  redis: Redis,
  message: NewMessage,
  chunk: OpenChunk,
  now?: () => number,
): Promise<(Exclude<Accepted, { outcome: 'limited' }> & { count: number }) | { outcome: 'full' }> {
  const { id, account, reference, idOfReference, lane } = message;
  const fields = { ...message.fields, ...(reference ? { reference } : {}) };
  const answer = (await runScript(
    redis,
    acceptMessageScript,
    [
      keys.record(id),
      keys.reference(account, 'message', reference ?? ''),
      keys.record(idOfReference ?? id),
      keys.counts('message'),
      keys.record(chunk.id),
      keys.due(queueOfLane[lane]),
      keys.counts('chunk'),
      keys.state('chunk', 'queued'),
    ],
    [
      id,
      now ? String(now()) : '',
      message.fingerprint,
      reference ? 1 : 0,
      idOfReference ?? id,
      account,
      chunk.id,
      RECIPIENTS_PER_CHUNK,
      chunk.dueInMs,
      message.item,
      lane,
      RECORD_VERSION,
      ...Object.entries(fields).flat(),
    ],
  )) as ['accepted' | 'duplicate' | 'conflict' | 'full', string, string, number];
  if (answer[0] === 'full') return { outcome: 'full' };
  return { outcome: answer[0], id: answer[1], state: answer[2], count: answer[3] ?? 0 };
}
