/** Texts with a code: equal codes in both languages, and the reader's language. */
import { expect, test } from 'vitest';
import { loadConfig, missingFor } from '../../src/config.ts';
import { examineLimits } from '../../src/app/examine/limits.ts';
import { operations } from '../../src/kinds/index.ts';
import { englishParts, englishTexts, frenchTexts } from '../../src/messages/catalogue.ts';
import { message } from '../../src/messages/message.ts';
import { MessageError, textOf } from '../../src/messages/texts.ts';
import { check } from '../../src/producer/problems.ts';
import { ENGLISH_WORDS } from '../support/english-words.ts';

const entries = Object.entries(englishTexts).map(
  ([code, english]) => [code, english, frenchTexts[code as keyof typeof englishTexts]] as const,
);

test('a code has one text in each language', () => {
  const codes = englishParts.flatMap((part) => Object.keys(part));
  expect(codes.filter((code, at) => codes.indexOf(code) !== at)).toEqual([]);
  expect(Object.keys(frenchTexts).toSorted()).toEqual(codes.toSorted());
});

test('both texts have the same values in them', () => {
  const named = (text: string): string[] => [...new Set(text.match(/(?<!\{)\{\w+\}(?!\})/g))].toSorted();
  for (const [code, english, french] of entries) expect([code, named(french)]).toEqual([code, named(english)]);
});

test('names in a text are in both languages: settings, commands, numbers, addresses', () => {
  const named = (text: string): string[] =>
    [
      ...new Set(
        text.match(
          /[A-Z]{2,}_[A-Z_]+|relais (?:audit|doctor|dev|explain|init|keys|limits|migrate|recover|review|run|secrets|status)\b|\+221\d+|redis:\/\/\S+\d/g,
        ),
      ),
    ].toSorted();
  for (const [code, english, french] of entries) expect([code, named(french)]).toEqual([code, named(english)]);
});

test('no French text is English', () => {
  const wrong = entries.filter(([, , french]) =>
    ENGLISH_WORDS.test(
      french.replace(/`[^`]*`|«[^»]*»|“[^”]*”|--[a-z-]+|\{\w+\}|to;nom|PATCH .*|[a-z]+@[a-z]+|on$/g, ''),
    ),
  );
  expect(wrong.map(([code, , french]) => [code, french])).toEqual([]);
});

test('French has no space that breaks before a mark or within a number', () => {
  expect(entries.filter(([, , french]) => / [:;?!»](?!\w)|« |\d \d{3}\b/.test(french))).toEqual([]);
});

test('messages in a message, and lists of them, become texts with it', () => {
  const problem = message('of_setting', { name: 'HOST', problem: message('required') });
  expect(textOf(message('problem_list', { problems: [problem, problem] }), 'fr')).toBe(
    'HOST\u00a0: est obligatoire\u202f; HOST\u00a0: est obligatoire',
  );
});

test('a schema’s own messages are in both languages', () => {
  const schema = operations.disbursement.request;
  const inputs: readonly unknown[] = [
    {},
    { amount: 'x', accountAlias: 5, withdrawMode: '', reference: 'a\u0007', strange: 1, notBefore: 'then' },
    { amount: 1e15, accountAlias: 'x'.repeat(500), withdrawMode: 'm', reference: 'r', allowDuplicate: 'yes' },
    { amount: 0, accountAlias: [], withdrawMode: {}, reference: '' },
  ];
  const problems = inputs.flatMap((input) => check(schema, input).problems ?? []);
  expect(problems.length).toBeGreaterThan(10);
  for (const { message: said } of problems) expect(textOf(said, 'fr')).not.toBe(textOf(said));
});

const environments: readonly Readonly<Record<string, string>>[] = [
  {},
  { SERVICE_MASTER_KEY: 'x', SERVICE_BASE_URL: 'https://service.example', HOST: '0.0.0.0' },
  { SMS_USER_KEY: 'x', SERVICE_CRM_URL: 'http://127.0.0.1:1', API_KEYS: 'x;x:y,z:read:1' },
  { UPSTREAM_TIMOUT: '3s', DISBURSEMENT_NOTHING: '1', HOST_FILE: '/x', SERVICE_MODE: 'both', API_PORT: 'x' },
  { REDIS_URL: 'nonsense', DEFAULT_COUNTRY: 'XX', EXTRA_WITHDRAW_MODES: 'a b', SMS_SENDER: 'x'.repeat(60) },
  { REDIS_SENTINELS: 'banana', REDIS_PREFIX: 'x:y', SMS_BUDGET_DAY: '100', QUIET_HOURS: 'night', TIMEZONE: 'Dakar' },
  { ACCOUNTS_FILE: '/nowhere/accounts.json', CAMPAIGN_APPROVAL_ABOVE: 'many', DUPLICATE_WINDOW: '0s' },
  { PUBLIC_URL: 'https://x.example', CALLBACK_SECRET: 'short', SEALING_SECRET: 'short,shorter', CONSOLE: 'maybe' },
  { MAX_DISBURSEMENT: 'x', UPSTREAM_TIMEOUT: 'soon', LOG_LEVEL: 'loud', LOG_FORMAT: 'odd', HISTORY_URL: 'mysql://x' },
  { API_PORT: '99999', WORKER_CONCURRENCY: '-1', TRACES_SHARE: '5' },
  { DURABILITY: 'asserted', REDIS_WAIT_REPLICAS: '1', REDIS_PATIENCE: '1m', SILENCE_LIMIT: '1h', AUDIT_MOST: '5' },
  { HISTORY_AFTER: '1d', HISTORY_TEXTS_AFTER: '1d', IDENTITY_KEEP: '1d', RETENTION_SMS: '1d', WITNESS: 'off' },
];

test.for(environments)('a failed start shows its reason in French: %o', (env) => {
  const said = (() => {
    try {
      loadConfig(env, (given) => missingFor(given, ['api', 'webhooks', 'worker']));
      return '';
    } catch (error) {
      return error instanceof MessageError ? error.textIn('fr') : '';
    }
  })();
  expect(said).not.toBe('');
  const typed = Object.values(env)
    .join('|')
    .replace(/[.*+?^$()[\]\\{}]/g, '\\$&');
  const french = said.replace(new RegExp(`\\b(${typed})\\b`, 'g'), '');
  expect(french.split('\n').filter((line) => ENGLISH_WORDS.test(line))).toEqual([]);
});

test('a limit that is looser than what is in force names its author', async () => {
  const held = { name: 'MAX_DISBURSEMENT', value: 750_000, since: 1, by: 'moussa' } as const;
  const [found] = await examineLimits({ list: async () => [held] }, { MAX_DISBURSEMENT: 900_000 }, 0);
  expect(found && textOf(found.says, 'fr')).toContain('en vigueur, par moussa');
});
