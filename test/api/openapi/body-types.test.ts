import { expect, test } from 'vitest';
import { bodyTypesOf } from '../../../src/api/openapi/body-types.ts';
import { routes } from '../../../src/api/openapi/routes.ts';

test('a path with a stroke at its end takes what it takes without', () => {
  for (const { method, path } of routes) {
    expect(bodyTypesOf(method.toUpperCase(), `${path}/`), path).toEqual(bodyTypesOf(method.toUpperCase(), path));
  }
});

test.for([
  ['POST', '/v1/disbursements', ['application/json', 'application/x-ndjson']],
  ['POST', '/v1/disbursements/dsb_1/cancel', ['application/json']],
  ['GET', '/v1/disbursements', ['application/json']],
  ['POST', '/v1/nothing', ['application/json']],
] as const)('%s %s', ([method, path, types]) => expect(bodyTypesOf(method, path)).toEqual(types));
