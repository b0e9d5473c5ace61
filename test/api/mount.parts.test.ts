/** Declarations of routes are what runs: three example routes over a real socket. */
import express from 'express';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { ApiContext } from '../../src/api/context.ts';
import { KeyRing, type ApiKey, readApiKeys } from '../../src/api/keys.ts';
import type { Admission } from '../../src/api/admission.ts';
import { mount } from '../../src/api/mount.ts';
import { answer, json, limit, Reply, route } from '../../src/api/route.ts';
import { ApiProblem, sendProblem } from '../../src/api/problem.ts';
import { HeldBytes } from '../../src/lib/held-bytes.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { listen } from '../../src/app/listener.ts';
import { onlyOf } from '../support/only.ts';
import { message } from '../../src/messages/message.ts';

const thing = z.looseObject({ is: z.string() }).meta({ id: 'Thing' });
const about = { tag: 'Operating', summary: 'A thing.', role: 'read', scope: 'none' } as const;

const forgotten: string[] = [];
const list = route(
  {
    ...about,
    method: 'get',
    path: '/v1/things',
    id: 'listThings',
    query: { state: z.enum(['new', 'old']).optional(), limit: limit(50, 100) },
    answers: { 200: answer('All of them.', thing) },
  },
  ({ query }) => ({ is: `${query.state ?? 'any'} ${query.limit + 1}` }),
);
const make = route(
  {
    ...about,
    method: 'post',
    path: '/v1/things',
    id: 'makeThing',
    role: 'operate',
    body: json(z.strictObject({ size: z.int(), colour: z.string().default('red') }).meta({ id: 'ThingRequest' })),
    answers: { 200: answer('Known already.', thing), 201: answer('Made.', thing) },
  },
  ({ body, key }) => new Reply(201, { is: `${body.colour} ${body.size + 1} by ${key.name}` }),
);
const show = route(
  { ...about, method: 'get', path: '/v1/things/{id}', id: 'getThing', answers: { 200: answer('It.', thing) } },
  ({ params }) => ({ is: params.id }),
);
const forget = route(
  { ...about, method: 'delete', path: '/v1/things/{id}', id: 'forgetThing', answers: { 204: { says: 'Gone.' } } },
  ({ params }) => void forgotten.push(params.id),
);
const stop = route(
  { ...about, method: 'post', path: '/v1/things/{id}/stop', id: 'stopThing', answers: { 200: answer('It.', thing) } },
  ({ params }) => ({ is: `${forgotten.push(params.id)}` }),
);
const page = route(
  {
    method: 'get',
    path: '/things.txt',
    id: 'getPage',
    tag: 'Documentation',
    summary: 'A page.',
    scope: 'none',
    answers: { 200: { says: 'A page.', files: { 'text/plain': { says: 'A page.', example: 'x' } } } },
  },
  ({ response }) => void response.type('text').send('things'),
);

let url: string;
let close: () => Promise<void>;

beforeAll(async () => {
  const [reader, operator] = readApiKeys('reader:read:r,operator:read+operate:o');
  const admit = (incoming: { headers: { authorization?: string | undefined } }): ApiKey => {
    const key = { r: reader, o: operator, gone: operator && { ...operator, id: 'key_gone' } }[
      incoming.headers.authorization ?? ''
    ];
    if (key) return key;
    throw new ApiProblem('unauthenticated', message('key_missing'));
  };
  const context = onlyOf<ApiContext>({
    onWrite: () => undefined,
    heldBytes: new HeldBytes({ ofCaller: 100_000_000, ofProcess: 100_000_000 }),
    accountNames: ['main'],
    clock: systemClock,
    keyRing: new KeyRing({ fixed: [], read: async () => [], clock: systemClock }),
    traces: undefined,
  });
  const app = express();
  app.use(mount([list, make, show, forget, stop, page], context, onlyOf<Admission>({ byRequest: admit })));
  app.use(() => {
    throw new ApiProblem('not-found', message('path_invalid'));
  });
  const told: express.ErrorRequestHandler = (error, _request, response, next) =>
    error instanceof ApiProblem ? sendProblem(response, error) : next(error);
  app.use(told);
  const opened = await listen(app, {
    host: '127.0.0.1',
    port: 0,
    setting: 'API_PORT',
    headersMs: 10_000,
    requestMs: 10_000,
    silenceMs: 30_000,
    connections: 100,
    drainMs: 5_000,
  });
  ({ url, close } = opened);
});
afterAll(() => close());

async function ask(
  method: string,
  path: string,
  { key = 'o', body, type, language = '*' }: { key?: string; body?: string; type?: string; language?: string } = {},
) {
  const headers = {
    authorization: key,
    'accept-language': language,
    ...(body === undefined ? {} : { 'content-type': type ?? 'application/json' }),
  };
  const answered = await request(`${url}${path}`, { method: method as 'GET', headers, body: body ?? null });
  const text = await answered.body.text();
  const said = /json/.test(String(answered.headers['content-type'])) && text ? JSON.parse(text) : text;
  return { status: answered.statusCode, said, headers: answered.headers };
}

