import { childrenOf, type Node, sourceOf } from '../../script/house/tree.ts';
import { type ProjectFile, resolveImport } from './scanner.ts';

/** A sentence about what is wrong in a file, for the person who has just broken the rule. */
export type Complaint = string;

/** Who stands where. A folder imports from rows below its own: never from its own row, never from above. */
const ROWS: ReadonlyArray<readonly [row: number, folders: readonly string[]]> = [
  // `app` puts the folders together for main: a role is a list of parts.
  [8, ['main', 'app']],
  [7, ['api', 'cli']],
  [6, ['campaigns', 'webhooks']],
  [5, ['processors', 'producer', 'events', 'metrics']],
  [4, ['settings', 'ledger', 'client']],
  [3, ['queues', 'operations', 'upstream', 'sandbox']],
  [2, ['redis', 'kinds', 'files']],
  [1, ['lib', 'words']],
];

/** The one row whose members know each other: it wires everything and decides nothing. */
const WIRING = 8;

/** `metrics` counts what the stations announce, and no station may depend on being counted. */
const ONLY_MAIN_IMPORTS = ['metrics'];

/** `src/redis/x.ts` → `redis`; the files directly in `src` are `main`. */
export function folderOf(path: string): string {
  const [, folder = '', file] = path.split('/');
  return file === undefined ? 'main' : folder;
}

function rowOf(folder: string): number | undefined {
  return ROWS.find(([, folders]) => folders.includes(folder))?.[0];
}

export function uphillImports(file: ProjectFile): readonly Complaint[] {
  const own = folderOf(file.path);
  const row = rowOf(own);
  if (row === undefined) return [`the folder "${own}" has no row: give it one in test/tidy/rules.ts`];
  const targets = file.imports.map((specifier) => resolveImport(file.path, specifier));
  const folders = new Set(targets.flatMap((target) => (target === undefined ? [] : [placeOf(target)])));
  folders.delete(own);
  const foreign = [...folders].filter((folder) => row !== WIRING || rowOf(folder) !== WIRING);
  return foreign.flatMap((folder) => {
    if (ONLY_MAIN_IMPORTS.includes(folder) && row !== WIRING) return [`imports ${folder}, which only main may`];
    return (rowOf(folder) ?? Number.POSITIVE_INFINITY) < row ? [] : [`imports ${folder}, which is not below ${own}`];
  });
}

function placeOf(target: string): string {
  return target.startsWith('src/') ? folderOf(target) : `${target} (outside src)`;
}

interface Ban {
  readonly pattern: RegExp;
  /** Where it is allowed after all: files, or folders with a slash at the end. */
  readonly except: readonly string[];
  readonly instead: string;
}

