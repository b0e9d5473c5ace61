/** A PostgreSQL for this demonstration alone. DATABASE_URL names another one where npm has none for this platform. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedPostgres, openEmbeddedPostgres } from '../../src/ledger/embedded.ts';

export interface DemoPostgres extends Pick<EmbeddedPostgres, 'url' | 'crash' | 'start'> {
  /** Ends the server and removes its data. */
  stop(): Promise<void>;
}

export async function openPostgres(): Promise<DemoPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'relais-postgres-'));
  const server = await openEmbeddedPostgres(folder, { endsWithUs: true });
  return {
    url: server.url,
    crash: () => server.crash(),
    start: () => server.start(),
    stop: () => server.remove(),
  };
}
