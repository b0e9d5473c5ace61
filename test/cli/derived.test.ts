import { expect, test } from 'vitest';
import { commandsOf } from '../../script/commands.ts';
import { routes } from '../../src/api/routes.ts';

test('every flag says what it is for', () => {
  const silent = commandsOf(routes).flatMap(({ name, flags }) =>
    flags.filter(({ says }) => says === '').map(({ flag }) => `${name} ${flag}`),
  );
  expect(silent).toEqual([]);
});
