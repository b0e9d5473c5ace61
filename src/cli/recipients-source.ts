/** The source of recipients: a file, a pipe, or `-` for standard input. */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isStandardInput } from './io.ts';
import type { Shell } from './shell.ts';

export interface RecipientsSource {
  /** The name in messages. */
  readonly name: string;
  /** Each call reads from the beginning, but standard input and pipes can be read only a single time. */
  open(): Readable;
}

export function sourceOf(path: string, { io: { stdin }, words }: Shell): RecipientsSource {
  if (isStandardInput(path)) return { name: words.commands.standardInput, open: () => stdin };
  return { name: path, open: () => createReadStream(path) };
}

/** A source that can be read twice: a non-file is copied to a temporary file until `use` is done. */
export async function withRereadable<T>(
  path: string,
  shell: Shell,
  use: (source: RecipientsSource) => Promise<T>,
): Promise<T> {
  const source = sourceOf(path, shell);
  if (!isStandardInput(path) && !(await isReadOnce(path))) return use(source);
  const folder = await mkdtemp(join(tmpdir(), 'relais-recipients-'));
  try {
    const kept = join(folder, 'recipients');
    await pipeline(source.open(), createWriteStream(kept, { mode: 0o600 }), { signal: shell.io.signal });
    return await use({ name: source.name, open: () => createReadStream(kept) });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** `<(…)` of a shell, and a named pipe. A missing path is reported when it is opened. */
async function isReadOnce(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && !found.isFile() && !found.isDirectory();
}
