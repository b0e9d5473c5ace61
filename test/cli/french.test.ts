import { readFileSync, readdirSync } from 'node:fs';
import type { Command } from 'commander';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';
import { ALL, makeProgram } from '../../src/cli/cli.ts';
import { commands } from '../../src/cli/generated/commands.ts';
import { Shell } from '../../src/cli/shell.ts';
import { labelOf } from '../../src/cli/words.ts';
import { KEPT } from '../../src/api/purge.ts';
import { routes } from '../../src/api/routes.ts';
import { makeDocument } from '../../src/api/openapi/document.ts';
import { rules } from '../../src/kinds/rules.ts';
import { frenchLabels } from '../../src/messages/french-labels.ts';
import { inFrench, translatedHelp } from '../../src/messages/help.ts';
import { SILENT_IO, relais } from './terminal.ts';

function said(command: Command): string[] {
  const own = [
    command.description(),
    ...command.options.map(({ description }) => description),
    ...command.registeredArguments.map(({ description }) => description),
  ];
  return [...own, ...command.commands.flatMap(said)].filter((one) => one !== '');
}

/** Questions and messages that the routes declare for commands. */
const ofRoutes = commands.flatMap(({ asks = [], next = [], none = [] }) => [
  ...(typeof asks === 'string' ? [asks] : Object.values(asks)),
  ...[next, none].flat(),
]);

test('every command, flag, argument and question has its French, and nothing else has', async () => {
  const declared = new Set([
    ...said(await makeProgram(new Shell(SILENT_IO), ALL)),
    ...ofRoutes,
    ...Object.values(rules),
    KEPT,
  ]);
  expect([...declared].filter((one) => inFrench.sentence(one) === one)).toEqual([]);
  const heads = new Set([...declared].map((one) => one.replace(/, of \S+$/, '')));
  const ofHelpItself = /^(Usage|Options|Commands|Arguments|Example):$|^display help/;
  expect(Object.keys(translatedHelp).filter((one) => !heads.has(one) && !ofHelpItself.test(one))).toEqual([]);
});

test('the names in a sentence are in its French too', () => {
  const named = (one: string): string[] => (one.match(/--[a-z-]+|[A-Z]+_[A-Z_]+|\{\w+\}|`[^`]+`/g) ?? []).toSorted();
  for (const [one, french] of Object.entries(translatedHelp)) {
    if (!one.includes('Accept')) expect([one, named(french)]).toEqual([one, named(one)]);
  }
});

test('every field of an answer has a name in French', () => {
  const { schemas = {} } = makeDocument(routes).components;
  type Node = {
    readonly $ref?: string;
    readonly properties?: object;
    readonly items?: Node;
    readonly anyOf?: Node[];
  };
  const fieldsOf = (node: Node | undefined, depth: number): string[] => {
    const found = node?.$ref === undefined ? node : (schemas[node.$ref.split('/').at(-1) ?? ''] as Node);
    if (found === undefined || depth > 2) return [];
    const own = Object.entries(found.properties ?? {}).flatMap(([name, member]) => [
      labelOf(name),
      ...fieldsOf((member as Node).items, depth + 1),
    ]);
    return [...own, ...(found.anyOf ?? []).flatMap((one) => fieldsOf(one, depth))];
  };
  const ownPrinters = ['EndpointTested', 'Status', 'Explanation', 'Campaign', 'Batch', 'DailyReport'];
  const answers = commands.flatMap(({ answer }) => (answer && !ownPrinters.includes(answer) ? [answer] : []));
  const fields = answers.flatMap((answer) => fieldsOf(schemas[answer] as Node, 0));
  const columns = commands.flatMap((command) => (command.columns ?? []).map(labelOf));
  expect(fields.length).toBeGreaterThan(100);
  expect(
    [...new Set([...fields, ...columns])].filter((name) => name !== 'items' && !Object.hasOwn(frenchLabels, name)),
  ).toEqual([]);
});

test('help is French to its last line', async () => {
  const { stdout } = await relais(['--lang', 'fr', 'disburse', 'create', '--help'], { columns: 120 });
  expect(stdout).toMatch(/^Usage\u00a0: relais disburse create \[options\]\n\nPayer un bénéficiaire/);
  expect(stdout).toContain('--amount <nombre>');
  expect(stdout).toContain('\nExemple\u00a0:\n  relais disburse create --to');
  const limits = await relais(['--lang', 'fr', 'limits', 'set', '--help'], { columns: 120 });
  expect(limits.stdout).toContain('(au choix : ');
  const whole = await relais(['--lang=fr', '--help'], { columns: 120 });
  expect(whole.stdout).toContain('afficher l’aide de la commande');
  expect(whole.stdout).not.toMatch(/\b(the|and|with|which|nothing|what|is|of|to)\b/);
});

test('a command line that is wrong is refused in French', async () => {
  const refusals: readonly (readonly [argv: readonly string[], said: string])[] = [
    [
      ['disburse', 'list', '--acount', 'main'],
      'erreur : option inconnue « --acount »\n(Vouliez-vous dire --account ?)',
    ],
    [['disburse', 'show'], 'erreur : il manque l’argument « id »'],
    [['disbrse'], 'erreur : commande inconnue « disbrse »'],
    [['disburse', 'list', '--created-from', 'hier'], 'Écrivez une heure comme 2026-11-21T08:00:00Z.'],
  ];
  for (const [argv, expected] of refusals) {
    const { code, stderr } = await relais(['--lang', 'fr', ...argv]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(expected)]);
    expect(stderr).not.toMatch(/error|--help shows/);
  }
});

test('in English nothing of it changes', async () => {
  const { stderr } = await relais(['disburse', 'show']);
  expect(stderr).toContain("error: missing required argument 'id'");
  expect(stderr).toContain('(--help shows an example)');
});

const CLI = new URL('../../src/cli/', import.meta.url);

interface SyntaxNode {
  readonly type: string;
  readonly value?: unknown;
  readonly quasis?: readonly { readonly value: { readonly cooked: string } }[];
}

/** The texts that stand in a source; of a template, with a mark where something is filled in. */
function textsIn(source: string): string[] {
  const found: string[] = [];
  const walk = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    const node = part as SyntaxNode;
    if (node.type === 'ImportDeclaration') return;
    if (node.type === 'Literal' && typeof node.value === 'string') found.push(node.value);
    if (node.type === 'TemplateLiteral') found.push((node.quasis ?? []).map(({ value }) => value.cooked).join('…'));
    Object.values(part).forEach(walk);
  };
  walk(parseSync('source.ts', source).program);
  return found;
}

/** A line that can be copied is the same in every language. */
const isExample = (text: string): boolean => /^(relais |--|# )/.test(text);

test('no command contains a sentence: each is in the catalogue, or has its French with it', () => {
  const files = readdirSync(CLI).filter((name) => name.endsWith('.ts'));
  const sentences = files.flatMap((name) =>
    textsIn(readFileSync(new URL(name, CLI), 'utf8'))
      .filter((text) => /\p{Ll}{2,} \p{Ll}{2,}/u.test(text) && !isExample(text))
      .filter((text) => inFrench.sentence(text.replace(/, of ….*$/, '')) === text.replace(/, of ….*$/, ''))
      .map((text) => `${name}: ${text}`),
  );
  expect(files.length).toBeGreaterThan(40);
  expect(sentences).toEqual([]);
});
