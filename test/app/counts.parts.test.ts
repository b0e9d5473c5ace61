/**
 * What one operation costs, counted: round trips, Redis commands, bytes, requests to the service. None of it depends on
 * the machine, so a change that makes an operation dearer is seen here and not in a benchmark weeks later.
 *
 * Each number is the most that is allowed. Lower it when the code has become cheaper; raise it only in a commit that
 * says what the operation gets for it.
 */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { dueQueues } from '../../src/kinds/due-queues.ts';
import { derivedId } from '../../src/lib/ids.ts';
import { keys } from '../../src/operations/keys.ts';
import { memberOf } from '../../src/operations/places.ts';
import { keysLike } from '../support/fresh-redis.ts';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { type Service, startService } from '../support/service.ts';
import { type Heard, listen } from './redis-monitor.ts';

const most = {
  disbursement: {
    /** Of our own connection, acceptance and callback included; BullMQ's are counted apart. */
    // Changes that are alike and fall into the same moment share one; where none did, they would be six.
    roundTrips: 5.6,
    /** What Redis carries out for them, inside scripts too. */
    // Two of them make sure that a token and a transaction belong to no other operation. Three are the line of the audit
    // that tells who asked for it, where it was asked for over HTTP. Six are the book of the day: when it is accepted,
    // when its money may be on its way, and when it is over; eight are the counters, each script's in one write. Twelve
    // make it be found: it moves between the lists of its states, and stands in the index by what it is named. Of these,
    // what is not its own is shared by the changes of one moment: 77 where none are, 62 to 67 seen.
    commands: 70,
    /** Five at least. Where each had both its wake-ups to itself, they would be twenty. */
    wakeUpCommands: 13,
    /** Scripts of BullMQ: a wake-up is for all that became due in the same moment. How many share one is a matter of time. */
    queueScripts: 7,
    /**
     * The record and the last callback, which is forgotten where it agrees with the end. Redis gives 856, and the next
     * step to one that had to be looked at more often.
     */
    recordBytes: 984,
    /** Its entry in the stream, where there are many. */
    eventBytes: 215,
    /** Its place in a list. */
    listBytes: 140,
    /** By its number, disburse_id, token, transaction and the provider's reference, where there are a million. */
    namesBytes: 300,
    allBytes: 1_620,
    /** The line that tells who asked for it, until AUDIT_KEEP or AUDIT_MOST forgets it; 38 of them are its mark. */
    auditBytes: 295,
  },
  /** Two of the commands ask whether Redis has lost something, and count what is about to leave. */
  request: { roundTrips: 3, commands: 16, queueScripts: 1.8 },
  recipient: { waitingBytes: 28, settledBytes: 60 },
  /** One of many in a body: accepted, and no more. Fifty share a script, and a wake-up. */
  /** One in four finds it by its number. */
  message: { roundTrips: 0.05, commands: 4.4, queueScripts: 0.04 },
  /**
   * Each is sought (its record, its stub, its reference), written, named twice and told in the audit. The clock, the
   * heartbeat, the limits, the counters, the book, the sets and the end of the audit are shared by fifty.
   */
  payment: { roundTrips: 0.05, commands: 7.5, queueScripts: 0.04 },
} as const;

const DISBURSEMENTS = 20;
const MANY = 1_000;
/** That a disbursement is found by. */
const NAMES = 5;
/** A small campaign: many of its slices are small too, so that many workers have one. */
const REQUESTS = 32;
const PER_REQUEST = 50;
const MESSAGES = 1_000;
const WAIT_MS = 20_000;

let own: EmbeddedRedis;
let service: Service;
let redis: Redis;

