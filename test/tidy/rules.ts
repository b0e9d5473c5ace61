/** Rules of the sources beyond the linter's. */
import { type ProjectFile, resolveImport } from './scanner.ts';

/** A sentence about a broken rule, for its author. */
type Complaint = string;

/** A folder imports from rows below its own: never from its own row, never from above. */
const ROWS: ReadonlyArray<readonly [row: number, folders: readonly string[]]> = [
  // `app` combines the folders for main: a role is a list of parts.
  [8, ['main', 'app']],
  [7, ['api', 'cli']],
  [6, ['campaigns', 'webhooks']],
  [5, ['processors', 'producer', 'events', 'metrics']],
  [4, ['settings', 'ledger', 'client']],
  [3, ['queues', 'operations', 'provider', 'sandbox']],
  [2, ['redis', 'kinds', 'files']],
  [1, ['lib']],
  [0, ['messages']],
];

/** The only row whose members import each other: it wires everything and decides nothing. */
const WIRING = 8;

/** `metrics` counts others' events, and none of them may depend on it. */
const ONLY_MAIN_IMPORTS = ['metrics'];

/** `src/redis/x.ts` → `redis`; the files directly in `src` are `main`. */
function folderOf(path: string): string {
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
  /** Allowed files, or folders with a slash at the end. */
  readonly except: readonly string[];
  readonly instead: string;
}

/** Searched only in code, so that a comment may mention them. */
const BANNED: readonly Ban[] = [
  { pattern: /\bprocess\.env\b/, except: ['src/main.ts'], instead: 'take the setting as an argument' },
  {
    pattern: /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(|(?<![.\w])set(Timeout|Interval)\(/,
    except: ['src/lib/clock.ts'],
    instead: 'take a Clock',
  },
  { pattern: /\bMath\.random\(/, except: [], instead: 'take a Random' },
  {
    pattern: /\b(randomUUID|randomBytes|randomInt|getRandomValues)\b/,
    // A nonce for encryption must never be replayed, not even by a test with a seed.
    except: ['src/lib/random.ts', 'src/provider/'],
    instead: 'take a Random, or derive the id',
  },
  { pattern: /(?<![.\w])fetch\(/, except: ['src/cli/'], instead: 'take a transport (undici.request on our Agent)' },
  { pattern: /\bconsole\./, except: ['src/cli/'], instead: 'take a Logger' },
  {
    pattern: /\bnew (Queue|Worker|FlowProducer|QueueEvents|JobScheduler)\b\s*[<(]/,
    except: ['src/queues/open.ts'],
    instead: 'open it in src/queues/open.ts, which knows prefix, retention and lock',
  },
];

export function bannedInSource({ path, code }: ProjectFile): readonly Complaint[] {
  const bans = BANNED.filter(({ except }) => !except.some((place) => isAt(path, place)));
  return code
    .split('\n')
    .flatMap((line, at) =>
      bans.flatMap(({ pattern, instead }) => (pattern.test(line) ? [`line ${at + 1}: ${instead}`] : [])),
    );
}

function isAt(path: string, place: string): boolean {
  return place.endsWith('/') ? path.startsWith(place) : path === place;
}

/** Files of `files` reachable from the starts by imports, and the packages on the way. */
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
