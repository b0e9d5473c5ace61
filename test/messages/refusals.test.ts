/** What the API and a start refuse with has its French, sentence by sentence, as the sources say it. */
import { readFileSync, readdirSync } from 'node:fs';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';
import { problemKinds } from '../../src/api/problem.ts';
import { loadConfig, missingFor } from '../../src/config.ts';
import { check, describeProblems } from '../../src/producer/problems.ts';
import { operations } from '../../src/kinds/index.ts';
import { refusalInFrench, refusalsInFrench, translatedRefusals } from '../../src/messages/refusals.ts';
import { ENGLISH_WORDS } from '../support/english-words.ts';

const SRC = new URL('../../src/', import.meta.url);

interface Node {
  readonly type: string;
  readonly value?: unknown;
  readonly name?: string;
  readonly callee?: Node;
  readonly property?: Node;
  readonly arguments?: readonly Node[];
  readonly key?: Node;
  readonly id?: Node;
  readonly init?: Node;
  readonly consequent?: Node;
  readonly alternate?: Node;
  readonly quasis?: readonly { readonly value: { readonly cooked: string } }[];
}

/** What an expression may say; what is filled in stands as `…`. */
function textsOf(node: Node | undefined): string[] {
  if (node === undefined) return [];
  if (node.type === 'Literal') return typeof node.value === 'string' ? [node.value] : [];
  if (node.type === 'TemplateLiteral') return [(node.quasis ?? []).map(({ value }) => value.cooked).join('…')];
  if (node.type === 'ConditionalExpression') return [...textsOf(node.consequent), ...textsOf(node.alternate)];
  return [];
}

const TELLS = /^(ApiProblem|regex|refine|int|max|min|#refuse|#warn|warn|notPossible|TypeError|RangeError)$/;

/** What is handed to what refuses. */
function refusalsIn(path: string): string[] {
  const found: string[] = [];
  const walk = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    const node = part as Node;
    const called = node.callee?.property?.name ?? node.callee?.name ?? '';
    if (TELLS.test(called)) found.push(...(node.arguments ?? []).flatMap(textsOf));
    if (node.type === 'Property' && /^(message|error|problem)$/.test(node.key?.name ?? ''))
      found.push(...textsOf(node.value as Node));
    if (node.type === 'VariableDeclarator' && /^(detail|why|message|elsewhere)$/.test(node.id?.name ?? ''))
      found.push(...textsOf(node.init));
    Object.values(part).forEach(walk);
  };
  walk(parseSync(path, readFileSync(new URL(path, SRC), 'utf8')).program);
  return found
    .map((text) => text.trim())
    .filter((text) => /\p{Ll}{2,} \p{Ll}{2,}/u.test(text) && !/^(can collect|has no withdraw)/.test(text));
}

/** Of these no sentence reaches a person by the API or at a start. */
const INSIDE = /^api\/openapi\/|^api\/problem\.ts|testing|^api\/keys\.ts/;

const told = ['api', 'producer', 'kinds', 'settings', 'provider/capabilities.ts', 'lib/clock.ts']
  .flatMap((place) =>
    place.endsWith('.ts')
      ? [place]
      : readdirSync(new URL(place, SRC), { recursive: true, encoding: 'utf8' }).map((name) => `${place}/${name}`),
  )
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts') && !INSIDE.test(path));

test('every sentence with which something is refused has its French', () => {
  const all = told.flatMap((path) => refusalsIn(path).map((text) => [path, text] as const));
  expect(all.length).toBeGreaterThan(130);
  expect(all.filter(([, text]) => refusalInFrench(text.replaceAll('…', 'x1')) === undefined)).toEqual([]);
});

test('every kind of refusal has its French', () => {
  const titles = Object.values(problemKinds).map(({ title }) => title);
  expect(titles.filter((title) => !Object.hasOwn(translatedRefusals, title))).toEqual([]);
});

test('what stands in a sentence stands in its French', () => {
  const named = (one: string): string[] => (one.match(/[A-Z]{2,}_[A-Z_]+|\+221\d+|redis:\/\/\S+/g) ?? []).toSorted();
  for (const [english, french] of Object.entries(translatedRefusals)) {
    expect([english, named(french)]).toEqual([english, named(english)]);
    const places = french.match(/\{\w\}/g) ?? [];
    expect(places.filter((place) => !english.includes(place))).toEqual([]);
  }
});

test('nothing English is in the French', () => {
  const wrong = Object.values(translatedRefusals).filter((text) =>
    ENGLISH_WORDS.test(text.replace(/`[^`]*`|«[^»]*»|--[a-z-]+|to;nom|refuse ou send/g, '')),
  );
  expect(wrong).toEqual([]);
});

test('what a schema says by itself is said in French', () => {
  const schema = operations.disbursement.request;
  const inputs: readonly unknown[] = [
    {},
    { amount: 'x', accountAlias: 5, withdrawMode: '', reference: 'a\u0007', strange: 1, notBefore: 'then' },
    { amount: 1e15, accountAlias: 'x'.repeat(500), withdrawMode: 'm', reference: 'r', allowDuplicate: 'yes' },
    { amount: 0, accountAlias: [], withdrawMode: {}, reference: '' },
  ];
  const problems = inputs.flatMap((input) => check(schema, input).problems ?? []);
  expect(problems.length).toBeGreaterThan(10);
  expect(problems.filter(({ message }) => refusalInFrench(message) === undefined)).toEqual([]);
  expect(refusalInFrench(problems[0]?.message ?? '')).not.toContain(describeProblems(problems.slice(0, 1)));
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

test.for(environments)('a process that does not start says in French why: %o', (env) => {
  const roles = ['api', 'webhooks', 'worker'];
  const said = (() => {
    try {
      loadConfig(env, (given) => missingFor(given, roles));
      return '';
    } catch (error) {
      return error instanceof Error ? error.message : '';
    }
  })();
  expect(said).not.toBe('');
  const typed = Object.values(env)
    .join('|')
    .replace(/[.*+?^$()[\]\\{}]/g, '\\$&');
  const inFrench = refusalsInFrench(said).replace(new RegExp(`\\b(${typed})\\b`, 'g'), '');
  expect(inFrench.split('\n').filter((line) => ENGLISH_WORDS.test(line))).toEqual([]);
});
