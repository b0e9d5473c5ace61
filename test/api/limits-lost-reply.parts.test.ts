/**
 * A limit came into force, but its answer was lost: a repeated request gets the answer, and the audit log has one
 * line.
 */
import express, { type ErrorRequestHandler, type Request } from 'express';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { ApiContext } from '../../src/api/context.ts';
import { type ApiKey, KeyRing } from '../../src/api/keys.ts';
import { limitRoutes } from '../../src/api/limits.ts';
import type { Admission } from '../../src/api/admission.ts';
import { mount } from '../../src/api/mount.ts';
import { HeldBytes } from '../../src/lib/held-bytes.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { Audit } from '../../src/ledger/audit.ts';
import { MoneyLimits } from '../../src/ledger/limits.ts';
import { Database } from '../../src/ledger/pool.ts';
import { listen } from '../../src/app/listener.ts';
import { Link } from '../support/link.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';
import { onlyOf } from '../support/only.ts';
import { ask } from '../support/service.ts';

let store: FreshLedger;
let direct: Database;
beforeAll(async () => {
  store = await freshLedger();
  direct = new Database({ url: store.url, schema: store.schema });
});
afterAll(async () => {
  await direct.close();
  await store.close();
});

/** The API of limits with a PostgreSQL connection that can be cut. The request names the key. */
async function door() {
  const database = new URL(store.url);
  const link = await Link.to(Number(database.port));
  database.port = String(link.port);
  const wired = new Database({ url: database.href, schema: store.schema });
  const limits = new MoneyLimits({ database: wired });
  const app = express();
  const context = onlyOf<ApiContext>({
    onWrite: () => undefined,
    heldBytes: new HeldBytes({ ofCaller: 100_000_000, ofProcess: 100_000_000 }),
    limits,
    keyRing: new KeyRing({ fixed: [], read: async () => [], clock: systemClock }),
    clock: systemClock,
    traces: undefined,
  });
  const roles = new Set(['read', 'approve'] as const);
  const keyIn = (request: Request): ApiKey => ({
    name: request.get('x-name') ?? '',
    roles,
    digest: Buffer.alloc(0),
  });
  app.use(mount(limitRoutes, context, onlyOf<Admission>({ byRequest: keyIn })));
  const failed: ErrorRequestHandler = (_error, _request, response, _next) => void response.status(503).end();
  app.use(failed);
  const times = { headersMs: 10_000, requestMs: 10_000, silenceMs: 30_000 };
  const { url, close } = await listen(app, {
    host: '127.0.0.1',
    port: 0,
    setting: 'API_PORT',
    connections: 100,
    drainMs: 5_000,
    ...times,
  });
  onTestFinished(async () => {
    await close();
    await wired.close();
    await link.close();
  });
  const set = async (name: string, value: number) => {
    const how = { body: { value }, headers: { 'x-name': name } };
    return (await ask(`${url}/v1/limits/MAX_PER_DAY`, 'POST', how)).status;
  };
  /** Changes and their authors, newest first. */
  const audited = async () => {
    const lines = await new Audit({ database: direct }).page({ limit: 10 });
    return lines.map(({ words: { by, target, before, after } }) => [by, target, before, after].join(' '));
  };
  return { audited, link, set };
}

test('a looser limit whose answer was lost is logged one time, for any number of retries', async () => {
  const { audited, link, set } = await door();
  expect([await set('maker', 100), await set('maker', 200)]).toEqual([200, 202]);
  const isCommit = (asked: Buffer): boolean => /commit/i.test(asked.toString('latin1'));
  link.loseReplyTo(isCommit);
  expect(await set('checker', 200)).toBe(503);
  const held = await store.query("select value::int from relais.limit_value where name = 'MAX_PER_DAY'");
  expect(held).toEqual([{ value: 200 }]);
  expect(await set('checker', 200)).toBe(200);
  expect(await set('maker', 200)).toBe(200);
  expect(await audited()).toEqual([
    'checker MAX_PER_DAY {"value":"100"} {"is":"in force","asked":"200","value":"200"}',
    'maker MAX_PER_DAY {"value":"100"} {"is":"waits","asked":"200","value":"100"}',
    'maker MAX_PER_DAY {"value":"off"} {"is":"in force","asked":"100","value":"100"}',
  ]);
});
