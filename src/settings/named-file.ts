/** A file named by a setting. It is read with the settings, so that its errors are reported together with theirs. */
import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { textOf } from '../lib/saved-text.ts';
import { type Message, message } from '../messages/message.ts';
import { MessageError, messageIn } from '../messages/texts.ts';

/** Its content is never shown accidentally: printing, logging and JSON show its path. */
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

/** Throws with the path and the problem. */
export function readNamed<T>(path: string, read: (text: string) => T): NamedFile<T> {
  let text: string;
  try {
    text = textOf(readFileSync(path));
  } catch (error) {
    throw new MessageError(message('of_setting', { name: path, problem: unreadableFile(error) }), { cause: error });
  }
  try {
    return new NamedFile(path, read(text));
  } catch (error) {
    throw new MessageError(message('of_setting', { name: path, problem: messageIn(error) }), { cause: error });
  }
}

export function unreadableFile(error: unknown): Message {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return message('file_missing');
  if (code === 'EACCES') return message('file_forbidden');
  if (code === 'EISDIR') return message('file_is_folder');
  return message('file_unreadable', { why: messageIn(error) });
}