test('a change does not begin with a key that was revoked since its admission, with a body or without', async () => {
  const key = 'gone';
  expect((await ask('POST', '/v1/things', { key, body: '{"size":1}' })).status).toBe(401);
  expect((await ask('POST', '/v1/things/7/stop', { key })).status).toBe(401);
  expect((await ask('DELETE', '/v1/things/7', { key })).status).toBe(401);
  expect(forgotten).toEqual([]);
  // Reads, which are the majority, never query the session twice.
  expect((await ask('GET', '/v1/things/7', { key })).status).toBe(200);
  expect((await ask('DELETE', '/v1/things/7')).status).toBe(204);
  expect(forgotten).toEqual(['7']);
});

test('parameters have their declared types, with their defaults', async () => {
  expect((await ask('GET', '/v1/things?limit=7&state=old')).said).toEqual({ is: 'old 8' });
  expect((await ask('GET', '/v1/things')).said).toEqual({ is: 'any 51' });
});

test.for([
  ['sate=old', '/sate', 'is not a parameter here; did you mean "state"?'],
  ['colour=red', '/colour', 'is not a parameter here; there are state, limit'],
  ['state=old&state=new', '/state', 'is given twice'],
  ['state=', '/state', expect.any(String)],
  ['limit=101', '/limit', expect.any(String)],
  ['limit=1e1', '/limit', expect.any(String)],
] as const)('?%s is refused by name', async ([query, pointer, text]) => {
  const { status, said } = await ask('GET', `/v1/things?${query}`);
  expect([status, said.problems[0]]).toEqual([422, { pointer, message: text }]);
});

test.for([
  ['*', 'en', 'Invalid request; nothing was done', 'is given twice'],
  ['wo, en;q=0.4, fr;q=0.2', 'en', 'Invalid request; nothing was done', 'is given twice'],
  ['fr-SN, en;q=0.5', 'fr', 'Demande invalide\u202f; rien n’a été fait', 'est donné deux fois'],
] as const)('a refusal is in the language of %s', async ([language, named, title, text]) => {
  const { said, headers } = await ask('GET', '/v1/things?state=old&state=new', { language });
  expect(said).toMatchObject({ title, detail: `/state ${text}`, problems: [{ pointer: '/state', message: text }] });
  expect([headers['content-language'], headers['vary']]).toEqual([named, 'Accept-Language']);
});

test('a route that declares no parameter takes none', async () => {
  const { status, said } = await ask('GET', '/v1/things/a?x=1');
  expect([status, said.problems]).toEqual([
    422,
    [{ pointer: '/x', message: 'is not a parameter here; there are none' }],
  ]);
});

test('a body comes as its schema reads it, or is refused with all that is wrong', async () => {
  expect(await ask('POST', '/v1/things', { body: '{"size":1}' })).toMatchObject({
    status: 201,
    said: { is: 'red 2 by operator' },
  });
  const { status, said } = await ask('POST', '/v1/things', { body: '{"size":"1","color":2}' });
  expect(status).toBe(422);
  expect(said.problems.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/size', '/color']);
  expect((await ask('POST', '/v1/things', { body: '<a/>', type: 'text/xml' })).status).toBe(415);
  expect((await ask('POST', '/v1/things', { body: '{' })).status).toBe(400);
});

test('a method that a path has not is refused with those that it has', async () => {
  const { status, headers } = await ask('DELETE', '/v1/things');
  expect([status, headers['allow']]).toEqual([405, 'GET, POST']);
  expect((await ask('PUT', '/v1/things/a')).headers['allow']).toBe('GET, DELETE');
  expect((await ask('DELETE', '/v1/things', { key: 'x' })).status).toBe(401);
});

test('the role is asked before anything is read', async () => {
  expect((await ask('POST', '/v1/things?x=1', { key: 'r', body: '{' })).status).toBe(403);
});

test('a stroke at the end, escapes in the path and HEAD change nothing', async () => {
  expect((await ask('GET', '/v1/things/')).status).toBe(200);
  expect((await ask('GET', '/v1/things/a%2Fb')).said).toEqual({ is: 'a/b' });
  expect(await ask('HEAD', '/v1/things')).toMatchObject({ status: 200, said: '' });
  expect((await ask('GET', '/v1/things/a/b')).status).toBe(404);
});

test('an answer without a body has none, and a page is sent as the handler writes it', async () => {
  expect(await ask('DELETE', '/v1/things/a')).toMatchObject({ status: 204, said: '' });
  expect(await ask('GET', '/things.txt', { key: '' })).toMatchObject({ status: 200, said: 'things' });
  expect((await ask('GET', '/thingsxtxt', { key: '' })).status).toBe(404);
});
