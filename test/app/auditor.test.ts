import type { Redis } from 'ioredis';
import { expect, test, vi } from 'vitest';
import { auditorPart } from '../../src/app/auditor.ts';
import type { Container } from '../../src/app/container.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { AuditVerification } from '../../src/operations/audit-verified.ts';
import { keys } from '../../src/operations/keys.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { type Audit, type AuditSeals } from '../../src/operations/audit.ts';
import { onlyOf } from '../support/only.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const HALF_MINUTE_MS = 30_000;

test('an audit of which nothing is forgotten any more, since a line does not fit, says so once', async () => {
  const hourly: (() => void)[] = [];
  const logged: unknown[] = [];
  const clock = onlyOf<Clock>({
    now: () => 0,
    after: (ms, run) => {
      if (ms === HOUR_MS) hourly.push(run);
      return () => undefined;
    },
  });
  const container = onlyOf<Container>({
    clock,
    config: onlyOf<Container['config']>({ AUDIT_KEEP: 1, AUDIT_MOST: 1 }),
    random: systemRandom,
    time: async () => 0,
    auditVerification: onlyOf<Container['auditVerification']>({}),
    logger: onlyOf<Container['logger']>({ error: (...words: unknown[]) => void logged.push(words) }),
    quietly: (_what, error) => void logged.push(error),
  });
  const fault = { id: '7-0', why: 'it was put there twice' };
  const auditSeals = onlyOf<AuditSeals>({ forget: async () => fault, seal: async () => undefined });
  const stop = await auditorPart(container, { audit: onlyOf<Audit>({}), auditSeals, signAct: undefined }).start();
  for (let hour = 1; hour <= 2; hour += 1) {
    hourly.at(-1)?.();
    await vi.waitUntil(() => hourly.length === hour + 1);
  }
  expect(logged).toEqual([[fault, expect.stringContaining('nothing of the audit is forgotten')]]);
  await stop();
});

/** An auditor whose half minutes are turned by hand. */
async function auditing(found: { isRight?: boolean; fault?: { id: string; why: string } }) {
  const looks: (() => void)[] = [];
  const logged: unknown[] = [];
  const stored = new Map<string, string>();
  let seconds = 1_000_000;
  let verified = 0;
  const clock = onlyOf<Clock>({
    after: (ms, run) => {
      if (ms === HALF_MINUTE_MS) looks.push(run);
      return () => undefined;
    },
  });
  const set = (key: string, value: string, ...how: unknown[]) => {
    if (how.includes('NX') && stored.has(key)) return null;
    stored.set(key, value);
    return 'OK';
  };
  const multi = {
    set: (key: string, value: string) => (set(key, value), multi),
    del: (key: string) => (stored.delete(key), multi),
    exec: async () => [],
  };
  const redis = onlyOf<Redis>({
    get: async (key: string) => stored.get(key) ?? null,
    set: (async (...words: Parameters<typeof set>) => set(...words)) as unknown as Redis['set'],
    multi: (() => multi) as unknown as Redis['multi'],
  });
  const container = onlyOf<Container>({
    clock,
    config: onlyOf<Container['config']>({ AUDIT_KEEP: 1, AUDIT_MOST: 1 }),
    random: systemRandom,
    time: async () => seconds * 1_000,
    auditVerification: new AuditVerification(redis),
    logger: onlyOf<Container['logger']>({ error: (...words: unknown[]) => void logged.push(words) }),
    quietly: (_what, error) => void logged.push(error),
  });
  const auditSeals = onlyOf<AuditSeals>({
    seal: async () => undefined,
    isCountRight: async () => found.isRight !== false,
    verify: async () => {
      verified += 1;
      return { lines: 7, first: undefined, last: undefined, sealedTo: undefined, fault: found.fault };
    },
  });
  const stop = await auditorPart(container, { audit: onlyOf<Audit>({}), auditSeals, signAct: undefined }).start();
  return {
    logged,
    stop,
    stored: () => JSON.parse(stored.get(keys.auditVerified) ?? 'null') as unknown,
    /** So long later. Answers how often every line was read so far. */
    async later(ms: number): Promise<number> {
      seconds += ms / 1_000;
      const before = looks.length;
      looks.at(-1)?.();
      await vi.waitUntil(() => looks.length === before + 1);
      return verified;
    },
  };
}

test('every line of the audit is verified at the start and once a day, by one process', async () => {
  const auditor = await auditing({});
  expect(await auditor.later(HALF_MINUTE_MS)).toBe(1);
  expect(await auditor.later(HALF_MINUTE_MS)).toBe(1);
  expect(await auditor.later(DAY_MS)).toBe(2);
  expect(auditor.stored()).toEqual({ at: expect.any(Number), lines: 7 });
  expect(auditor.logged).toEqual([]);
  await auditor.stop();
});

test('a line that was taken out is found within a minute, logged once, and stored for the doctor and the gauge', async () => {
  const found: Parameters<typeof auditing>[0] = {};
  const auditor = await auditing(found);
  expect(await auditor.later(HALF_MINUTE_MS)).toBe(1);
  Object.assign(found, { isRight: false, fault: { id: '7-0', why: 'its hash does not fit' } });
  expect(await auditor.later(HALF_MINUTE_MS)).toBe(2);
  expect(await auditor.later(HALF_MINUTE_MS)).toBe(2);
  expect(auditor.stored()).toMatchObject({ fault: { id: '7-0' } });
  expect(auditor.logged).toEqual([[found.fault, expect.stringContaining('relais audit verify')]]);
  await auditor.stop();
});