beforeAll(async () => {
  own = await startEmbeddedRedis();
  // Nothing is woken by the sweeper, so that what is counted is what each operation does by itself. A callback wakes only
  // where no look was due yet, and may come late on a busy machine.
  service = await startService({ REDIS_URL: own.url, SWEEP_INTERVAL: '1h', DISBURSEMENT_POLL: '1m' });
  redis = new Redis({ host: '127.0.0.1', port: own.port, connectionName: 'observer', keyPrefix: '{relais}:' });
  await service.control('POST', '/settings', { settleDelayMs: 500 });
  // What is done once in the life of a process: scripts are sent in full, the bearer is fetched.
  await payAndWait('first', 1);
  await startAndWait(await uploadCampaign('first', 1));
});
afterAll(async () => {
  redis?.disconnect();
  await service?.stop();
  await own?.stop();
});

describe('a disbursement, from its acceptance to its end', () => {
  let heard: Heard;
  let requests: Readonly<Record<string, number>>;
  let ids: readonly string[];
  beforeAll(async () => {
    const before = await requestsSoFar();
    const ear = await listen(own.port);
    ids = await payAndWait('counted', DISBURSEMENTS);
    heard = await ear.stop();
    requests = since(before, await requestsSoFar());
  });

  test('asks the service three times: token, submit, status', () => {
    expect(requests).toEqual({
      'disbursement.create': DISBURSEMENTS,
      'disbursement.submit': DISBURSEMENTS,
      'disbursement.status': DISBURSEMENTS,
    });
  });

  test('makes no more round trips to Redis than it needs', () => {
    expect(heard.ours / DISBURSEMENTS, heard.table()).toBeLessThanOrEqual(most.disbursement.roundTrips);
    expect(heard.queueScripts / DISBURSEMENTS, heard.table()).toBeLessThanOrEqual(most.disbursement.queueScripts);
  });

  test('has Redis carry out no more commands than it needs', () => {
    expect(heard.commands / DISBURSEMENTS, heard.table()).toBeLessThanOrEqual(most.disbursement.commands);
    expect(heard.wakeUpCommands / DISBURSEMENTS, heard.table()).toBeLessThanOrEqual(most.disbursement.wakeUpCommands);
  });

  test('leaves behind a kilobyte and a half: its record, its event, and where it is found', async () => {
    const records = await Promise.all(ids.map((id) => bytesOf(keys.record(id))));
    const callbacks = await Promise.all(ids.map((id) => bytesOf(keys.callback(id))));
    const bytes = {
      recordBytes: mean(records) + mean(callbacks),
      eventBytes: await bytesOfEntries(keys.events),
      listBytes: await bytesOfList(),
      namesBytes: await bytesOfNames(),
    };
    const told = JSON.stringify(bytes);
    expect(bytes.recordBytes, told).toBeLessThanOrEqual(most.disbursement.recordBytes);
    expect(bytes.eventBytes, told).toBeLessThanOrEqual(most.disbursement.eventBytes);
    expect(bytes.listBytes, told).toBeLessThanOrEqual(most.disbursement.listBytes);
    expect(bytes.namesBytes, told).toBeLessThanOrEqual(most.disbursement.namesBytes);
    const all = Object.values(bytes).reduce((sum, each) => sum + each, 0);
    expect(all, told).toBeLessThanOrEqual(most.disbursement.allBytes);
  });
});

test('who asked for it takes no more than a line of the audit', async () => {
  expect(await bytesOfEntries(keys.audit)).toBeLessThanOrEqual(most.disbursement.auditBytes);
});

