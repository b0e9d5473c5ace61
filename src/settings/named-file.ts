/** A file that a setting names. It is read when the settings are, so that what is wrong in it is told with all else. */
import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { textOf } from '../lib/saved-text.ts';

/** What it holds is given to nobody by accident: printing, logging and JSON give its place. */
export class NamedFile<T> {
  readonly path: string;
  readonly #holds: T;

  constructor(path: string, holds: T) {
    this.path = path;
    this.#holds = holds;
  }

  get holds(): T {
    return this.#holds;
  }

  toJSON(): string {
    return this.path;
  }

  [inspect.custom](): string {
    return this.path;
  }
}

/** Throws with the place, and what is wrong with it. */
export function readNamed<T>(path: string, read: (text: string) => T): NamedFile<T> {
  let text: string;
  try {
    text = textOf(readFileSync(path));
  } catch (error) {
    throw new Error(`${path}: cannot be read (${messageOf(error)})`, { cause: error });
  }
  try {
    return new NamedFile(path, read(text));
  } catch (error) {
    throw new Error(`${path}: ${messageOf(error)}`, { cause: error });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
