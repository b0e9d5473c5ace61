import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A text file of the project for the rules. */
export interface ProjectFile {
  /** From the root, with slashes: `src/lib/clock.ts`. */
  readonly path: string;
  readonly text: string;
  /** The text without comments and string contents. Line numbers are preserved. */
  readonly code: string;
  /** Every module named in an import or a re-export, types included. */
  readonly imports: readonly string[];
}

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const NOT_OURS = new Set(['node_modules', 'dist', 'coverage', '.git', '.relais']);
const CODE = /\.(tsx?|mjs|js)$/;
const TEXT = /\.(tsx?|mjs|js|css|html|md|json|yml|yaml|csv|sh|toml)$|(^|\/)(Dockerfile|LICENSE|\.[a-z.]+|[a-z]+)$/;

/** Every text file of the project in these folders (default: all), whatever its state in version control. */
export function projectFiles(...folders: string[]): readonly ProjectFile[] {
  const starts = folders.length === 0 ? [''] : folders;
  return starts.flatMap((start) => pathsBelow(start)).map(readProjectFile);
}

function pathsBelow(folder: string): readonly string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    // In a worktree, .git is a file.
    if (NOT_OURS.has(entry.name)) return [];
    if (entry.isDirectory()) return pathsBelow(path);
    return TEXT.test(path) && entry.name !== 'package-lock.json' ? [path] : [];
  });
}

function readProjectFile(path: string): ProjectFile {
  const text = readFileSync(join(root, path), 'utf8');
  if (!CODE.test(path)) return { path, text, code: '', imports: [] };
  return { path, text, code: codeOf(text), imports: importsOf(text) };
}

/** A slash begins a regular expression where no value can precede it. */
const BEFORE_PATTERN = String.raw`(?<=(?:^|[(,=:[!&|?{};>]|\breturn)\s*)`;

const TOKENS = new RegExp(
  [
    String.raw`(?<comment>\/\*[^]*?\*\/|\/\/[^\n]*)`,
    String.raw`(?<string>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")`,
    String.raw`(?<template>${'`'}(?:\\[^]|[^${'`'}\\])*${'`'})`,
    String.raw`(?<pattern>${BEFORE_PATTERN}\/(?![*\/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^\/\\\n[])+\/[a-z]*)`,
  ].join('|'),
  'gm',
);

/** Comments, strings and patterns emptied; expressions in templates stay, because they run. */
function codeOf(text: string): string {
  return text.replace(TOKENS, (token: string, ...rest: unknown[]) => {
    const groups = rest.at(-1) as Record<string, string | undefined>;
    const lines = token.replace(/[^\n]/g, '');
    if (groups['comment'] !== undefined) return lines;
    if (groups['template'] === undefined) return `''${lines}`;
    const computed = [...token.matchAll(/\$\{([^}]*)\}/g)].map(([, expression]) => expression);
    return computed.length === 0 ? `''${lines}` : `(${computed.join(' + ').replace(/\n/g, ' ')})${lines}`;
  });
}

export function importsOf(text: string): readonly string[] {
  const uncommented = text.replace(TOKENS, (token: string, ...rest: unknown[]) => {
    const groups = rest.at(-1) as Record<string, string | undefined>;
    return groups['string'] === undefined ? '' : token;
  });
  const from = /^\s*(?:import|export)\b[^'";]*?\bfrom\s*['"]([^'"]+)['"]/gm;
  const bare = /^\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;
  return [from, bare].flatMap((named) =>
    [...uncommented.matchAll(named)].flatMap(([, atStart, inside]) => atStart ?? inside ?? []),
  );
}

/** `../lib/clock.ts` seen from `src/redis/x.ts` → `src/lib/clock.ts`; undefined for a package. */
export function resolveImport(from: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : undefined;
}
