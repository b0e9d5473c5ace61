import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:net';

/** A port that we were to listen on is not to be had. Its name tells it from faults that nobody foresaw. */
export class PortTaken extends Error {
  override readonly name = 'PortTaken';
}

export interface Place {
  readonly port: number;
  readonly host: string;
  /** Where somebody can choose another port. */
  readonly setting: string;
}

/** Resolves when the server listens; throws a PortTaken that says what to change. */
export async function listening(server: Server, { port, host, setting }: Place): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    const why = code === 'EADDRINUSE' ? 'is taken' : code === 'EACCES' ? 'is not for this user' : undefined;
    if (why === undefined) throw cause;
    throw new PortTaken(`${setting}: port ${port} on ${host} ${why}; choose another, or 0 for a free one`, { cause });
  }
}

/** One of loopback that nobody listens on at this moment; another may take it before it is used. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('the system gave no port');
  return address.port;
}
