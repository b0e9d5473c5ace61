import { expect, test } from 'vitest';
import { routes } from '../../src/api/routes.ts';
import { actNames, acts } from '../../src/kinds/acts.ts';

const changing = routes.filter(({ method }) => method !== 'get').map(({ id }) => id);

test('every route that changes something has an act, or a reason for having none', () => {
  expect(changing.filter((id) => !Object.hasOwn(acts, id))).toEqual([]);
  const why = Object.values(acts).flatMap((one) => ('nothing' in one ? [one.nothing] : []));
  expect(why.filter((text) => text.length < 20)).toEqual([]);
});

test('no act is declared of a route that there is not', () => {
  expect(Object.keys(acts).filter((id) => !changing.includes(id))).toEqual([]);
});

test('no two routes share an act', () => {
  const words = Object.values(acts).flatMap((one) => ('act' in one ? [one.act] : []));
  expect(words).toHaveLength(new Set(words).size);
  expect(actNames).toEqual(expect.arrayContaining(words));
});

test('requests that create something have a dry run, and no others do: a switch is refused or done', () => {
  const made = Object.entries(acts).flatMap(([id, one]) =>
    'act' in one && /\.(?:create|upload|send)$/.test(one.act) ? [id] : [],
  );
  // Routes for users: what they create is returned in full, and can be removed.
  const byPeople = ['createEventEndpoint', 'createKey'];
  const judged = routes.filter(({ query }) => query?.['dryRun']).map(({ id }): string => id);
  expect(judged.toSorted()).toEqual(made.filter((id) => !byPeople.includes(id)).toSorted());
});
