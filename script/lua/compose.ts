/** Reads the .lua files of a folder and writes what is made from them. */
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { constants } from './constants.ts';
import { type Head, parseHead } from './head.ts';
import { between, locals, withConstants, withoutComments } from './lua-text.ts';
import { moduleOf } from './typescript-text.ts';

/** Where scripts are; what they share is in `lib/` below, and what is made from them in `generated/`. */
export const SCRIPT_FOLDERS = ['src/redis/scripts', 'src/operations/scripts', 'src/upstream/scripts'] as const;

export interface LuaScript {
  /** From the root of the project. */
  readonly path: string;
  readonly name: string;
  readonly head: Head;
  /** What Redis runs, with all that it includes. */
  readonly lua: string;
}

/** Reads one file, by its path from the root. */
type ReadFile = (path: string) => string;

const root = new URL('../../', import.meta.url).pathname;
const readSource: ReadFile = (path) => readFileSync(join(root, path), 'utf8');

const isFolder = (path: string): boolean =>
  statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() ?? false;

export const filesIn = (folder: string, end: string): readonly string[] =>
  isFolder(folder)
    ? readdirSync(join(root, folder))
        .filter((name) => name.endsWith(end))
        .toSorted()
        .map((name) => join(folder, name))
    : [];

export const scriptsIn = (folder: string): readonly LuaScript[] =>
  filesIn(folder, '.lua').map((path) => compose(path));

/** The module that holds the scripts of a folder: where it stands, and its text. */
export function generatedFrom(folder: string): { readonly target: string; readonly typescript: string } {
  const target = join(folder, 'generated', 'scripts.ts');
  return { target, typescript: moduleOf(scriptsIn(folder), relative(dirname(target), 'src/redis')) };
}

export function compose(path: string, read: ReadFile = readSource): LuaScript {
  const source = read(path);
  const included = includesOf(path, read);
  const own = parseHead(source);
  const structs = included.flatMap((one) => [...parseHead(read(one)).structs]);
  const head = { ...own, structs: new Map([...own.structs, ...structs]) };
  const lua = withConstants(
    included.map((one) => withoutComments(read(one))).join('') + between(locals(head)) + withoutComments(source),
    constants,
  );
  const folder = dirname(path);
  const name = path.slice(folder.length + 1).replace(/\.lua$/, '');
  return { path, name, head, lua };
}

const INCLUDE = /^--- @include "([^"]+)"$/gm;

/** Each once, and after what it includes itself. */
function includesOf(path: string, read: ReadFile, above: readonly string[] = []): readonly string[] {
  if (above.includes(path)) throw new Error(`${path} includes itself`);
  const found = [...read(path).matchAll(INCLUDE)].map(([, name = '']) => join(dirname(path), `${name}.lua`));
  const all = found.flatMap((one) => [...includesOf(one, read, [...above, path]), one]);
  return [...new Set(all)];
}
