import { expect, test } from 'vitest';
import { commandsOf } from '../../script/commands.ts';
import { routes } from '../../src/api/routes.ts';

test('every flag has a description', () => {
  const silent = commandsOf(routes).flatMap(({ name, flags }) =>
    flags.filter(({ says }) => says === '').map(({ flag }) => `${name} ${flag}`),
  );
  expect(silent).toEqual([]);
});
