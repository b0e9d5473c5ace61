/** One PostgreSQL for a test run, started on first use: most runs need none. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { TestProject } from 'vitest/node';
import { NoEmbeddedPostgres, type OwnPostgres, startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Connections there receive the address of a PostgreSQL, or why there is none. */
    postgresPort: number;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let started: Promise<OwnPostgres | string> | undefined;
  const door = createServer((socket) => {
    started ??= startPostgres().catch(orNamed);
    void started.then(
      (server) => socket.end(typeof server === 'string' ? server : server.url),
      (error: unknown) => socket.end(`no: ${String(error)}`),
    );
    socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(door, 'listening');
  project.provide('postgresPort', (door.address() as AddressInfo).port);
  return async () => {
    door.close();
    const server = await started?.catch(() => undefined);
    if (server !== undefined && typeof server !== 'string') await server.stop();
  };
}

/** DATABASE_URL is used only if npm has no server for this platform. */
function orNamed(error: unknown): string {
  const named = process.env['DATABASE_URL'];
  if (error instanceof NoEmbeddedPostgres && named) return named;
  throw error;
}