describe('a request of a campaign', () => {
  let heard: Heard;
  let requests: Readonly<Record<string, number>>;
  let waitingBytes: number;
  let settledBytes: number;
  beforeAll(async () => {
    const before = await requestsSoFar();
    const id = await uploadCampaign('counted', REQUESTS);
    waitingBytes = await bytesOfSlices(id);
    const ear = await listen(own.port);
    await startAndWait(id);
    heard = await ear.stop();
    settledBytes = await bytesOfSlices(id);
    requests = since(before, await requestsSoFar());
  });

  test('asks the service once', () => {
    expect(requests).toEqual({ 'sms.send': REQUESTS });
  });

  test('makes no more round trips to Redis than it needs', () => {
    expect(heard.ours / REQUESTS, heard.table()).toBeLessThanOrEqual(most.request.roundTrips);
    expect(heard.queueScripts / REQUESTS, heard.table()).toBeLessThanOrEqual(most.request.queueScripts);
  });

  test('has Redis carry out no more commands than it needs', () => {
    expect(heard.commands / REQUESTS, heard.table()).toBeLessThanOrEqual(most.request.commands);
  });

  test('leaves nothing due behind, or somebody would look at it again for nothing', async () => {
    // What was paid is looked at again, but not before tomorrow.
    const inAnHour = Date.now() + 3_600_000;
    const due = await Promise.all(dueQueues.map((queue) => redis.zcount(keys.due(queue), '-inf', inAnHour)));
    expect(Object.fromEntries(dueQueues.map((queue, index) => [queue, due[index]]))).toEqual(
      Object.fromEntries(dueQueues.map((queue) => [queue, 0])),
    );
  });

  test('keeps a waiting recipient in 28 bytes, and a settled one in little more', () => {
    expect(waitingBytes / (REQUESTS * PER_REQUEST)).toBeLessThanOrEqual(most.recipient.waitingBytes);
    expect(settledBytes / (REQUESTS * PER_REQUEST)).toBeLessThanOrEqual(most.recipient.settledBytes);
  });
});

describe('a message, accepted in bulk', () => {
  let heard: Heard;
  beforeAll(async () => {
    await service.call('POST', '/v1/queues/sms-batch/pause');
    await sendInBulk('first', 1);
    const ear = await listen(own.port);
    await sendInBulk('counted', MESSAGES);
    heard = await ear.stop();
  });

  test('makes no more round trips to Redis than it needs', () => {
    expect(heard.ours / MESSAGES, heard.table()).toBeLessThanOrEqual(most.message.roundTrips);
    expect(heard.queueScripts / MESSAGES, heard.table()).toBeLessThanOrEqual(most.message.queueScripts);
  });

  test('has Redis carry out no more commands than it needs', () => {
    expect(heard.commands / MESSAGES, heard.table()).toBeLessThanOrEqual(most.message.commands);
  });
});

describe('a disbursement, accepted in bulk', () => {
  let heard: Heard;
  beforeAll(async () => {
    await service.call('POST', '/v1/queues/disbursement/pause');
    await payInBulk('first-lines', 1);
    const ear = await listen(own.port);
    await payInBulk('lines', MESSAGES);
    heard = await ear.stop();
  });

  test('makes no more round trips to Redis than it needs', () => {
    expect(heard.ours / MESSAGES, heard.table()).toBeLessThanOrEqual(most.payment.roundTrips);
    expect(heard.queueScripts / MESSAGES, heard.table()).toBeLessThanOrEqual(most.payment.queueScripts);
  });

  test('has Redis carry out no more commands than it needs', () => {
    expect(heard.commands / MESSAGES, heard.table()).toBeLessThanOrEqual(most.payment.commands);
  });
});

/** Looked at past the service, since what it is asked would be counted. */
async function reached(key: string, field: string, wanted: string): Promise<void> {
  await vi.waitUntil(async () => (await redis.hget(key, field)) === wanted, { timeout: WAIT_MS, interval: 25 });
}

async function payAndWait(name: string, count: number): Promise<string[]> {
  const before = Number((await redis.hget(keys.counts('disbursement'), 'succeeded')) ?? 0);
  const accepted = await Promise.all(
    Array.from({ length: count }, (_, index) => {
      const accountAlias = `77100${String(index).padStart(4, '0')}`;
      const body = { accountAlias, amount: 500, withdrawMode: 'wallet-a-senegal', reference: `${name}-${index}` };
      return service.call('POST', '/v1/disbursements', { body });
    }),
  );
  await reached(keys.counts('disbursement'), 'succeeded', String(before + count));
  return accepted.map(({ body }) => String(body.id));
}

