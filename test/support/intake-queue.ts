/** The queue `intake` as a program that only knows BullMQ uses it. */
import { Queue, QueueEvents } from 'bullmq';

export interface IntakeQueue {
  readonly queue: Queue;
  /** For `waitUntilFinished`. */
  readonly ends: QueueEvents;
  close(): Promise<void>;
}

export async function openIntake(url: string): Promise<IntakeQueue> {
  const place = { connection: { url }, prefix: '{relais}' };
  const [queue, ends] = [new Queue('intake', place), new QueueEvents('intake', place)];
  await Promise.all([queue.waitUntilReady(), ends.waitUntilReady()]);
  return {
    queue,
    ends,
    close: async () => {
      await queue.close();
      await ends.close();
    },
  };
}
