/** What somebody who can write to Redis may do to the audit, and how it is found. */
import { beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { Secret } from '../../src/lib/secret.ts';
import { type Act, Audit, type AuditLine, hashOfLine, AuditSeals } from '../../src/operations/audit.ts';
import { auditSigner } from '../../src/operations/audit-marks.ts';
import { keys } from '../../src/operations/keys.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { timeOf } from '../../src/redis/clock.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';

const store = storeOfThisFile();
const SECRETS = [new Secret('of-the-processes')];
const now = (): number => systemClock.now();
const sign = auditSigner(SECRETS, systemRandom);

let audit: Audit;
let seals: AuditSeals;
beforeEach(async () => {
  await store.redis.del(keys.audit, keys.auditLast, keys.auditSeals);
  audit = new Audit(store.redis);
  seals = new AuditSeals(store.redis, audit, SECRETS);
});

/** One that was started after whatever happened to Redis, and remembers nothing. */
const another = (secrets = SECRETS): AuditSeals => new AuditSeals(store.redis, audit, secrets);

function actOf(target: string): Act {
  const key = { by: 'checker', person: 'Awa Ndiaye — Thiès', role: 'approve' };
  return {
    ...key,
    door: 'api',
    requestId: `r-${target}`,
    act: 'disbursement.approve',
    target,
    facts: { amount: 5 },
    sign,
  };
}

/** Oldest first. */
async function told(...targets: string[]): Promise<string[]> {
  for (const target of targets) await audit.tell(actOf(target));
  return (await audit.after('0-0', '+', 1_000)).map(({ id }) => id);
}

test('a line says when, by the clock of Redis', async () => {
  const before = await timeOf(store.redis);
  await told('dsb_1');
  const after = await timeOf(store.redis);
  const [line] = await audit.page({ limit: 1 });
  expect(Number(line?.words.at)).toBeGreaterThanOrEqual(before);
  expect(Number(line?.words.at)).toBeLessThanOrEqual(after);
  // The place of the line is of that clock too.
  expect(Math.abs(Number(line?.id.split('-')[0]) - Number(line?.words.at))).toBeLessThanOrEqual(1);
});

/** Writes the stream anew, as only somebody can who can write to Redis. */
async function rewritten(change: (words: Record<string, string>, place: number) => object | undefined, anew = false) {
  const lines = await audit.after('0-0', '+', 1_000);
  await store.redis.del(keys.audit);
  let [hash, id] = ['', '0-0'];
  for (const [place, line] of lines.entries()) {
    const words = change({ ...line.words }, place) as typeof line.words | undefined;
    if (!words) continue;
    hash = anew ? hashOfLine({ id: line.id, words }, hash) : words.hash;
    id = line.id;
    await store.redis.xadd(keys.audit, id, ...Object.entries({ ...words, hash }).flat());
  }
  if (anew) await store.redis.set(keys.auditLast, `${id} ${hash}`);
}

let forged = 0;

/** Puts a line behind the last, as only somebody can who can write to Redis; `told`: the place of the last one too. */
async function appended(words: Record<string, string>, { told: tellsLast }: { told: boolean }): Promise<string> {
  const { hash: before = '' } = (await audit.last()) ?? {};
  forged += 1;
  const id = `99999999999999-${forged}`;
  const line = { id, words: { ...words } as AuditLine['words'] };
  const hash = hashOfLine(line, before);
  await store.redis.xadd(keys.audit, id, ...Object.entries({ ...line.words, hash }).flat());
  if (tellsLast) await store.redis.set(keys.auditLast, `${id} ${hash}`);
  return id;
}

const instead = (words: Record<string, string>, by: string) => ({ ...words, by });

test('what nobody has touched fits, sealed or not', async () => {
  expect((await seals.verify(now())).fault).toBeUndefined();
  const [, , last] = await told('a', 'b', 'c');
  expect(await seals.verify(now())).toMatchObject({ lines: 3, fault: undefined });
  expect(await seals.seal(now())).toBeUndefined();
  expect(await another().verify(now())).toMatchObject({ lines: 3, sealedTo: last, fault: undefined });
});

test('what another process has sealed a moment ago is left to it, and remembered', async () => {
  const [a] = await told('a');
  const other = another();
  await other.seal(now());
  await told('b');
  const began = now() - 4_000;
  expect(await seals.seal(now(), began)).toBeUndefined();
  expect(await another().verify(now())).toMatchObject({ lines: 2, sealedTo: a });
  expect(await seals.seal(now(), now() + 1)).toBeUndefined();
  expect(await another().verify(now())).toMatchObject({ lines: 2, sealedTo: (await audit.last())?.id });
});

describe('found', () => {
  test('a line that was changed by hand', async () => {
    const [, b] = await told('a', 'b', 'c');
    await rewritten((words, place) => (place === 1 ? instead(words, 'somebody else') : words));
    expect((await seals.verify(now())).fault?.id).toBe(b);
  });

  test('a line that was taken from the middle, by the one after it', async () => {
    const [, b = '', c] = await told('a', 'b', 'c');
    await store.redis.xdel(keys.audit, b);
    expect((await seals.verify(now())).fault?.id).toBe(c);
  });

  test('the first lines that were taken away', async () => {
    const [a = '', b] = await told('a', 'b', 'c');
    await seals.seal(now());
    await store.redis.xdel(keys.audit, a);
    expect((await another().verify(now())).fault?.id).toBe(b);
  });

  test('the last line that was cut off, also once another act has followed', async () => {
    const [, , c = ''] = await told('a', 'b', 'c');
    await store.redis.xdel(keys.audit, c);
    expect((await seals.verify(now())).fault).toMatchObject({ id: c, why: expect.stringMatching(/no longer there/) });
    const d = (await told('d')).at(-1);
    expect((await seals.verify(now())).fault?.id).toBe(d);
  });

  test('a sealed line that was changed, with all hashes after it and the last made anew', async () => {
    const [, , c] = await told('a', 'b', 'c');
    await seals.seal(now());
    await told('d');
    await rewritten((words, place) => (place === 1 ? instead(words, 'somebody else') : words), true);
    expect((await another().verify(now())).fault).toMatchObject({
      id: c,
      why: expect.stringMatching(/sealed otherwise/),
    });
  });

  test('a sealed end that was cut off, with all else made to fit', async () => {
    const [, , c] = await told('a', 'b', 'c');
    await seals.seal(now());
    await rewritten((words, place) => (place === 2 ? undefined : words), true);
    expect((await another().verify(now())).fault?.id).toBe(c);
  });

  test('an audit that was taken back with its seals, by a process that had seen more', async () => {
    await told('a');
    await seals.seal(now());
    const copies = await Promise.all(
      [keys.audit, keys.auditLast, keys.auditSeals].map((key) => store.redis.dumpBuffer(key)),
    );
    const [, b] = await told('b');
    await seals.seal(now());
    for (const [at, key] of [keys.audit, keys.auditLast, keys.auditSeals].entries()) {
      await store.redis.restore(key, 0, copies[at] ?? '', 'REPLACE');
    }
    expect((await another().verify(now())).fault).toBeUndefined();
    expect((await seals.verify(now())).fault?.id).toBe(b);
    expect((await seals.seal(now()))?.id).toBe(b);
  });

  test('a line that was put behind the last, with a hash that fits', async () => {
    await told('a', 'b');
    await seals.seal(now());
    const [line] = await audit.page({ limit: 1 });
    const id = await appended({ ...line?.words, target: 'c' }, { told: false });
    expect((await seals.verify(now())).fault?.id).toBe(id);
  });

  test.each([true, false])('one that is told as the last too, sealed before it: %s', async (sealed) => {
    await told('a', 'b');
    if (sealed) await seals.seal(now());
    const [line] = await audit.page({ limit: 1 });
    const id = await appended({ ...line?.words, target: 'c' }, { told: true });
    const fault = { id, why: expect.stringMatching(/no process/) };
    expect((await seals.verify(now())).fault).toMatchObject(fault);
    expect(await seals.seal(now())).toMatchObject(fault);
    expect((await another().verify(now())).fault).toMatchObject(fault);
  });

  test('a line without a mark, or with that of another', async () => {
    await told('a', 'b');
    const [second, first] = await audit.page({ limit: 2 });
    const marks = { none: '', 'of the line before': first?.words.mark ?? '' };
    for (const [which, mark] of Object.entries(marks)) {
      const line = await appended({ ...second?.words, requestId: 'r-c', mark }, { told: true });
      expect((await seals.verify(now())).fault?.id, which).toBe(line);
      await store.redis.xdel(keys.audit, line);
      await store.redis.set(keys.auditLast, `${second?.id} ${second?.words.hash}`);
      expect((await seals.verify(now())).fault, which).toBeUndefined();
    }
  });

  test.each([true, false])('a line of before that was put there once more, sealed before it: %s', async (sealed) => {
    await told('a', 'b');
    if (sealed) await seals.seal(now());
    const [, line] = await audit.page({ limit: 2 });
    const again = await appended({ ...line?.words }, { told: true });
    const fault = { id: again, why: expect.stringMatching(/twice/) };
    expect((await seals.verify(now())).fault).toMatchObject(fault);
    await seals.seal(now());
    expect((await another().verify(now())).fault).toMatchObject(fault);
  });

  test('seals that were taken away, or made with another secret', async () => {
    const [a, b] = await told('a', 'b');
    await new AuditSeals(store.redis, audit, [new Secret('of a stranger')], SECRETS).seal(now());
    expect((await another().verify(now())).fault).toMatchObject({ id: b, why: expect.stringMatching(/no secret/) });
    await store.redis.del(keys.auditSeals);
    expect((await another().verify(now())).fault).toBeUndefined();
    expect((await another().verify(now() + 120_000)).fault?.id).toBe(a);
  });
});

describe('the number of lines', () => {
  const at = (place: number, places: readonly string[]): string => places[place] ?? '';

  test('is right while only relais writes, sealed or not, and after old lines were forgotten', async () => {
    expect(await seals.isCountRight()).toBe(true);
    await told('dsb_1', 'dsb_2', 'dsb_3');
    await seals.seal(now());
    await told('dsb_4');
    expect(await seals.isCountRight()).toBe(true);
    await seals.forget({ beforeAt: now() + 1, most: 1_000, act: actOf('') });
    await told('dsb_5');
    expect(await seals.isCountRight()).toBe(true);
  });

  test('is wrong as soon as a sealed line is taken out or put in, for a process that remembers nothing too', async () => {
    const places = await told('dsb_1', 'dsb_2', 'dsb_3');
    await seals.seal(now());
    await told('dsb_4');
    await store.redis.xdel(keys.audit, at(1, places));
    expect(await another([]).isCountRight()).toBe(false);
  });
});

test('what does not fit is sealed by nobody', async () => {
  const [a] = await told('a', 'b');
  await rewritten((words, place) => (place === 0 ? instead(words, 'somebody else') : words));
  expect((await seals.seal(now()))?.id).toBe(a);
  expect(await store.redis.llen(keys.auditSeals)).toBe(0);
});

test('two processes that seal at once leave one seal', async () => {
  await told('a', 'b');
  await Promise.all([seals.seal(now()), another().seal(now())]);
  expect(await store.redis.llen(keys.auditSeals)).toBe(1);
  await told('c');
  await Promise.all([seals.seal(now()), another().seal(now())]);
  await told('d');
  await seals.seal(now());
  // The one in between is left out until there are a thousand lines, or a day.
  expect(await store.redis.llen(keys.auditSeals)).toBe(2);
  expect(await another().verify(now())).toMatchObject({ lines: 4, fault: undefined });
});

describe('what is too old', () => {
  const DAY_MS = 86_400_000;
  const forgotten = { ...actOf(''), act: 'audit.forget' };

  test('is forgotten up to a seal, which is told, and what stays still fits', async () => {
    await told('a', 'b');
    await seals.seal(now() - 10 * DAY_MS);
    const [, , c] = await told('c');
    await seals.seal(now());
    expect(await seals.forget({ beforeAt: now() - 20 * DAY_MS, most: 1_000, act: forgotten })).toBe(0);
    expect(await seals.forget({ beforeAt: now() - 5 * DAY_MS, most: 1_000, act: forgotten })).toBe(2);
    expect((await told())[0]).toBe(c);
    const [newest] = await audit.page({ limit: 1 });
    expect(newest?.words).toMatchObject({ act: 'audit.forget', after: expect.stringContaining('"forgotten":2') });
    expect(await another().verify(now())).toMatchObject({ lines: 4, first: c, fault: undefined });
    await seals.seal(now());
    expect(await another().verify(now())).toMatchObject({ lines: 4, fault: undefined });
  });

  test('so is what is beyond the newest so many; and not what does not fit', async () => {
    const [a] = await told('a');
    await seals.seal(now());
    await told('b', 'c');
    await seals.seal(now());
    await rewritten((words, place) => (place === 0 ? instead(words, 'somebody else') : words));
    expect(await seals.forget({ beforeAt: 0, most: 2, act: forgotten })).toMatchObject({ id: a });
    expect((await seals.verify(now())).fault?.id).toBe(a);
    await rewritten((words, place) => (place === 0 ? instead(words, 'checker') : words));
    expect(await seals.forget({ beforeAt: 0, most: 2, act: forgotten })).toBe(1);
  });
});

test('with a new secret the old one can go once all was sealed anew', async () => {
  const both = [new Secret('the next one'), ...SECRETS];
  await told('a');
  await seals.seal(now());
  await another(both).reseal({ ...actOf(''), act: 'secrets.rotate', sign: auditSigner(both, systemRandom) });
  expect((await audit.page({ limit: 1 }))[0]?.words.act).toBe('secrets.rotate');
  expect((await another(both.slice(0, 1)).verify(now())).fault).toBeUndefined();
});
