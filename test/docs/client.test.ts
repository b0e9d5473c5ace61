/** What the client knows of the API is what the API says of itself. */
import { expect, test } from 'vitest';
import { clientPage } from '../../script/client-types.ts';
import { makeDocument } from '../../src/api/openapi/document.ts';
import { routes } from '../../src/api/routes.ts';
import { operations } from '../../src/client/generated/api.ts';
import { expectPage } from './page.ts';

test('types and table of the client are made from openapi.json', async () => {
  expectPage('src/client/generated/api.ts', await clientPage(makeDocument(routes)));
});

test('every route can be asked', () => {
  expect(Object.keys(operations).toSorted()).toEqual(routes.map(({ id }) => id).toSorted());
});
