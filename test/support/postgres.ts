/** A PostgreSQL for tests, with its data in a temporary folder. */
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type EmbeddedOptions,
  type EmbeddedPostgres,
  NoEmbeddedPostgres,
  openEmbeddedPostgres,
} from '../../src/ledger/embedded.ts';

export { NoEmbeddedPostgres };

export interface OwnPostgres extends Omit<EmbeddedPostgres, 'stop' | 'remove'> {
  /** Ends the server; its data stays. */
  halt(): Promise<void>;
  /** Ends the server and removes its data. */
  stop(): Promise<void>;
}

/** `POSTGRES_HOME` names another PostgreSQL than that of npm. */
export function openPostgres(folder: string, options: EmbeddedOptions = {}): Promise<EmbeddedPostgres> {
  const installed = process.env['POSTGRES_HOME'];
  return openEmbeddedPostgres(folder, { ...(installed ? { installed } : {}), ...options });
}

/** Concurrent files start several processes each, and each may use `DATABASE_POOL` connections. */
const parameters = { max_connections: '500' };

export async function startPostgres(started?: (server: ChildProcess) => void): Promise<OwnPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'relais-postgres-'));
  const server = await openPostgres(folder, { parameters, endsWithUs: true, ...(started && { started }) });
  return {
    ...server,
    halt: () => server.stop(),
    stop: () => server.remove(),
  };
}
