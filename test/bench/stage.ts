/** Shared for the whole run: the simulator of the provider, and the folder of the logs. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mustAsk } from '../storm/http.ts';
import { type Program, startProgram } from './programs.ts';

export interface Stage {
  readonly dir: string;
  /** The program under test: the file that `node` runs. */
  readonly program: string;
  readonly sandbox: Program;
  readonly crm: string;
  readonly base: string;
  freshBooks(): Promise<void>;
  books(): Promise<{ readonly messagesSent: number; readonly messagesRepeated: number }>;
  close(): Promise<void>;
}

/** From submit to the final status. Long enough for an answer to arrive before its callback, as in production. */
const SETTLE_DELAY_MS = 50;

export async function openStage(program: string): Promise<Stage> {
  const dir = mkdtempSync(join(tmpdir(), 'relais-bench-'));
  const sandbox = await startProgram({
    name: 'sandbox',
    args: [program, 'sandbox', '--seed', '1'],
    settings: { SANDBOX_PORT: '0', SANDBOX_CRM_PORT: '0', SANDBOX_CONTROL_PORT: '0', LOG_LEVEL: 'warn' },
    dir,
  });
  const { crm = '', base = '', control = '' } = sandbox.urls;
  return {
    dir,
    program,
    sandbox,
    crm,
    base,
    freshBooks: async () => {
      await mustAsk(`${control}/reset`, { method: 'POST', body: {} });
      await mustAsk(`${control}/settings`, { method: 'POST', body: { settleDelayMs: SETTLE_DELAY_MS } });
    },
    books: () => mustAsk(`${control}/books/summary`),
    close: async () => {
      await sandbox.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
