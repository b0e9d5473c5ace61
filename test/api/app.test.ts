import { describe, expect, test } from 'vitest';
import { createApi } from '../../src/api/app.ts';
import { anyContext, routesWhileMaking } from './openapi/express-routes.ts';

const make = () => createApi(anyContext({ keys: [], ratePerSecond: 0, accountNames: [] }));

describe('what is asked by the thousand', () => {
  test.for(['/v1/disbursements', '/v1/messages'])('%s passes nobody else’s layers', (path) => {
    const layersBefore = make().router.stack.findIndex(({ route }) => route?.path === path);
    expect([1, 2]).toContain(layersBefore);
  });

  // Who asks what may be done there (OPTIONS) is told by the router.
  test.for(['/v1/disbursements', '/v1/messages'])('%s is a route of its router too', (path) => {
    expect(routesWhileMaking(make).filter((route) => route === `post ${path}`)).toHaveLength(2);
  });
});
