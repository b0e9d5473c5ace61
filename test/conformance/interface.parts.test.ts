/** The client against the interface: its requests, and its verdict on every documented answer. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type Answerer,
  type Listener,
  type Opened,
  listen,
  liveAccount,
  openUpstream,
} from '../provider/listener.ts';
import { logInLongAgo } from '../provider/old-bearer.ts';
import { type OpenLedger, openLedger } from '../support/fresh-ledger.ts';
import { callsWith, payBy } from './calls.ts';
import {
  type Fact,
  type OperationName,
  answersOf,
  facts,
  fits,
  generalAnswers,
  needsBearer,
  operationNames,
  operations,
  pathsOf,
} from './interface-page.ts';

let store: OpenLedger;
let listener: Listener;
let opened: Opened;
const calls = callsWith();
const goodLogin = { access_token: 'bearer-1', token_type: 'bearer', expires_in: 3_600 };

beforeAll(async () => {
  store = await openLedger();
  listener = await listen(() => undefined);
  opened = openUpstream(listener.url, { database: store.database, softpayCard: true, timeoutMs: 2_000 });
});
afterAll(async () => {
  await opened.upstream.close();
  await listener.close();
  await store.close();
});
let accounts = 0;
beforeEach(() => {
  listener.heard.length = 0;
  // Refused bearers and keys are cached per account: each test has its own.
  accounts += 1;
});
const account = (mode: 'live' | 'test' = 'live') => liveAccount({ name: `account-${accounts}`, mode });

interface Written {
  readonly http: number;
  readonly text: string;
  readonly retryAfter?: string | undefined;
}

/** Answers the operation as given, and a login before it with success. */
function answer(operation: OperationName | 'softpay', { http, text, retryAfter }: Written): Answerer {
  return (heard, response) => {
    const login = heard.path === facts.operations.sms_login.paths.live && operation !== 'sms_login';
    const headers = { 'content-type': 'application/json', ...(retryAfter ? { 'retry-after': retryAfter } : {}) };
    response.writeHead(login ? 200 : http, headers).end(login ? JSON.stringify(goodLogin) : text);
  };
}

const written = ({ http, body }: Pick<Fact, 'http' | 'body'>): Written => ({ http, text: JSON.stringify(body) });
const lastHeard = () => listener.heard.at(-1)!;
const bodyOf = (name: OperationName): unknown =>
  name === 'sms_login' ? Object.fromEntries(new URLSearchParams(lastHeard().text)) : lastHeard().json;

function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
}

describe.for(operationNames)('%s', (name) => {
  const { method, paths, request, area } = operations[name];
  const [first] = answersOf(name);

  test('goes to its path, with its headers', async () => {
    listener.answer(answer(name, written(first!)));
    await calls[name].whole(opened.upstream, account());
    const heard = lastHeard();
    expect(heard.method).toBe(method);
    expect(heard.path).toMatch(pathPattern(paths.live));
    if (area === 'crm') expect(heard.headers['accept']).toBe(facts.authentication['sms accept']);
    else for (const header of facts.authentication['payment headers']) expect(heard.rawHeaders).toContain(header);
    if (needsBearer(name)) expect(heard.headers['authorization']).toBe('Bearer bearer-1');
  });

  test('in test mode goes to the sandbox path, or nowhere', async () => {
    if (area === 'crm') return;
    listener.answer(answer(name, written(first!)));
    const verdict = await calls[name].whole(opened.upstream, account('test'));
    if (paths.test) expect(lastHeard().path).toMatch(pathPattern(paths.test));
    else expect([verdict.exchange.code, listener.heard.length]).toEqual(['live_only', 0]);
  });

  test('sends every field of the page and no other, each of its type', async () => {
    listener.answer(answer(name, written(first!)));
    await calls[name].whole(opened.upstream, account());
    const sent = method === 'GET' ? new Map<string, string>() : pathsOf(bodyOf(name));
    expect([...sent.keys()].sort()).toEqual(Object.keys(request).sort());
    for (const [path, type] of sent) expect(fits(type, request[path] ?? ''), `${path} is ${type}`).toBe(true);
  });

  test('never omits a required field', async () => {
    listener.answer(answer(name, written(first!)));
    await calls[name].least(opened.upstream, account());
    const sent = method === 'GET' ? [] : [...pathsOf(bodyOf(name)).keys()];
    const required = Object.entries(request).filter(([, type]) => type.endsWith(' required'));
    expect(sent).toEqual(expect.arrayContaining(required.map(([path]) => path)));
  });

  test.for(answersOf(name))('$http $name is $is', async (fact) => {
    listener.answer(answer(name, written(fact)));
    if (needsBearer(name)) await logInLongAgo(opened.upstream, store, account());
    const call = calls[name][fact.request ?? 'whole'] ?? calls[name].whole;
    const verdict = await call(opened.upstream, account());
    expect([verdict.is, verdict.exchange.code]).toEqual([fact.is, fact.code]);
    if (fact.condition) expect(verdict).toMatchObject({ condition: fact.condition });
  });

  test.for(generalAnswers(operations[name].class))('$name is $is', async ({ http, text, is, retryAfter }) => {
    listener.answer(answer(name, { http, text, retryAfter }));
    expect((await calls[name].whole(opened.upstream, account())).is).toBe(is);
  });
});

describe.for(Object.entries(facts.softpay.methods))('softpay %s', ([suffix, { fields, extra }]) => {
  test('sends its fields, in their order, and nothing else', async () => {
    listener.answer(answer('softpay', { http: 200, text: '{"success":true,"message":"ok"}' }));
    await payBy(suffix, 'inv-1')(opened.upstream, account());
    expect(lastHeard()).toMatchObject({ method: 'POST', path: facts.softpay.path.replace('{suffix}', suffix) });
    expect(Object.keys(lastHeard().json as object)).toEqual(fields);
  });

  test('passes on the other fields of a success', async () => {
    const body = { success: true, message: 'ok' };
    for (const path of extra) plant(body, path.split('.'));
    listener.answer(answer('softpay', { http: 200, text: JSON.stringify(body) }));
    const verdict = await payBy(suffix, 'inv-1')(opened.upstream, account());
    const told = JSON.stringify(verdict);
    for (const path of extra) expect(told, path).toContain(`"${path} was here"`);
  });

  test.for(facts.softpay.answers)('$name is $is', async (fact) => {
    listener.answer(answer('softpay', written(fact)));
    const verdict = await payBy(suffix, 'inv-1')(opened.upstream, account());
    expect([verdict.is, verdict.exchange.code]).toEqual([fact.is, fact.code]);
  });
});

/** Inserts a text at a path that identifies the position. */
function plant(body: Record<string, unknown>, path: readonly string[]): void {
  let at = body;
  for (const name of path.slice(0, -1)) at = (at[name] ??= {}) as Record<string, unknown>;
  at[path.at(-1) ?? ''] = `${path.join('.')} was here`;
}
