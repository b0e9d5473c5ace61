/** What stays for the whole run: the sandbox, and the folder of the logs. Redis and the contenders are new each time. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FaultOrder } from '../../src/sandbox/faults.ts';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { mustAsk } from '../storm/http.ts';
import { type Program, startProgram } from './programs.ts';

export interface Stage {
  readonly dir: string;
  /** The program under test: the file that `node` runs. */
  readonly program: string;
  readonly sandbox: Program;
  readonly crm: string;
  readonly base: string;
  /** Empty books, and these settings. */
  freshBooks(settings?: Readonly<Record<string, unknown>>): Promise<void>;
  /** From here on every answer waits so long; the books stay. */
  latency(ms: number): Promise<void>;
  /** From here on, until the books are fresh again. */
  fault(order: FaultOrder): Promise<void>;
  books(): Promise<BooksSummary>;
  /** Each text that has arrived, and when: ms since the epoch. */
  messages(): Promise<readonly { readonly to: string; readonly firstAt: number }[]>;
  redis(): Promise<EmbeddedRedis>;
  close(): Promise<void>;
}

export interface BooksSummary {
  readonly messagesSent: number;
  readonly messagesRepeated: number;
  readonly requests: Readonly<Record<string, number>>;
  readonly logins: number;
}

/** From submit to the final status. Long enough for an answer to arrive before its callback, as it does in life. */
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
    freshBooks: async (settings = {}) => {
      await mustAsk(`${control}/reset`, { method: 'POST', body: {} });
      const body = { settleDelayMs: SETTLE_DELAY_MS, ...settings };
      await mustAsk(`${control}/settings`, { method: 'POST', body });
    },
    latency: async (latencyMs) => {
      await mustAsk(`${control}/settings`, { method: 'POST', body: { latencyMs } });
    },
    fault: async (order) => {
      await mustAsk(`${control}/faults`, { method: 'POST', body: order });
    },
    books: () => mustAsk<BooksSummary>(`${control}/books/summary`),
    messages: () => mustAsk(`${control}/books/messages`),
    redis: () => startEmbeddedRedis(),
    close: async () => {
      await sandbox.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
