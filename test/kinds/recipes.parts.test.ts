/** The recipes of CONTRIBUTING.md that are one change in one file, followed to the letter on a copy of the tree. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Copy, copyOfTheTree } from './copy-of-the-tree.ts';

const CREDIT = 'src/kinds/direct-credit.ts';

const stateParked = `    parked: { says: 'It waits for better days.', to: ['queued'], restored: 'review' },\n    succeeded: {`;
const eventParked = `      'direct_credit.parked': { says: 'It waits for better days.', example: { amount: 5_000 } },\n      'direct_credit.failed'`;

function addState(copy: Copy): void {
  const declared = copy.read(CREDIT);
  const next = declared
    .replace("to: ['sending', 'rejected', 'needs_review'],", "to: ['sending', 'rejected', 'needs_review', 'parked'],")
    .replace('    succeeded: {', stateParked);
  copy.write(CREDIT, next);
}

/** Runs a few lines in the copy, and reads what they answer as JSON. */
function ask(copy: Copy, imports: readonly string[], answer: string): unknown {
  const lines = [...imports, `console.log(JSON.stringify(${answer}));`];
  writeFileSync(join(copy.folder, 'ask.ts'), lines.join('\n'));
  return JSON.parse(execFileSync(process.execPath, [join(copy.folder, 'ask.ts')], { encoding: 'utf8' }));
}

