/** Servers, clients and producers of one test, closed in reverse when it is over. */
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { type Producer, type ProducerOptions, createProducer } from '../../src/producer/producer.ts';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../src/redis/embedded.ts';

export async function server(options: { port?: number; dir?: string } = {}): Promise<EmbeddedRedis> {
  const binary = process.env['REDIS_SERVER_BIN'];
  const started = await startEmbeddedRedis({ ...options, ...(binary ? { binary } : {}) });
  onTestFinished(() => started.stop());
  return started;
}

export async function clientOf(port: number): Promise<Redis> {
  const redis = new Redis(port, '127.0.0.1', { keyPrefix: '{relais}:' });
  redis.on('error', () => undefined);
  onTestFinished(() => redis.disconnect());
  await redis.ping();
  return redis;
}

export async function running<const Extra extends string = never>(options: Partial<ProducerOptions<Extra>> = {}) {
  const own = await server();
  const redis = Object.assign(await clientOf(own.port), { server: own });
  return { producer: open({ redis: own.url, ...options }), redis, url: own.url };
}

export function open<const Extra extends string = never>(options: ProducerOptions<Extra>): Producer<Extra> {
  const producer = createProducer(options);
  onTestFinished(() => producer.close());
  return producer;
}
