import express from 'express';
import { expect, test } from 'vitest';
import { createApi } from '../../../src/api/app.ts';
import { statusesOf } from '../../../src/api/route.ts';
import { routes } from '../../../src/api/openapi/routes.ts';
import { anyContext, routesWhileMaking } from './express-routes.ts';

const declared = routes.map(({ method, path }) => `${method} ${path}`);
const mounted = routes.filter((one) => 'handle' in one).map(({ method, path }) => `${method} ${path}`);
const real = routesWhileMaking(() => createApi(anyContext({ keys: [], ratePerSecond: 0, accountNames: [] })));

test('every real route is declared in src/api/openapi/routes-*.ts', () => {
  expect(real.filter((route) => !declared.includes(route))).toEqual([]);
});

test('every declared route is real', () => {
  expect(declared.filter((route) => !real.includes(route) && !mounted.includes(route))).toEqual([]);
});

test('no route and no name of an operation is declared twice', () => {
  expect(new Set(declared).size).toBe(declared.length);
  expect(new Set(routes.map(({ id }) => id)).size).toBe(routes.length);
});

test('a route that needs a key says what happens without one', () => {
  for (const route of routes.filter(({ role }) => role !== undefined)) {
    expect(statusesOf(route), route.id).toEqual(expect.arrayContaining([401, 403, 429, 500, 503]));
  }
});

test('the walk through express sees nested routers, prefixes and several methods', () => {
  const found = routesWhileMaking(() => {
    const inner = express.Router();
    inner.get('/:id/x', () => undefined);
    inner
      .route('/')
      .get(() => undefined)
      .post(() => undefined);
    const app = express();
    app.use('/v1', express.Router().use('/things', inner));
    return app;
  });
  expect(found).toEqual(['get /v1/things/{id}/x', 'get /v1/things', 'post /v1/things']);
});
