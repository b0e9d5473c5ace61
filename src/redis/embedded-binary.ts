import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface FindOptions {
  /** A server to use and no other (the setting `REDIS_SERVER_BIN`). */
  readonly binary?: string;
  /** Where an unpacked server was put. Default: `.relais/redis` in the project. */
  readonly cacheDir?: string;
}

/** There is no redis-server or valkey-server on this machine. The message names the ways out. */
export class NoRedisServer extends Error {
  override readonly name = 'NoRedisServer';
}

const PROJECT_CACHE = fileURLToPath(new URL('../../.relais/redis', import.meta.url));

const WAYS_OUT = [
  '  ./script/setup                              (fetches one for this project, on Debian and Ubuntu)',
  '  brew install redis                          (macOS), apt-get install redis-server (Debian)',
  '  docker run -d -p 6379:6379 redis:7 --appendonly yes --appendfsync always',
  '                                              then REDIS_URL=redis://127.0.0.1:6379',
  '  REDIS_SERVER_BIN=/path/to/redis-server      or REDIS_URL=redis://… of one that runs already',
].join('\n');

/** The server program: the one named, else redis-server or valkey-server on PATH, else the one unpacked by setup. */
export function findRedisServer(options: FindOptions = {}): string {
  if (options.binary !== undefined) {
    if (isProgram(options.binary)) return options.binary;
    throw new NoRedisServer(
      `REDIS_SERVER_BIN names ${options.binary}, which is not a program. Ways out:\n${WAYS_OUT}`,
    );
  }
  const cached = `${options.cacheDir ?? PROJECT_CACHE}/redis-server`;
  const found = onPath('redis-server') ?? onPath('valkey-server') ?? (isProgram(cached) ? cached : undefined);
  if (found !== undefined) return found;
  throw new NoRedisServer(`No redis-server or valkey-server on this machine. Ways out:\n${WAYS_OUT}`);
}

/** Asked of the shell, which knows the search path. */
function onPath(program: string): string | undefined {
  try {
    const answer = execFileSync('/bin/sh', ['-c', 'command -v "$1"', 'sh', program], { encoding: 'utf8' });
    return answer.trim() || undefined;
  } catch {
    return undefined; // `command -v` exits with 1 (or 127) for a program it does not know
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // not there, or not ours to run: the caller says which name it tried
  }
}