/** The files in which the compiler finds something missing. */
function compilerAsksFor(copy: Copy): readonly string[] {
  const tsc = join(copy.folder, 'node_modules/.bin/tsc');
  writeFileSync(
    join(copy.folder, 'tsconfig.json'),
    copy.read('tsconfig.json').replace(/"include": \[[^\]]*\]/, '"include": ["src"]'),
  );
  try {
    execFileSync(tsc, ['--noEmit'], { cwd: copy.folder, encoding: 'utf8' });
    return [];
  } catch (error) {
    const said = String((error as { readonly stdout?: unknown }).stdout);
    return [...new Set([...said.matchAll(/^(src\/[^(]+)\(/gm)].map(([, path = '']) => path))];
  }
}

test('a state is one change in the file of its kind; labels, answer and explanation follow', () => {
  const copy = copyOfTheTree();
  addState(copy);
  const told = ask(
    copy,
    [
      "import { words } from './src/metrics/declarations.ts';",
      "import { answerOf } from './src/api/openapi/answers-shared.ts';",
      "import { restoringOf, isFinal } from './src/kinds/index.ts';",
      "const states = answerOf('direct_credit').shape['state'].options;",
    ],
    "[words.states.includes('parked'), states.includes('parked'), restoringOf('direct_credit', 'parked'), isFinal('direct_credit', 'parked')]",
  );
  expect(told).toEqual([true, true, 'review', false]);
  expect(copy.touched).toEqual([CREDIT]);
});

test('an event is one line there; types, schemas, labels and the example follow', () => {
  const copy = copyOfTheTree();
  addState(copy);
  copy.write(CREDIT, copy.read(CREDIT).replace("      'direct_credit.failed'", eventParked));
  const told = ask(
    copy,
    [
      "import { anEvent } from './src/events/catalogue.ts';",
      "import { words } from './src/metrics/declarations.ts';",
      "const event = anEvent('direct_credit.parked');",
    ],
    "[words.eventTypes.includes(event.type), event.data.state, event.data.id.startsWith('dcr_')]",
  );
  expect(told).toEqual([true, 'parked', true]);
  expect(new Set(copy.touched)).toEqual(new Set([CREDIT]));
});

test('a field is one entry of its kind; what is read of a record, the answer and the view follow', () => {
  const copy = copyOfTheTree();
  const entry = "    channel: shown(maybeText, perhaps(example('counter'))),\n    reason,\n    failure: shown";
  copy.write(CREDIT, copy.read(CREDIT).replace('    reason,\n    failure: shown', entry));
  const told = ask(
    copy,
    [
      "import { answerOf } from './src/api/openapi/answers-shared.ts';",
      "import { readRecord } from './src/operations/record.ts';",
      "import { view } from './src/api/views.ts';",
      "const kept = { kind: 'direct_credit', id: 'dcr_1', state: 'queued', account: 'main', amount: '5', accountAlias: 'shop' };",
      "const seen = (more) => view(readRecord('direct_credit', { ...kept, ...more })).channel;",
      "const places = Object.keys(answerOf('direct_credit').shape);",
    ],
    "[seen({ channel: 'desk' }), seen({}), places[places.indexOf('channel') + 1]]",
  );
  expect(told).toEqual(['desk', null, 'reason']);
  expect(copy.touched).toEqual([CREDIT]);
});

test('an answer of the service is one row; what it means, its label and its explanation follow', () => {
  const copy = copyOfTheTree();
  const verdicts = 'src/upstream/verdict.ts';
  const row = "  4077: { verdict: 'refused', blame: 'caller', sentence: 'The till is closed.' },\n";
  copy.write(
    verdicts,
    copy.read(verdicts).replace('export const failures = {\n', (line) => line + row),
  );
  const told = ask(
    copy,
    [
      "import { consequenceOf, listedCode } from './src/upstream/verdict.ts';",
      "import { fold } from './src/metrics/declarations.ts';",
    ],
    "[consequenceOf(listedCode('4077'), 'effect'), fold('codes', '4077'), fold('codes', '4078')]",
  );
  expect(told).toEqual(['refused', '4077', 'other']);
  expect(copy.touched).toEqual([verdicts]);
});

test('a kind is a file and a line; the compiler asks for the rest', () => {
  const copy = copyOfTheTree();
  const gift = copy
    .read(CREDIT)
    .replaceAll("'dcr'", "'gft'")
    .replaceAll('direct_credit.', 'gift.')
    .replaceAll('directCredit', 'gift')
    .replaceAll('DirectCreditRequest', 'GiftRequest');
  copy.write('src/kinds/gift.ts', gift);
  const list = copy.read('src/kinds/index.ts');
  const listed = list
    .replace('import { invoice }', "import { gift } from './gift.ts';\nimport { invoice }")
    .replace('  direct_credit: directCredit,', '  direct_credit: directCredit,\n  gift,');
  copy.write('src/kinds/index.ts', listed);
  const asked = compilerAsksFor(copy);
  // The report of the day, the intake queue, reconciliation, and the queries of the ledger.
  expect(asked.toSorted()).toEqual([
    'src/api/daily.ts',
    'src/app/intake.ts',
    'src/cli/reconcile.ts',
    'src/ledger/queries.ts',
  ]);
  const told = ask(
    copy,
    [
      "import { kindOf } from './src/kinds/index.ts';",
      "import { anEvent } from './src/events/catalogue.ts';",
      "import { intake } from './src/queues/index.ts';",
      "import { measuresOf } from './src/kinds/day-totals.ts';",
      "const asked = { kind: 'gift', accountAlias: 'shop', amount: 5, reference: 'g1' };",
    ],
    "[kindOf('gft_1'), anEvent('gift.succeeded').data.state, intake.payload.safeParse(asked).success, measuresOf('gift', 'queued', 'succeeded')]",
  );
  expect(told).toEqual(['gift', 'succeeded', true, { succeeded: 1, '=open': -1 }]);
});

test('a filter is one field of its route; the 422, the document and the flag of the command follow', () => {
  const copy = copyOfTheTree();
  const routes = 'src/api/lists.ts';
  const field = `\n    wallet: z.string().min(8).optional().meta({ description: 'Only through this wallet.' }),`;
  copy.write(
    routes,
    copy.read(routes).replace('    account: listedAccount,', (line) => line + field),
  );
  const told = ask(
    copy,
    [
      "import { commandsOf } from './script/commands.ts';",
      "import { makeDocument } from './src/api/openapi/document.ts';",
      "import { mount } from './src/api/mount.ts';",
      "import { routes } from './src/api/routes.ts';",
      "const list = routes.find(({ id }) => id === 'listDisbursements');",
      "const key = { name: 'reader', roles: new Set(['read']) };",
      "const request = { method: 'GET', path: list.path, url: list.path + '?wallet=7', headers: {} };",
      'const asked = mount([list], { clock: { now: () => 0, monotonic: () => 0, sinceBoot: () => 0 } }, { byRequest: () => key })(request, {});',
      "const refused = await asked.then(() => '', ({ message }) => message);",
      "const flags = commandsOf(routes).find(({ name }) => name === 'disburse list').flags;",
      "const parameters = makeDocument(routes).paths['/v1/disbursements'].get.parameters;",
    ],
    "[refused, flags.find(({ flag }) => flag === '--wallet').says, parameters.some(({ name }) => name === 'wallet')]",
  );
  expect(told).toEqual(['/wallet must have at least 8 characters', 'Only through this wallet', true]);
  expect(copy.touched).toEqual([routes]);
});

test('a withdraw mode is one line; wallet and country, and the sentence for a slip of the pen, follow', () => {
  const copy = copyOfTheTree();
  const modes = 'src/upstream/capabilities.ts';
  const line = "  'wallet-b-mali': { wallet: 'b', country: 'ML' },\n";
  copy.write(
    modes,
    copy.read(modes).replace("  'wallet-a-mali'", (next) => line + next),
  );
  const told = ask(
    copy,
    [
      "import { readWithdrawMode } from './src/upstream/capabilities.ts';",
      "const asked = ['wallet-b-mali', { wallet: 'B', country: 'Mali' }, 'wallet_b_ml'].map((one) => readWithdrawMode(one));",
    ],
    "[asked[0], asked[1], asked[2].problem.includes('wallet-b-mali')]",
  );
  const mode = { mode: 'wallet-b-mali', country: 'ML' };
  expect(told).toEqual([mode, mode, true]);
  expect(copy.touched).toEqual([modes]);
});

test('a setting is one row, and a line in policyOf for processors; check, help and default follow', () => {
  const copy = copyOfTheTree();
  const settings = 'src/settings/settings.ts';
  const row = "  SMS_CALM: [duration('5s'), 'How long nothing is sent after nothing was sent.'],\n";
  const policy = 'src/settings/policy.ts';
  copy.write(
    settings,
    copy.read(settings).replace('  SMS_SETTLE_DELAY: [', (line) => row + line),
  );
  copy.write(
    policy,
    copy.read(policy).replace('  settleDelayMs: config', (line) => `  calmMs: config.SMS_CALM,\n${line}`),
  );
  const told = ask(
    copy,
    [
      "import { describeSettings, loadConfig } from './src/config.ts';",
      "import { policyOf } from './src/settings/policy.ts';",
      'const calmMs = (env) => policyOf(loadConfig(env), {}).calmMs;',
      "const refused = (() => { try { calmMs({ SMS_CALM: 'long' }); return ''; } catch (error) { return error.message; } })();",
      "const described = describeSettings().find(({ name }) => name === 'SMS_CALM');",
    ],
    "[calmMs({}), calmMs({ SMS_CALM: '7s' }), refused.includes('SMS_CALM'), described.help]",
  );
  expect(told).toEqual([5_000, 7_000, true, 'How long nothing is sent after nothing was sent.']);
  expect(copy.touched.toSorted()).toEqual([policy, settings]);
});

const METRICS = 'src/metrics/declarations.ts';

function addMetric(copy: Copy, of: 'process' | 'whole'): void {
  const row = `  relais_odd_things_total: { type: 'counter', of: '${of}', labels: { queue: 'queues' }, help: 'Odd things.' },\n`;
  copy.write(
    METRICS,
    copy.read(METRICS).replace('  relais_attempts_total: {', (next) => row + next),
  );
}

test('a metric of a process is one row; its instrument and what is scraped follow', () => {
  const copy = copyOfTheTree();
  addMetric(copy, 'process');
  const told = ask(
    copy,
    [
      "import { systemClock as clock } from './src/lib/clock.ts';",
      "import { createMetrics } from './src/metrics/metrics.ts';",
      'const no = () => false;',
      'const load = () => ({ inUse: 0, waiting: 0 });',
      'const metrics = createMetrics({ clock, recovering: no, unwitnessed: no, load, onError: no });',
      'const page = await metrics.scrape();',
    ],
    "[page.includes('# HELP relais_odd_things_total Odd things.'), page.includes('# TYPE relais_odd_things_total counter')]",
  );
  expect(told).toEqual([true, true]);
  expect(copy.touched).toEqual([METRICS]);
});

test('of a metric of the whole the compiler asks for its reader, and for nothing else', () => {
  const copy = copyOfTheTree();
  addMetric(copy, 'whole');
  expect(compilerAsksFor(copy)).toEqual(['src/metrics/metrics.ts']);
});

test('a command is one word of its route; its name, role and flags follow', () => {
  const copy = copyOfTheTree();
  const routes = 'src/api/limits.ts';
  copy.write(
    routes,
    copy.read(routes).replace("    id: 'listLimits',", "    id: 'listLimits',\n    cli: 'ceilings list',"),
  );
  const told = ask(
    copy,
    [
      "import { commandsOf, commandsPage } from './script/commands.ts';",
      "import { routes } from './src/api/routes.ts';",
    ],
    "[commandsOf(routes).find(({ name }) => name === 'ceilings list').path, commandsPage(routes).includes('ceilings list')]",
  );
  expect(told).toEqual(['/v1/limits', true]);
  expect(copy.touched).toEqual([routes]);
});
