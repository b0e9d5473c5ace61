/** A page that names something nonexistent misleads its reader, often during an incident. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { beforeAll, describe, expect, test } from 'vitest';
import { readApiKeys } from '../../src/api/keys.ts';
import { isProblemKind, problemKinds } from '../../src/api/problem.ts';
import { ALL, makeProgram } from '../../src/cli/cli.ts';
import { Shell } from '../../src/cli/shell.ts';
import { operations } from '../../src/client/generated/api.ts';
import { describeSettings } from '../../src/config.ts';
import { isRule } from '../../src/kinds/rules.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { metricNames } from '../../src/metrics/declarations.ts';
import { NOTHING } from '../cli/terminal.ts';
import { projectFiles, root } from '../tidy/scanner.ts';
import { blocksOf, brokenLinks, linesOf, pages, spansOf, wordsOf, type Page } from './written.ts';

/** The errors of each page. */
const complaints = (wrongIn: (page: Page) => readonly string[]): readonly string[] =>
  pages.flatMap((page) => [...new Set(wrongIn(page))].map((wrong) => `${page.path}: ${wrong}`));

/** All code of a page, by line or span. */
const codeIn = (page: Page): readonly string[] => [
  ...blocksOf(page).flatMap(({ text }) => linesOf(text)),
  ...spansOf(page),
];

const named = (page: Page, pattern: RegExp): readonly string[] =>
  codeIn(page).flatMap((code) => [...code.matchAll(pattern)].map(([, name = '']) => name));

test('every page for users is checked', () => {
  const paths = pages.map(({ path }) => path);
  const some = [
    'README.md',
    'README.fr.md',
    'docs/quickstart.md',
    'SECURITY.md',
    'console/README.md',
    'src/redis/README.md',
  ];
  expect(paths).toEqual(expect.arrayContaining([...some, 'ARCHITECTURE.md', 'CONTRIBUTING.md']));
});

test('every link leads to a file, and its anchor to a heading', () => expect(complaints(brokenLinks)).toEqual([]));

test('a link to a heading that is not there is found', () => {
  const text = '# One `two`, three\n[a](#one-two-three) [b](#four) [c](../README.md) [d](gone.md)';
  expect(brokenLinks({ path: 'docs/x.md', text })).toEqual(['#four', 'gone.md']);
});

/** Payments and SMS happen at most once, events are reported at least once: no text for users promises more. */
describe('exactly once', () => {
  const PROMISE = /\b(?:exactly once|(?:told|done|reported|paid|sent) once\b(?! more| at most))/i;
  const texts = projectFiles().filter(
    ({ path }) =>
      (path.endsWith('.md') ||
        /^(?:src\/messages|console\/words)\/|^(?:script|test)\/demo|^package\.json$|^src\/cli\/cli\.ts$/.test(
          path,
        )) &&
      path !== 'CHANGELOG.md',
  );

  test('is promised by no page, command, message or demo', () => {
    const found = texts.flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, at) => (PROMISE.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [])),
    );
    expect(found).toEqual([]);
  });
});

describe('a command', () => {
  let program: Command;
  beforeAll(async () => {
    const { stdin, stdout, stderr } = {
      stdin: new PassThrough(),
      stdout: new PassThrough(),
      stderr: new PassThrough(),
    };
    const io = { env: {}, stdin, stdout, stderr, isTerminal: false, columns: 80 };
    const rest = { clock: systemClock, signal: new AbortController().signal, services: NOTHING };
    program = await makeProgram(new Shell({ ...io, ...rest }), ALL);
  });

  /** The words after `relais` in a page; `a|b` are two commands, and brackets are optional. */
  function wrongIn(words: readonly string[], command: Command = program): string | undefined {
    const [word, ...rest] = words;
    if (word === undefined || word === '…') return undefined;
    if (command.commands.length > 0 && !word.startsWith('-')) {
      for (const name of word.split('|')) {
        const next = command.commands.find((one) => one.name() === name || one.aliases().includes(name));
        if (next === undefined && command.registeredArguments.length === 0) return `no command ${name}`;
        const wrong = next && wrongIn(rest, next);
        if (wrong !== undefined) return wrong;
      }
      return undefined;
    }
    const flags = new Set(['--help', '-h', '--lang', ...program.options.flatMap(({ long }) => long ?? [])]);
    for (const { long, short } of command.options) for (const flag of [long, short]) if (flag) flags.add(flag);
    const unknown = words
      .map((one) => one.split('=')[0] ?? '')
      .filter((one) => one.startsWith('-') && !flags.has(one));
    if (unknown.length > 0) return `${command.name()} has no ${unknown.join(', ')}`;
    const missing = missingIn(words, command);
    return missing.length === 0 ? undefined : `${command.name()} needs ${missing.join(', ')}`;
  }

  /** Missing required arguments. The name alone only names the command, and `…` replaces omitted parts. */
  function missingIn(words: readonly string[], command: Command): readonly string[] {
    if (words.some((one) => one === '…' || one === '--help')) return [];
    const valued = command.options.flatMap(({ required, long }) => (required && long ? [long] : []));
    const bare = words.filter((one, at) => !one.startsWith('-') && !valued.includes(words[at - 1] ?? ''));
    const least = command.registeredArguments.filter(({ required }) => required).slice(bare.length);
    const flags = command.options.filter(({ mandatory, long }) => mandatory && long && !words.includes(long));
    return [...least.map((one) => one.name()), ...flags.flatMap(({ long }) => long ?? [])];
  }

  /** The words after `relais`, in every typed form on a page. */
  const typedIn = (page: Page): readonly (readonly string[])[] =>
    codeIn(page).flatMap((code) => {
      const [, typed] =
        /^(?:\w+=\S* )*(?:(?:docker|kubectl) .* (?:node )?bin\/|\.\/bin\/)?relais(?:\.js)? (.*)$/.exec(code) ?? [];
      return typed === undefined ? [] : [wordsOf(typed.replace(/[[\]]/g, ' '))];
    });

  test('that a page shows is there, and so are its flags', () => {
    expect(pages.flatMap(typedIn).length).toBeGreaterThan(150);
    expect(complaints((page) => typedIn(page).flatMap((words) => wrongIn(words) ?? []))).toEqual([]);
  });

  test.for([
    'campain list',
    'campaign lst',
    'disburse create --too 77',
    'campaign start|stop ID',
    '--verbose',
    'review resolve ID --outcome failed',
    "invoice resolve --outcome failed --note 'Seen there'",
  ])('relais %s would be found', (typed) => expect(wrongIn(wordsOf(typed))).toBeDefined());
});

