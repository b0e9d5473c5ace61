/** What the commands say when they run, and not only in their help, is French where French is asked for. */
import { readFileSync, readdirSync } from 'node:fs';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';
import { roles } from '../../src/cli/io.ts';
import { english } from '../../src/messages/english.ts';
import { french } from '../../src/messages/french.ts';
import { frenchLabels } from '../../src/messages/french-labels.ts';
import { inFrench, translatedHelp } from '../../src/messages/help.ts';
import { translated } from '../../src/messages/told.ts';
import { apiThat, type Asked, type Reply } from './api-double.ts';
import { relais, type Situation } from './terminal.ts';

const CLI = new URL('../../src/cli/', import.meta.url);

interface Node {
  readonly type: string;
  readonly value?: unknown;
  readonly quasis?: readonly { readonly value: { readonly cooked: string } }[];
}

/** The texts that stand in a source; of a template, with a mark where something is filled in. */
function textsIn(source: string): string[] {
  const found: string[] = [];
  const walk = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    const node = part as Node;
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

test('no sentence stands in a command itself: each is in the catalogue, or has its French under it', () => {
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

/** All that a catalogue says; of a function, what it says of nothing in particular. */
function allOf(part: unknown): string[] {
  if (typeof part === 'string') return [part];
  if (typeof part === 'function') return [String(part(...Array.from({ length: part.length }, () => '')))];
  return Object.values((part ?? {}) as Readonly<Record<string, unknown>>).flatMap(allOf);
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}{2,}/gu) ?? [];

const { figures: _figures, ...inEnglish } = english;
const { figures: _chiffres, ...enFrançais } = french;
const frenchWords = new Set(
  [
    ...allOf(enFrançais),
    ...Object.values({ ...translatedHelp, ...translated, ...frenchLabels }),
    // What is typed is the same in both.
    ...Object.keys(translatedHelp).flatMap((one) => one.match(/--[a-z-]+|`[^`]+`|[A-Z_]{3,}/g) ?? []),
  ].flatMap(wordsOf),
);
const englishOnly = new Set(
  [...allOf(inEnglish), ...Object.keys(translatedHelp), ...Object.keys(translated), ...Object.keys(frenchLabels)]
    .flatMap(wordsOf)
    .filter((word) => !frenchWords.has(word)),
);

interface Scene {
  readonly argv: readonly string[];
  readonly answers?: ((asked: Asked, at: number) => Reply | undefined) | undefined;
  readonly situation?: Situation;
  readonly says: RegExp;
}

const AT = '2026-11-21T08:00:00.000Z';
const bodies = (...all: readonly unknown[]): Scene['answers'] => {
  return (_asked, at) => ({ body: all[Math.min(at, all.length) - 1] });
};
const limit = {
  name: 'MAX_DISBURSEMENT',
  value: 2_000_000,
  since: AT,
  by: null,
  asked: { value: null, by: 'awa', at: AT },
};
const sum = { count: 2, xof: 20_000 };
const recovering = { state: 'recovering', because: 'rolled_back', since: AT, lastBeat: AT, proven: true };
const recovered = {
  over: true,
  last: { items: [{ kind: 'disbursement', open: sum, settled: sum, needsReview: sum, underWay: sum, held: sum }] },
};
const gone = (type: string): Reply => ({
  status: 410,
  body: { title: 'x', type: `https://x/problems/${type}`, oldest: '1-1' },
});
const terminal = { isTerminal: true, types: 'oui\n' } as const;
const statement = (text: string): Situation => ({ types: `Transaction,Montant,Date\n${text}` });
const reconcile = ['reconcile', '-', '--columns', 'transactionId=Transaction,amount=Montant,date=Date'];

const scenes: readonly Scene[] = [
  {
    argv: ['limits'],
    answers: bodies({ items: [limit, { ...limit, asked: undefined }] }),
    says: /le réglage par défaut/,
  },
  {
    argv: ['limits', 'set', 'MAX_DISBURSEMENT', '5'],
    answers: () => ({ status: 202, body: limit }),
    situation: terminal,
    says: /autre personne/i,
  },
  { argv: ['limits', 'set', 'MAX_DISBURSEMENT', '5'], answers: bodies(limit), says: /en vigueur/ },
  { argv: ['limits', 'set', 'MAX_DISBURSEMENT', 'cinq'], says: /MAX_DISBURSEMENT/ },
  { argv: ['limits', 'set', 'DUPLICATE_WINDOW', '0s'], says: /DUPLICATE_WINDOW/ },
  {
    argv: ['opt-outs', 'add', '--phone', '+221771234567'],
    answers: bodies({ account: 'main', added: 1, already: 1, refused: 1, problems: [] }),
    says: /ajoutés/,
  },
  {
    argv: ['opt-outs', 'remove', '--phone', '+221771234567'],
    answers: bodies({ account: 'main', removed: 1, absent: 1 }),
    says: /retirés/,
  },
  { argv: ['opt-outs', 'add'], says: /Nommez un fichier/ },
  { argv: ['opt-outs', 'list'], answers: bodies({ items: [], forgotten: 2 }), says: /empreintes/ },
  {
    argv: ['purge', '--phone', '+221771234567'],
    answers: bodies({ phone: '+221****4567', looked: 5, open: 1, found: { messages: 2, optOuts: 1 } }),
    situation: terminal,
    says: /encore en route/,
  },
  {
    argv: ['purge', '--phone', '+221771234567'],
    answers: bodies({ phone: '+221****4567', looked: 5, open: 0, found: {} }),
    says: /aucun/,
  },
  { argv: ['recover'], answers: bodies({ state: 'none' }), says: /Aucune reprise/ },
  {
    argv: ['recover'],
    answers: bodies({
      ...recovering,
      open: ['review', 'ask', 'hold', 'doubt', 'look', 'nothing'].map((would) => ({
        kind: 'disbursement',
        state: 'queued',
        count: 1,
        would,
      })),
      says: [{ kind: 'disbursement', asked: 50, words: { success: 48 } }],
    }),
    says: /Le service dit/,
  },
  {
    argv: ['recover', '--apply'],
    answers: bodies({ progress: { done: 1, of: 2 } }, recovered),
    situation: terminal,
    says: /1 sur 2/,
  },
  { argv: ['recover', '--apply'], answers: bodies({ over: true }), says: /Aucune reprise/ },
  { argv: ['recover', '--nothing-was-lost'], answers: bodies({}), situation: terminal, says: /comme avant/ },
  {
    argv: ['recover', '--new-stamp'],
    situation: {
      ...terminal,
      services: { newStamp: async ({ confirmed }) => Number(await confirmed(['SERVICE_BASE_URL'])) },
    },
    says: /SERVICE_BASE_URL : autre adresse/,
  },
  { argv: ['recover', '--help'], says: /Ce qui s’est passé/ },
  { argv: reconcile, situation: statement(''), says: /ligne/ },
  { argv: reconcile, situation: { types: 'a,b\n1,2\n' }, says: /colonne/ },
  {
    argv: reconcile,
    situation: statement('t1,5,2026-11-21\nt2,7,2026-11-21\n,5,2026-11-21\nt3,5.5,2026-11-21\nt4,5,hier\n'),
    answers: ({ path }) =>
      path === '/v1/reports/daily'
        ? { body: { timezone: 'Africa/Dakar' } }
        : path === '/v1/disbursements'
          ? {
              body: {
                items: [
                  { id: 'dsb_1', state: 'succeeded', amount: 6, transactionId: 't1', reference: null },
                  { id: 'dsb_2', state: 'succeeded', amount: 6, transactionId: 't9', reference: null },
                ],
              },
            }
          : { body: path.startsWith('/v1/disbursements/') ? { updatedAt: AT } : { items: [] } },
    says: /seulement chez/,
  },
  { argv: ['reconcile', 'x.csv', '--columns', 'a'], says: /Écrivez/ },
  { argv: ['events'], answers: bodies({ events: [], next: '1-1' }), says: /La suite/ },
  { argv: ['events', '--after', '9-9'], answers: () => gone('ahead-of-the-stream'), says: /9-9/ },
  { argv: ['events', '--after', '9-9'], answers: () => gone('too-old'), says: /1-1/ },
  { argv: ['events', '--types', 'x'], says: /Inconnu/ },
  { argv: ['run', '--roles', 'x'], says: /Inconnu/ },
  { argv: ['run', '--help'], says: /Exemple/ },
  { argv: ['dev', '--help'], says: /Exemple/ },
  { argv: ['sandbox', '--fault', 'x'], says: /relais sandbox --help/ },
  { argv: ['sandbox', '--fault', 'calls back twice:7'], says: /entre 0 et 1/ },
  { argv: ['sandbox', '--latency', 'x'], says: /20ms/ },
  {
    argv: ['audit', 'verify'],
    answers: bodies({ fits: false, lines: 3, fault: { id: '1-1', why: '' } }),
    says: /lignes/,
  },
];

test.for(scenes.map((scene) => [scene.argv.join(' '), scene] as const))('%s', async ([, scene]) => {
  const { argv, answers = () => undefined, situation = {}, says } = scene;
  const api = await apiThat(answers);
  const { stdout, stderr } = await relais(['--lang', 'fr', ...argv], { columns: 120, ...situation, env: api.env });
  const said = `${stdout}\n${stderr}`;
  expect(said).toMatch(says);
  // Wire names, roles, flags and what was typed are the same in every language.
  const named = [argv, roles, situation, answers.toString(), limit, recovering, recovered];
  const wire = new Set(wordsOf(JSON.stringify(named)));
  const strange = wordsOf(said.replace(/--[a-z-]+|relais( [a-z-]+)+|[\w.]+\.\w+|\S+,\S+/g, '')).filter(
    (word) => englishOnly.has(word) && !wire.has(word),
  );
  expect(strange).toEqual([]);
});
