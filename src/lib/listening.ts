import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:net';
import { type Random, systemRandom } from './random.ts';
import { message } from '../messages/message.ts';
import { MessageError } from '../messages/texts.ts';

/** A port is not available. Its name distinguishes it from unexpected errors. */
export class PortTaken extends MessageError {
  override readonly name = 'PortTaken';
}

export interface Place {
  readonly port: number;
  readonly host: string;
  /** The setting for another port. */
  readonly setting: string;
}

/** Resolves when the server listens; throws a PortTaken that names the setting to change. */
export async function listening(server: Server, { port, host, setting }: Place): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    const why = code === 'EADDRINUSE' ? 'port_taken' : code === 'EACCES' ? 'port_forbidden' : undefined;
    if (why === undefined) throw cause;
    const problem = message(why, { port, host });
    throw new PortTaken(message('of_setting', { name: setting, problem }), { cause });
  }
}

/**
 * Below the range of outgoing connections, so that none takes the port between the check and its use. A cluster node
 * also uses the port that is 10,000 higher.
 */
const [LOWEST, HIGHEST] = [10_240, 22_000];
const TRIES = 50;

/** A loopback port without a listener; another program may take it before its use. */
export async function freePort(random: Random = systemRandom): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = LOWEST + Math.floor(random.fraction() * (HIGHEST - LOWEST));
    if (await isFree(port)) return port;
  }
  throw new Error(`none of ${TRIES} ports between ${LOWEST} and ${HIGHEST} on 127.0.0.1 is free`);
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return false;
    throw error;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}