/** `src/queues/<name>.ts` and `routes-*.ts` stand for any file of that form, `test/api/resolve` for a prefix. */
function isThere(path: string): boolean {
  if (!/[<*]/.test(path) && existsSync(join(root, path))) return true;
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const [name = '', ...ends] = path.slice(folder.length).split('.');
  const form = [name.replace(/<\w+>|\*/g, '[\\w-]+'), ...(ends.length > 0 ? ends : ['.*'])].join('\\.');
  return (
    existsSync(join(root, folder)) && readdirSync(join(root, folder)).some((one) => new RegExp(`^${form}$`).test(one))
  );
}

test('every file that a page sends to is there', () => {
  const files = (page: Page) =>
    spansOf(page).flatMap((span) => /^(?:src|test|docs|script|console|ops|examples)\/[\w/.<>*-]+$/.exec(span) ?? []);
  expect(pages.flatMap(files).length).toBeGreaterThan(100);
  expect(complaints((page) => files(page).filter((path) => !isThere(path)))).toEqual([]);
  expect(['src/kinds/<kind>.ts', 'src/nowhere/<kind>.ts', 'src/main.tsx'].filter(isThere)).toHaveLength(1);
});

/** `script/storm --seeds 5`: its flags are listed in the first lines of the script. */
test('every script that a page names is there, and its first lines know the flags', () => {
  const wrongIn = (page: Page): readonly string[] =>
    codeIn(page).flatMap((code) => {
      const [, path, typed = ''] = /^(?:\w+=\S* )*(?:\.\/)?(script\/[\w-]+)(?![\w./-])(.*)$/.exec(code) ?? [];
      if (path === undefined) return [];
      if (!existsSync(join(root, path))) return [`no ${path}`];
      const flags = wordsOf(typed.replace(/[[\]]/g, ' ')).filter((word) => word.startsWith('--'));
      const usage = flags.length === 0 ? '' : readFileSync(join(root, path), 'utf8').split('\nset -')[0];
      return flags.filter((flag) => !usage?.includes(flag)).map((flag) => `${path} knows no ${flag}`);
    });
  expect(complaints(wrongIn)).toEqual([]);
  expect(wrongIn({ path: 'docs/x.md', text: '`script/storms` `script/storm --sead 1`' })).toEqual([
    'no script/storms',
    'script/storm knows no --sead',
  ]);
});

/**
 * Read by the commands, by scripts and tests, by Node, by OpenTelemetry, by the compose file, or set by Kubernetes.
 */
const OTHERS =
  'RELAIS_URL RELAIS_API_KEY REDIS_SERVER POSTGRES_HOME RELAIS_DEEP UPDATE_DOCS NODE_OPTIONS NODE_COMPILE_CACHE NAME_FILE ' +
  'NODE_EXTRA_CA_CERTS MALLOC_ARENA_MAX DATABASE_PASSWORD RELAIS_SERVICE_HOST RELAIS_PORT OTEL_EXPORTER_OTLP_HEADERS_FILE';

