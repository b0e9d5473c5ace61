/** What stands in Redis about a request while it is on its way: read past the wires, before the service hears of it. */
import { Redis } from 'ioredis';
import { standingOf, unpackItems } from '../../src/operations/slice-form.ts';
import { isSlice, readSlice } from '../../src/operations/slices.ts';
import { type Image, type TextImage, isSend, isSubmit, submitNames, textsOf } from './hearsay.ts';
import type { Power } from './power.ts';
import type { Exchange } from './tap.ts';

export interface Images {
  readonly submits: ReadonlyMap<Exchange, Image>;
  readonly texts: ReadonlyMap<Exchange, TextImage>;
}

const PREFIX = '{relais}';
const MICROS = 1_000;

export function imageReader(power: Power, idOf: (disburseId: string) => string | undefined) {
  const redis = new Redis({
    port: power.port,
    host: '127.0.0.1',
    enableOfflineQueue: false,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 1_000,
    retryStrategy: () => 50,
  });
  // Redis is killed often; a record that could not be read then is counted as not seen.
  redis.on('error', () => undefined);
  const submits = new Map<Exchange, Image>();
  const texts = new Map<Exchange, TextImage>();
  const readSubmit = async (exchange: Exchange): Promise<void> => {
    const id = idOf(submitNames(exchange).disburseId);
    if (id === undefined) return;
    const [now, [state, token, sends, sentAt]] = await Promise.all([
      redis.time(),
      redis.hmget(`${PREFIX}:op:${id}`, 'state', 'token', 'sends', 'sentAt'),
    ]);
    submits.set(exchange, {
      state: state ?? '',
      token: token ?? '',
      sends: Number(sends ?? 0),
      ageMs: msOf(now) - Number(sentAt ?? 0),
    });
  };
  const readTexts = async (exchange: Exchange): Promise<void> => {
    texts.set(exchange, await intentOf(redis, exchange));
  };
  const before = async (exchange: Exchange): Promise<void> => {
    try {
      if (isSubmit(exchange)) await readSubmit(exchange);
      if (isSend(exchange)) await readTexts(exchange);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
    }
  };
  return { images: { submits, texts }, before, close: () => redis.disconnect() };
}

/** When the intent was last renewed of the request that carries the first of these texts. */
async function intentOf(redis: Redis, exchange: Exchange): Promise<TextImage> {
  const [first] = textsOf(exchange);
  const digits = (first?.to ?? '').replace('+', '');
  const [now, step] = await Promise.all([redis.time(), lastStepOf(redis, digits)]);
  return step === undefined ? {} : { ageMs: msOf(now) - step };
}

/** When the lease was last renewed of the slice in which a request to this number is about to leave. */
async function lastStepOf(redis: Redis, digits: string): Promise<number | undefined> {
  const due = ['sms-batch', 'sms-otp'].map((queue) => redis.zrange(`${PREFIX}:due:${queue}`, '0', '-1'));
  const ids = (await Promise.all(due)).flat().filter(isSlice);
  const slices = await Promise.all(ids.map((id) => redis.hgetall(`${PREFIX}:op:${id}`)));
  const found = slices.find((fields) => {
    if (!fields['items']?.includes(digits)) return false;
    const slice = readSlice(fields);
    const place = unpackItems(slice).findIndex(({ to }) => to === `+${digits}`);
    return standingOf(slice.count, slice.requests).letters[place] === 'g';
  });
  return found && Number(found['updatedAt']);
}

/** What TIME answers: seconds and µs. */
const msOf = ([seconds, micros]: readonly (number | string)[]): number =>
  Number(seconds) * 1_000 + Number(micros) / MICROS;
