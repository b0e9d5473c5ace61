/** Servers, workers and producers of one test or file, closed in reverse at its end. */
import { type Job, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { type Producer, type ProducerOptions, createProducer } from '../../src/producer/producer.ts';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../src/redis/embedded.ts';
import type { JobAnswer } from '../../src/queues/intake-answer.ts';
import { openCommands, waitUntilReady } from '../../src/redis/connections.ts';
import { type Service, startService } from '../support/service.ts';

export async function server(options: { port?: number } = {}): Promise<EmbeddedRedis> {
  const started = await redisServer(options);
  onTestFinished(() => started.stop());
  return started;
}

function redisServer(options: { port?: number } = {}): Promise<EmbeddedRedis> {
  const binary = process.env['REDIS_SERVER_BIN'];
  return startEmbeddedRedis({ ...options, ...(binary ? { binary } : {}) });
}

/** A worker and the API with their own Redis, which a test may freeze, kill or restart empty. */
export async function running(env: Readonly<Record<string, string>> = {}) {
  let own = await redisServer();
  const service = await startService(env, {
    roles: ['worker', 'api'],
    // Accepted operations are not executed: the test covers only acceptance.
    queues: ['intake'],
    openRedis: async () => {
      const redis = openCommands({ url: own.url }, { name: 'test', onError: () => undefined });
      await waitUntilReady(redis, 60_000);
      return { url: own.url, redis, close: async () => redis.disconnect() };
    },
  });
  return {
    service,
    url: own.url,
    port: own.port,
    freeze: (): void => void process.kill(own.pid, 'SIGSTOP'),
    thaw: (): void => void process.kill(own.pid, 'SIGCONT'),
    kill: async (): Promise<void> => {
      process.kill(own.pid, 'SIGKILL');
      await own.stop();
    },
    /** Empty. */
    startAgain: async (): Promise<void> => {
      own = await redisServer({ port: own.port });
    },
    stop: async (): Promise<void> => {
      await service.stop();
      await own.stop();
    },
  };
}

export type Running = Awaited<ReturnType<typeof running>>;

export async function recordedIn({ ledger }: Service, kind: string): Promise<number> {
  const rows = await ledger.query<{ count: string }>(`select count(*) from relais.operation where kind = '${kind}'`);
  return Number(rows[0]?.count);
}

/** A Redis with a worker whose answers the test defines. */
export async function answering(answer: (job: Job, nth: number) => JobAnswer) {
  const own = await server();
  const jobs: Job[] = [];
  const worker = new Worker(
    'intake',
    async (job) => {
      jobs.push(job);
      await job.updateData(answer(job, jobs.length));
    },
    {
      prefix: '{relais}',
      connection: new Redis(own.url, { maxRetriesPerRequest: null }).on('error', () => undefined),
      concurrency: 50,
    },
  );
  worker.on('error', () => undefined);
  onTestFinished(() => worker.close(true));
  await worker.waitUntilReady();
  return { url: own.url, jobs };
}

export function open<const Extra extends string = never>(options: ProducerOptions<Extra>): Producer<Extra> {
  const producer = createProducer(options);
  onTestFinished(() => producer.close());
  return producer;
}
