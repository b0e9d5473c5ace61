/** A Redis that is away for a moment while the service answers: what is learnt then is not forgotten. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { payingThrough } from '../redis/paid.ts';
import { startServer } from '../redis/servers.ts';
import { startService } from '../support/service.ts';

const AT_ONCE = 5;
/** A lease is twice as long: what waits for the end of one waits for longer than any test. */
const UPSTREAM_TIMEOUT = '1h';
const LATE_MS = 2_000;
const WITHIN = { timeout: 15_000, interval: 20 };

const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

test.for(['disbursement.create', 'disbursement.submit', 'disbursement.status'])(
  'what %s answers while Redis is away is written down once it is back, and nobody waits for a lease to end',
  async (operation) => {
    const dir = mkdtempSync(join(tmpdir(), 'relais-away-'));
    closing.push(() => rmSync(dir, { recursive: true, force: true }));
    let server = await startServer({ dir });
    closing.push(() => server.stop());
    const answered: string[] = [];
    const service = await startService(
      { REDIS_URL: `redis://127.0.0.1:${server.port}`, UPSTREAM_TIMEOUT },
      { onLine: (line) => answered.push(line) },
    );
    closing.push(() => service.stop());
    const count = (): number => answered.filter((line) => line.startsWith(`${operation} `)).length;
    const paid = payingThrough(service);
    await service.control('POST', '/settings', { latencyMs: LATE_MS });
    const references = await paid.accepted(operation, AT_ONCE);

    const begun = async (): Promise<number> => (await service.books('summary')).requests[operation] ?? 0;
    await vi.waitFor(async () => expect(await begun()).toBeGreaterThanOrEqual(AT_ONCE), WITHIN);
    await server.stop();
    await vi.waitFor(async () => expect(count()).toBe(await begun()), WITHIN);
    await service.control('POST', '/settings', { latencyMs: 0 });
    server = await startServer({ dir, port: String(server.port) });
    await paid.once(references);
  },
);
