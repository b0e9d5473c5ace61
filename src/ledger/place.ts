/** The location of a process, so that another one on the same machine can detect its end. */
import { readFileSync, readlinkSync } from 'node:fs';
import { type Server, createServer } from 'node:net';
import { createHash } from 'node:crypto';

export interface Place {
  /** Empty: this system does not provide it, so the end of the process cannot be detected. */
  readonly bootId: string;
  readonly pidNamespace: string;
  readonly pid: number;
  /** Clock ticks since boot: distinguishes a later process with the same number. */
  readonly pidStarted: string;
}

/** Field 22 of /proc/<pid>/stat, counted after the name in brackets, which may contain blanks. */
const STARTED_AT = 19;

export function ownPlace(): Place {
  return {
    bootId: orEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    pidNamespace: orEmpty(() => readlinkSync('/proc/self/ns/pid')),
    pid: process.pid,
    pidStarted: startOf(process.pid) ?? '',
  };
}

/** True only if certain: in the same boot and namespace its number is free, or belongs to a later process. */
export function isGone(other: Place, own: Place): boolean {
  const isSeen = own.bootId !== '' && own.bootId === other.bootId && own.pidNamespace === other.pidNamespace;
  if (!isSeen || own.pidNamespace === '' || other.pidStarted === '') return false;
  return startOf(other.pid) !== other.pidStarted;
}

/** Undefined: there is no such process, or it has ended and waits for its parent. */
function startOf(pid: number): string | undefined {
  const stat = orEmpty(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === '' || state === 'Z' || state === 'X' ? undefined : rest[STARTED_AT - 1];
}

function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

/**
 * Locks a slot of a deployment on this machine until the returned function is called or the process ends. Uses a
 * listening socket in the abstract namespace, which the kernel frees. Undefined: a running process has the slot, or
 * the system has no such sockets.
 */
export async function lockSlot(deployment: string, slot: string): Promise<(() => Promise<void>) | undefined> {
  if (process.platform !== 'linux') return undefined;
  const name = createHash('sha256')
    .update(JSON.stringify([deployment, slot]))
    .digest('hex')
    .slice(0, NAME_LENGTH);
  const server = createServer((socket) => socket.destroy());
  const isLocked = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(`\0relais-${name}`, () => resolve(true));
  });
  if (!isLocked) return undefined;
  server.unref();
  return () => closed(server);
}

const NAME_LENGTH = 32;

const closed = (server: Server): Promise<void> => new Promise((resolve) => void server.close(() => resolve()));
