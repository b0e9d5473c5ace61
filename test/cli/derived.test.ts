import { expect, test } from 'vitest';
import { commandsOf, commandsPage } from '../../script/commands.ts';
import { routes } from '../../src/api/routes.ts';
import { expectPage } from '../docs/page.ts';

test('the commands are those that the routes declare', () => {
  expectPage('src/cli/generated/commands.ts', commandsPage(routes));
});

test('every flag says what it is for', () => {
  const silent = commandsOf(routes).flatMap(({ name, flags }) =>
    flags.filter(({ says }) => says === '').map(({ flag }) => `${name} ${flag}`),
  );
  expect(silent).toEqual([]);
});
