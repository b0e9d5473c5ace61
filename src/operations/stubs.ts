/**
 * What is left in Redis of a record that history alone has: its identity, so that nothing is ever paid anew under an
 * old one. A stub is 18 letters: 8 that name the identity, 6 of the fingerprint of its request, one for the state in
 * which it left, and three for the day until which it is kept. It stands among some hundred others in a hash that Redis
 * packs.
 */
import { fingerprint } from '../lib/ids.ts';
import { answersOf, maybe, type RecordHost, text } from '../redis/scripts.ts';
import { keys } from './keys.ts';
import { inverse } from './record.ts';

/** 18 bits choose the bucket: Redis packs a hash of up to 512, so that a hundred million stubs are packed. */
const BUCKET_LETTERS = 3;
/** 48 bits more name the identity in it: of a hundred million, no two in ten thousand such houses are taken for one. */
const NAME_LETTERS = 8;
/** So much of the fingerprint of a request tells another request under the same identity. */
export const STUB_PRINT = 6;

/** Which records may leave a stub, by the states in which they do. Letters stay what they are: stubs outlive versions. */
export const letterOfState: Readonly<Record<string, string>> = {
  succeeded: 's',
  failed: 'f',
  reversed: 'r',
  rejected: 'j',
  cancelled: 'c',
  sent: 'd',
  expired: 'e',
  skipped: 'k',
  completed: 'p',
  finished: 'n',
  // They are not over: only where history alone knows of them, after a copy of Redis was put back.
  unknown: 'u',
};
export const stateOfLetter = inverse(letterOfState);
/** In the place of a fingerprint, and of a state: of what was accepted in a lost time nobody knows either. */
export const LOST_STUB = `${'.'.repeat(STUB_PRINT)}.`;

interface StubPlace {
  readonly stubs: string;
  readonly stubName: string;
}

export function stubAt(id: string): StubPlace {
  const letters = fingerprint(id);
  return {
    stubs: keys.stubs(letters.slice(0, BUCKET_LETTERS)),
    stubName: letters.slice(BUCKET_LETTERS, BUCKET_LETTERS + NAME_LETTERS),
  };
}

/** As the scripts that accept take them: of the identity, and of the one that its reference alone would have. */
export function stubsOf(id: string, otherId: string) {
  if (otherId === id) return stubAt(id);
  const { stubs, stubName } = stubAt(otherId);
  return { ...stubAt(id), otherStubs: stubs, otherStubName: stubName };
}

/** Whether its identity is taken since nobody knows what became of it. */
export async function isOfLostTime(redis: Pick<RecordHost, 'hmget'>, id: string): Promise<boolean> {
  const { stubs, stubName } = stubAt(id);
  const [stub] = await redis.hmget(stubs, stubName);
  return stub?.startsWith(LOST_STUB) ?? false;
}

/** What is left of one. */
interface Stub {
  readonly state: string;
  /** Whether it was asked for with this fingerprint. */
  readonly isOf: (fingerprint: string) => boolean;
}

/** Of those of them that history alone has, in this order. */
export async function stubsLeft(
  redis: Pick<RecordHost, 'pipeline'>,
  ids: readonly string[],
): Promise<(Stub | undefined)[]> {
  if (ids.length === 0) return [];
  const pipeline = redis.pipeline();
  for (const { stubs, stubName } of ids.map(stubAt)) pipeline.hget(stubs, stubName);
  const found = await answersOf(pipeline, maybe(text));
  return found.map((stub) => {
    const state = stub && stateOfLetter[stub.charAt(STUB_PRINT)];
    if (stub === undefined || state === undefined) return undefined;
    return { state, isOf: (print) => print.slice(0, STUB_PRINT) === stub.slice(0, STUB_PRINT) };
  });
}

/** Whether history alone has it, and it left as a caller was told. */
export async function hasLeft(
  redis: Pick<RecordHost, 'hmget' | 'pipeline'>,
  id: string,
  { fp, state }: Readonly<Record<string, string>>,
): Promise<boolean> {
  const [there] = await redis.hmget(keys.record(id), 'id');
  const [stub] = there === null ? await stubsLeft(redis, [id]) : [];
  return stub !== undefined && (fp === undefined || stub.isOf(fp)) && (state === undefined || stub.state === state);
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const BUCKETS = LETTERS.length ** BUCKET_LETTERS;

/** So many buckets from the one of that number on, and where to go on; after the last comes the first. */
export function stubBuckets(from: number, count: number): { readonly names: string[]; readonly next: number } {
  const nameOf = (number: number): string =>
    [LETTERS.length ** 2, LETTERS.length, 1]
      .map((unit) => LETTERS.charAt(Math.floor(number / unit) % LETTERS.length))
      .join('');
  const names = Array.from({ length: count }, (_, at) => nameOf((from + at) % BUCKETS));
  return { names, next: (from + count) % BUCKETS };
}
