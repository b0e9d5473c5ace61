import { expect, test } from 'vitest';
import { nearestPath } from '../../src/api/nearest-path.ts';
import { routes } from '../../src/api/routes.ts';

test.for([
  ['/disbursements', '/v1/disbursements'],
  ['/disbursement', '/v1/disbursements'],
  ['/v1/disbursments', '/v1/disbursements'],
  ['/v1/disbursement/dsb_1/cancel', '/v1/disbursements/dsb_1/cancel'],
  ['/campaigns/cmp_1/', '/v1/campaigns/cmp_1'],
  ['/openapi.jsn', '/openapi.json'],
  ['/v1/nothing-like-it', undefined],
  ['/', undefined],
] as const)('%s suggests %s', ([asked, meant]) => {
  expect(nearestPath(asked, routes)).toBe(meant);
});