/** Looked for in what runs, so that a comment may explain what it avoids. */
const BANNED_IN_SOURCES: readonly Ban[] = [
  {
    pattern: /\bprocess\.env\b/,
    except: ['src/main.ts'],
    instead: 'take the setting as an argument',
  },
  {
    pattern: /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/,
    except: ['src/lib/clock.ts'],
    instead: 'take a Clock',
  },
  { pattern: /(?<![.\w])set(Timeout|Interval)\(/, except: ['src/lib/clock.ts'], instead: 'take a Clock' },
  { pattern: /\bMath\.random\(/, except: [], instead: 'take a Random' },
  {
    pattern: /\b(randomUUID|randomBytes|randomInt|getRandomValues)\b/,
    // A nonce for encryption must never be replayed, not even by a test with a seed.
    except: ['src/lib/random.ts', 'src/upstream/'],
    instead: 'take a Random, or derive the id',
  },
  { pattern: /(?<![.\w])fetch\(/, except: ['src/cli/'], instead: 'take a transport (undici.request on our Agent)' },
  { pattern: /\bconsole\./, except: ['src/cli/'], instead: 'take a Logger' },
  {
    pattern: /\bnew (Queue|Worker|FlowProducer|QueueEvents|JobScheduler)\b\s*[<(]/,
    except: ['src/queues/open.ts'],
    instead: 'open it in src/queues/open.ts, which knows prefix, retention and lock',
  },
  {
    pattern: /\.operations\.settle\b/,
    // Doors tell the person at them what became of it; an attempt tells whoever comes next.
    except: ['src/processors/attempt.ts', 'src/api/'],
    instead: 'end the attempt with finish(), or go on with keep(): both notice that the record was lost',
  },
  {
    // A statement that is nothing but the call: what became of it is dropped.
    pattern:
      /^\s*(await |void )?[\w.]*\b(settle|settleChunk|finish|finishChunk|keep|goOn|letGo|a\.(stay|announce|retryLater))(<\w+>)?\((?!.*\): ).*[;({]$/,
    except: ['src/redis/', 'src/sandbox/', 'src/campaigns/'],
    instead: 'answer with it: a record that was lost must not be reported as changed',
  },
  { pattern: /\bexport default\b/, except: [], instead: 'name the export' },
  { pattern: /\bexport \* from\b/, except: [], instead: 'import from the file that declares it' },
];

export function bannedInSource(file: ProjectFile): readonly Complaint[] {
  return BANNED_IN_SOURCES.filter(({ except }) => !except.some((place) => isAt(file.path, place))).flatMap(
    ({ pattern, instead }) =>
      linesWith(file.code, pattern).map((line) => `line ${line}: ${pattern.source} — ${instead}`),
  );
}

/** Looked for in every text, comments and documents too. */
const BANNED_WORDS: readonly Ban[] = [
  // Written so that a pattern does not match itself: this file is a text too.
  { pattern: /pay[o]uts?\b/i, except: [], instead: 'say "disbursement"' },
  { pattern: /\b(TO[D]O|FIX[M]E)\b/, except: [], instead: 'do it, or open an issue' },
  {
    pattern: /\.\.\/shared\b|(?<![\w.])\/work\/|\b(DESIGN|INTERFACE|DECISIONS|RELIABILITY|FIELD-GUIDE|STYLE)\.md\b/,
    except: [],
    instead: 'say it here: the project speaks for itself, to a reader who has nothing else',
  },
  { pattern: /^([<]{7}|[>]{7}) /, except: [], instead: 'keep what both sides of the merge mean' },
];

export function bannedWords(file: ProjectFile): readonly Complaint[] {
  return BANNED_WORDS.filter(({ except }) => !except.some((place) => isAt(file.path, place))).flatMap(
    ({ pattern, instead }) =>
      linesWith(file.text, pattern).map((line) => `line ${line}: ${pattern.source} — ${instead}`),
  );
}

const VAGUE_NAME = /(^|[-_./])(utils?|helpers?|commons?|managers?)(?=[-_./]|$)/i;

/** The lists that are lists: one line per kind, per queue, per processor, and what a package exports. */
const INDEXES = ['src/kinds/index.ts', 'src/queues/index.ts', 'src/producer/index.ts'];

export function badName({ path }: ProjectFile): readonly Complaint[] {
  return [
    ...(VAGUE_NAME.test(path) ? ['a name that says nothing about what is inside'] : []),
    ...(/(^|\/)index\.ts$/.test(path) && !INDEXES.includes(path) ? ['an index: import from the file itself'] : []),
  ];
}

const MOST_LINES = 450;
// A table of cases is not made clearer by being cut in two.
const MOST_TEST_LINES = 400;
const LONGEST_LINE = 120;
// A sentence, a template, a script or a regular expression is not made clearer by being cut in two.
const LONGEST_LITERAL_LINE = 200;
// Tests quote rows of tables and whole bodies.
const LONGEST_QUOTED_LINE = 500;
const HAS_LITERAL = /['"`/]|^\s*(local|if|redis|for) /;
const MOST_README_LINES = 15;

export function tooLong({ path, text }: ProjectFile): readonly Complaint[] {
  const lines = text.replace(/\n$/, '').split('\n');
  const isTest = path.startsWith('test/');
  const most = isTest ? MOST_TEST_LINES : MOST_LINES;
  const widest = (line: string): number =>
    isTest ? LONGEST_QUOTED_LINE : HAS_LITERAL.test(line) ? LONGEST_LITERAL_LINE : LONGEST_LINE;
  const wide = lines.flatMap((line, index) => (line.length > widest(line) ? [index + 1] : []));
  return [
    ...(lines.length > most ? [`${lines.length} lines; ${most} is the most`] : []),
    ...wide.map((line) => `line ${line} is longer than ${LONGEST_LINE} characters`),
    ...(path.endsWith('/README.md') && lines.length > MOST_README_LINES
      ? [`a folder’s README has at most ${MOST_README_LINES} lines`]
      : []),
  ];
}

/** The compiler accepts `./x.js` too, but a source that is run as it stands does not. */
export function looseImports(file: ProjectFile): readonly Complaint[] {
  const loose = file.imports.filter(
    (specifier) => specifier.startsWith('.') && !/\.(tsx?|mjs|json|css)$/.test(specifier),
  );
  return loose.map((specifier) => `imports ${specifier} without its extension .ts`);
}

/** What a file of tests opens for itself, and what ends with it. */
const OF_ONE_FILE =
  /^((before|after)(Each|All)|onTest(Finished|Failed)|\w+OfThisFile|(fresh|start|open)[A-Z]\w*|createServer)$/;
const CONNECTION = /^(Redis|Cluster|Queue|QueueEvents|Worker|Client|Pool)$/;

/**
 * Files of tests share the modules that they load. What such a module registers, opens or counts while it is loaded is
 * of the file that came first: the next one finds it closed, or used.
 */
export function belongsToOneFile({ path, text }: ProjectFile): readonly Complaint[] {
  const { program } = sourceOf(path, text);
  if (program === undefined) return [];
  const lineOf = ({ start }: Node): number => text.slice(0, start).split('\n').length;
  return [...runsWhenLoaded(program)].flatMap((node) => {
    const what = ofOneFile(node);
    return what === undefined
      ? []
      : [`line ${lineOf(node)}: ${what} while it is loaded; let the test file ask for it`];
  });
}

function* runsWhenLoaded(node: Node): Generator<Node> {
  if (/Function/.test(node.type)) return;
  yield node;
  for (const child of childrenOf(node)) yield* runsWhenLoaded(child);
}

function ofOneFile(node: Node): string | undefined {
  if (node.type === 'AwaitExpression') return 'waits';
  if (node.type === 'VariableDeclaration' && node['kind'] === 'let') return 'has a variable';
  const callee = node['callee'] as Node | undefined;
  const name = String(callee?.['name'] ?? (callee?.['property'] as Node | undefined)?.['name']);
  if (node.type === 'CallExpression' && OF_ONE_FILE.test(name)) return `calls ${name}`;
  return node.type === 'NewExpression' && CONNECTION.test(name) ? `opens a ${name}` : undefined;
}

/** Files of `files` that can be reached from the starts by imports, and the packages met on the way. */
export function reach(files: readonly ProjectFile[], starts: readonly string[]) {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = new Set<string>();
  const packages = new Set<string>();
  const follow = (path: string): void => {
    const file = byPath.get(path);
    if (file === undefined || reached.has(path)) return;
    reached.add(path);
    for (const specifier of file.imports) {
      const target = resolveImport(path, specifier);
      if (target !== undefined) follow(target);
      else if (!specifier.startsWith('node:')) packages.add(packageOf(specifier));
    }
  };
  for (const start of starts) follow(start);
  return { files: reached, packages };
}

function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function isAt(path: string, place: string): boolean {
  return place.endsWith('/') ? path.startsWith(place) : path === place;
}

function linesWith(text: string, pattern: RegExp): readonly number[] {
  return text.split('\n').flatMap((line, index) => (pattern.test(line) ? [index + 1] : []));
}
