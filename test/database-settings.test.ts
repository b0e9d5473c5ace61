/** The settings of PostgreSQL: defaults, and messages for invalid values. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { database } from '../src/settings/database.ts';
import { saidBy, unsaid } from '../src/messages/schemas.ts';
import { textOf } from '../src/messages/texts.ts';

const shape = Object.fromEntries(Object.entries(database).map(([name, [type]]) => [name, type])) as unknown as {
  [Name in keyof typeof database]: (typeof database)[Name][0];
};
const settings = z.strictObject(shape);
const problemOf = (name: keyof typeof database, value: string): string | undefined =>
  settings.safeParse({ [name]: value }, { error: unsaid }).error?.issues.map((issue) => textOf(saidBy(issue)))[0];

test('defaults need no setting', () => {
  expect(settings.parse({})).toEqual({
    DATABASE_POOL: 20,
    DATABASE_SCHEMA: 'relais',
    DATABASE_PREPARED: 'on',
    DATABASE_PATIENCE: 60_000,
    MIGRATE: 'on',
    WITNESS: 'required',
    RETENTION_PAYMENTS: 0,
    RETENTION_SMS: 0,
    IDEMPOTENCY_KEEP: 34_560_000_000,
  });
});

test.for([
  ['DATABASE_SCHEMA', 'Relais', /^must be at most 54 of/],
  ['DATABASE_SCHEMA', 'pg_relais', /^must be at most 54 of/],
  ['DATABASE_PREPARED', 'no', /^must be one of on, off$/],
  ['DATABASE_POOL', 'many', /^must be an integer$/],
  ['DATABASE_PATIENCE', 'off', /not a duration/],
  ['DATABASE_CA_FILE', '/nowhere/ca.pem', /nowhere/],
  ['DATABASE_URL', 'mysql://db/relais', /postgres/],
  ['WITNESS', 'off', /^must be one of required, none$/],
  ['RETENTION_PAYMENTS', '1d', /^must be 30d or more, or off$/],
] as const)('%s=%s is refused', ([name, value, why]) => {
  expect(problemOf(name, value)).toMatch(why);
});

test('the password in DATABASE_URL is not shown', () => {
  const { DATABASE_URL } = settings.parse({ DATABASE_URL: 'postgres://u:hidden@db/relais' });
  expect(String(DATABASE_URL)).not.toContain('hidden');
  expect(DATABASE_URL?.reveal()).toContain('hidden');
});
