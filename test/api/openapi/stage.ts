/** What the scenes have: a watched door, the sandbox behind it, and ways to bring about what is rare. */
import { expect } from 'vitest';
import type { Service } from '../../support/service.ts';
import { leaveForReview } from '../../support/stored.ts';
import type { Ask } from './contract.ts';

export interface Stage {
  readonly ask: Ask;
  readonly service: Service;
  /** Another process over the same database, without SEALING_SECRET; watched too. */
  readonly sealed: Ask;
  readonly becomes: (path: string, state: string) => Promise<unknown>;
  /** As if everything else had been tried. */
  readonly needsReview: (id: string) => Promise<void>;
  /** Once with an answer that cannot be read (502), once without one (504). */
  readonly upstreamFails: (operation: string, ask: () => Promise<{ status: number }>) => Promise<void>;
}

export function stageOf(service: Service, watch: (ask: Ask) => Ask, sealed: Ask): Stage {
  const fault = (name: string, operation: string) =>
    service.control('POST', '/faults', { fault: name, operation, count: 1 });
  return {
    ask: watch((method, path, call) => service.call(method, path, call)),
    service,
    sealed: watch(sealed),
    becomes: (path, wanted) => service.until(path, ({ state }) => state === wanted),
    needsReview: (id) => leaveForReview(service, id),
    upstreamFails: async (operation, ask) => {
      await fault('answers HTML before doing the work', operation);
      expect((await ask()).status).toBe(502);
      await fault('resets the connection before doing the work', operation);
      expect((await ask()).status).toBe(504);
      await service.control('DELETE', '/faults');
    },
  };
}
