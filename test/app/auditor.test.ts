import { expect, test, vi } from 'vitest';
import { auditorPart } from '../../src/app/auditor.ts';
import type { Container } from '../../src/app/container.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { type Audit, type AuditSeals } from '../../src/operations/audit.ts';
import { onlyOf } from '../support/only.ts';

const HOUR_MS = 3_600_000;

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
    redis: onlyOf<Container['redis']>({ time: async () => [0, 0] }),
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
