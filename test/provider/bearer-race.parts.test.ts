import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database, Run } from '../../src/ledger/pool.ts';
import { type OpenLedger, openLedger } from '../support/fresh-ledger.ts';
import { type Listener, json, listen, liveAccount, openUpstream } from './listener.ts';

let store: OpenLedger;
let listener: Listener;
let logins = 0;
beforeAll(async () => {
  store = await openLedger();
  listener = await listen((heard, response) => {
    const login = heard.path.endsWith('/auth/login');
    if (login) logins += 1;
    const bearer = { access_token: `bearer-${logins}`, token_type: 'bearer', expires_in: 3_600 };
    return json(login ? bearer : { code: '00', message: 'success', data: { valid_number: [] } })(heard, response);
  });
});
afterAll(async () => {
  await listener.close();
  await store.close();
});

/** A process that is slow between its read of the bearer and its try for the login lease. */
function slowAtTheLease(database: Database): {
  database: Pick<Database, 'run' | 'transaction'>;
  reached: Promise<void>;
  goOn: () => void;
} {
  const { promise: gate, resolve: goOn } = withResolvers();
  const { promise: reached, resolve: arrive } = withResolvers();
  const run: Run = async (name, values) => {
    if (name === 'lock_login') {
      arrive();
      await gate;
    }
    return database.run(name, values);
  };
  return { database: { run, transaction: (work) => database.transaction(work) }, reached, goOn };
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

test('a process that comes late to the lock uses the bearer that was stored meanwhile', async () => {
  const late = slowAtTheLease(store.database);
  const [slow, quick] = [
    openUpstream(listener.url, { database: late.database }),
    openUpstream(listener.url, { database: store.database }),
  ];
  const ask = ({ upstream }: typeof quick) =>
    upstream.messaging.statistics(liveAccount(), { numbers: ['+221771234567'] });
  const waiting = ask(slow);
  await late.reached;
  expect((await ask(quick)).is).toBe('ok');
  late.goOn();
  expect((await waiting).is).toBe('ok');
  expect(logins).toBe(1);
  await Promise.all([slow.upstream.close(), quick.upstream.close()]);
});