test('every setting that a page names is declared', () => {
  const known = new Set([
    ...describeSettings().flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name])),
    ...OTHERS.split(' '),
  ]);
  const settings = (page: Page) => named(page, /(?<![\w$:])\$?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b(?![\w(])/g);
  const wrongIn = (page: Page) => settings(page).filter((name) => !known.has(name) && !/^ERROR_\d+$/.test(name));
  expect(pages.flatMap(settings).length).toBeGreaterThan(300);
  expect(complaints(wrongIn)).toEqual([]);
  expect(wrongIn({ path: 'docs/x.md', text: '`UPSTREAM_TIMEOUTS=1s`' })).toEqual(['UPSTREAM_TIMEOUTS']);
});

test('a key that a page adds to API_KEYS is valid, and one of the procedures may end a recovery', () => {
  const entries = (page: Page) =>
    spansOf(page).filter((span) => /^[\w.-]+(?:\/[\w.-]+)?:[a-z]+(?:\+[a-z]+)+[@:]\S+$/.test(span));
  const made = pages.flatMap((page) =>
    entries(page).flatMap((entry) => readApiKeys(entry).map((key) => ({ page, key }))),
  );
  const ofRestore = made.filter(({ page }) => page.path === 'docs/restore.md');
  expect(
    ofRestore.map(({ key: { roles, accounts } }) => [roles.has('approve') && roles.has('operate'), accounts]),
  ).toEqual([[true, undefined]]);
});

/** Roles of PostgreSQL. */
const ROLES = ['relais_app', 'relais_reader', 'relais_enqueue'];

test('every metric that a page names is declared, or recorded by a rule', () => {
  const rules = readFileSync(join(root, 'ops/prometheus/rules/recording.yml'), 'utf8');
  const known = new Set<string>([
    ...ROLES,
    ...[...rules.matchAll(/record: (\S+)/g)].map(([, name = '']) => name),
    ...metricNames,
    ...metricNames.flatMap((name) => ['bucket', 'sum', 'count'].map((end) => `${name}_${end}`)),
  ]);
  const metrics = (page: Page) => named(page, /(?<![\w./:-])((?:job:)?relais_[a-z_:\d]+)(?![\w.*/-])/g);
  expect(pages.flatMap(metrics).length).toBeGreaterThan(100);
  expect(complaints((page) => metrics(page).filter((name) => !known.has(name)))).toEqual([]);
});

/** These describe the provider's routes, and are tested against it. */
const OF_THE_SERVICE = new Set(['docs/dev/interface.md', 'docs/sandbox.md', 'docs/sandbox-reference.md']);

/** `/v1/batches/{id}`, `/v1/batches/bat_…` and `/v1/batches/ID` are equal. */
const shapeOf = (path: string): string => path.replace(/\{[^}]*\}|(?<=\/)([^/]*…[^/]*|[A-Z_]{2,})/g, '*');

test('every route in a page is declared, with its method and its required fields', () => {
  const known = Object.values(operations).map(({ method, path, query }) => ({
    method,
    pattern: new RegExp(`^${shapeOf(path).replaceAll('*', '[^/]+')}$`),
    query: new Set<string>(query),
  }));
  const asked = (page: Page) =>
    (OF_THE_SERVICE.has(page.path) ? [] : codeIn(page)).flatMap((code) =>
      [...code.matchAll(/(?:\b(GET|POST|PUT|PATCH|DELETE) +)?(\/v1\/[\w/{}…*-]+)(\?[\w=&,:.{}…-]+)?/g)].map(
        ([all, method, path = '', query = '']) => ({ all, method, path, query }),
      ),
    );
  const wrongIn = (page: Page) =>
    asked(page)
      .filter(({ method, path, query }) => {
        const fitting = known.filter((one) => one.pattern.test(shapeOf(path)) && (!method || one.method === method));
        const names = [...query.matchAll(/[?&](\w+)/g)].map(([, name = '']) => name);
        return !fitting.some((one) => names.every((name) => one.query.has(name)));
      })
      .map(({ all }) => all);
  expect(pages.flatMap(asked).length).toBeGreaterThan(50);
  expect(complaints(wrongIn)).toEqual([]);
  const text = '`GET /v1/disbursments` `PUT /v1/disbursements` `/v1/disbursements?sate=failed`';
  expect(wrongIn({ path: 'docs/x.md', text })).toHaveLength(3);
});

test('every refusal that a page names is declared: its kind with its status, or the rule behind it', () => {
  const isRight = (status: number | undefined, word: string): boolean =>
    (isProblemKind(word) && (status === undefined || problemKinds[word].status === status)) ||
    (isRule(word) && (status === 403 || status === 409));
  const refusals = ({ text }: Page) => [...text.matchAll(/\b([45]\d\d) `([a-z-]+)`|ends in `\/([a-z-]+)`/g)];
  const wrongIn = (page: Page) =>
    refusals(page).flatMap(([all, status, word, end = '']) =>
      isRight(status === undefined ? undefined : Number(status), word ?? end) ? [] : [all],
    );
  expect(pages.flatMap(refusals).length).toBeGreaterThan(10);
  expect(complaints(wrongIn)).toEqual([]);
  expect(wrongIn({ path: 'docs/x.md', text: '503 `recovering`, 409 `recovering`, 503 `origin`' })).toHaveLength(2);
});