const sendInBulk = (name: string, count: number): Promise<void> =>
  askInBulk('/v1/messages', count, (n) => ({
    to: `+22177${2_000_000 + n}`,
    text: `Bonjour ${n}`,
    reference: `${name}-${n}`,
  }));

const payInBulk = (name: string, count: number): Promise<void> =>
  askInBulk('/v1/disbursements', count, (n) => ({
    accountAlias: `77${2_000_000 + n}`,
    amount: 500,
    withdrawMode: 'wallet-a-senegal',
    reference: `${name}-${n}`,
  }));

async function askInBulk(path: string, count: number, requestOf: (n: number) => object): Promise<void> {
  const lines = Array.from({ length: count }, (_, n) => `${JSON.stringify(requestOf(n))}\n`);
  const headers = { 'content-type': 'application/x-ndjson' };
  const { body } = await service.call('POST', path, { body: lines.join(''), headers });
  expect(String(body).split('"accepted"').length - 1).toBe(count);
}

async function uploadCampaign(name: string, requests: number): Promise<string> {
  const body = { name, reference: name, text: 'Bonjour {{prenom}}, votre colis est arrive.', country: 'SN' };
  const { id } = (await service.call('POST', '/v1/campaigns', { body })).body as { id: string };
  const rows = Array.from({ length: requests * PER_REQUEST }, (_, row) => `+22177${1_000_000 + row};Moussa`);
  const headers = { 'content-type': 'text/csv' };
  await service.call('POST', `/v1/campaigns/${id}/recipients`, { body: ['to;prenom', ...rows].join('\n'), headers });
  return id;
}

async function startAndWait(id: string): Promise<void> {
  await service.call('POST', `/v1/campaigns/${id}/start`);
  await reached(keys.record(id), 'state', 'finished');
}

async function requestsSoFar(): Promise<Readonly<Record<string, number>>> {
  return ((await service.books('summary')) as { requests: Record<string, number> }).requests;
}

function since(before: Readonly<Record<string, number>>, after: Readonly<Record<string, number>>) {
  const more = Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)] as const);
  return Object.fromEntries(more.filter(([, count]) => count > 0));
}

async function bytesOf(key: string): Promise<number> {
  return (await redis.memory('USAGE', key, 'SAMPLES', 0)) ?? 0;
}

/** Of one among a thousand: what is left free in the last node of a stream would be most of what twenty take. */
async function bytesOfEntries(stream: string): Promise<number> {
  const entries = await redis.xrevrange(stream, '+', '-', 'COUNT', DISBURSEMENTS);
  const pipeline = redis.pipeline().del('many');
  for (let n = 0; n < MANY; n += 1) pipeline.xadd('many', '*', ...(entries[n % entries.length]?.[1] ?? []));
  await pipeline.exec();
  return (await bytesOf('many')) / MANY;
}

/** Of one among a thousand: the levels of a sorted set are thrown by dice. */
async function bytesOfList(): Promise<number> {
  const pipeline = redis.pipeline();
  for (let n = 0; n < MANY; n += 1) {
    const id = derivedId('dsb', String(n));
    pipeline.zadd('many places', Date.now() + n, memberOf(id, { amount: 25_000 }));
  }
  await pipeline.exec();
  return (await bytesOf('many places')) / MANY;
}

/** Of all names of one, in a bucket as it is where there are a million operations: nineteen names. */
async function bytesOfNames(): Promise<number> {
  const buckets = await keysLike(redis, keys.names('*'));
  const [member = ''] = await redis.zrange(buckets[0] ?? '', '0', '0');
  const places = Array.from({ length: 19 }, (_, n) => [0, `${n}${member}`.slice(0, member.length)]).flat();
  await redis.zadd('many names', ...places);
  return ((await bytesOf('many names')) / 19) * NAMES;
}

async function bytesOfSlices(campaign: string): Promise<number> {
  const names = await keysLike(redis, `${keys.record(campaign)}.*`);
  const bytes = await Promise.all(names.map(bytesOf));
  return bytes.reduce((sum, each) => sum + each, 0);
}

const mean = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length;
