/** The sources in a folder of their own, to follow a recipe in. */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const ROOT = new URL('../../', import.meta.url).pathname;

export interface Copy {
  readonly folder: string;
  readonly read: (path: string) => string;
  /** Throws where nothing is changed by it: the recipe would be followed in vain. */
  readonly write: (path: string, text: string) => void;
  /** What was written, in order. */
  readonly touched: readonly string[];
}

export function copyOfTheTree(): Copy {
  const folder = mkdtempSync(join(tmpdir(), 'relais-recipe-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of ['src', 'script', 'package.json', 'tsconfig.json']) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const touched: string[] = [];
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
  return {
    folder,
    read,
    touched,
    write: (path, text) => {
      if (existsSync(join(folder, path)) && text === read(path)) throw new Error(`nothing changed in ${path}`);
      writeFileSync(join(folder, path), text);
      touched.push(path);
    },
  };
}
