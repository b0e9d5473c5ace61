/**
 * Tabs that stay open while a campaign runs: their memory does not grow. Ten minutes with RELAIS_DEEP=1, or
 * RELAIS_MINUTES; without either it is skipped, since a shorter run proves nothing.
 */
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type ConsoleWorld, campaign, leave, openConsole, pay } from '../support/console-world.ts';
import { DEEP } from '../support/deep.ts';

const MINUTES = Number(process.env['RELAIS_MINUTES'] ?? (DEEP ? 10 : 0));
const LIMIT_MS = (MINUTES + 5) * 120_000;
const A_SECOND = 25;
const PEOPLE = MINUTES * 60 * A_SECOND;
/** The first measurement is taken right after the tab was opened. */
const LOOKS = 13;
const A_PAGE = 100;
const MEGABYTE = 1_048_576;

let world: ConsoleWorld;
beforeAll(async () => {
  world = await openConsole({ WORKER_CONCURRENCY: '10', CAMPAIGN_APPROVAL_ABOVE: 'off' });
});
afterAll(() => world?.close());

/** Memory of a tab after garbage collection, without the browser's compiled code. */
interface Held {
  readonly megabytes: number;
  readonly nodes: number;
  readonly listeners: number;
}

/** V8's format: all nodes in one list, with a number for each field. */
interface Snapshot {
  readonly snapshot: {
    readonly meta: { readonly node_fields: string[]; readonly node_types: [string[], ...unknown[]] };
  };
  readonly nodes: number[];
}

/** A long-running program is recompiled with more optimisation, and that code stays: it is not the page's data. */
function bytesBesideCode({ snapshot: { meta }, nodes }: Snapshot): number {
  const [types] = meta.node_types;
  const [type, size] = [meta.node_fields.indexOf('type'), meta.node_fields.indexOf('self_size')];
  let bytes = 0;
  for (let at = 0; at < nodes.length; at += meta.node_fields.length) {
    if (types[nodes[at + type] ?? 0] !== 'code') bytes += nodes[at + size] ?? 0;
  }
  return bytes;
}

async function heldBy(session: CDPSession): Promise<Held> {
  await session.send('HeapProfiler.collectGarbage');
  const parts: string[] = [];
  const gather = ({ chunk }: { readonly chunk: string }): void => void parts.push(chunk);
  session.on('HeapProfiler.addHeapSnapshotChunk', gather);
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  session.off('HeapProfiler.addHeapSnapshotChunk', gather);
  const megabytes = bytesBesideCode(JSON.parse(parts.join('')) as Snapshot) / MEGABYTE;
  const { nodes, jsEventListeners } = await session.send('Memory.getDOMCounters');
  return { megabytes, nodes, listeners: jsEventListeners };
}

interface Tab {
  readonly name: string;
  readonly page: Page;
  readonly session: CDPSession;
  readonly looks: Held[];
}

async function opened(name: string, path: string): Promise<Tab> {
  const page = await world.signedIn('moussa', path);
  return { name, page, session: await page.context().newCDPSession(page), looks: [] };
}

async function look({ name, page, session, looks }: Tab, sent: number): Promise<void> {
  // A user is present: half an hour without input would end the session.
  await page.keyboard.press('Shift');
  const held = await heldBy(session);
  looks.push(held);
  const { megabytes, nodes, listeners } = held;
  process.stdout.write(`${sent} sent, ${name}: ${megabytes.toFixed(2)} MB, ${nodes} nodes, ${listeners} listeners\n`);
}

const mean = (all: readonly number[]): number => all.reduce((sum, one) => sum + one, 0) / all.length;

test.runIf(MINUTES > 0)(
  `tabs that watch a campaign of ${PEOPLE} for ${MINUTES} minutes hold no more at the end than at the beginning`,
  { timeout: LIMIT_MS },
  async () => {
    const id = await campaign(world, { name: 'November', people: PEOPLE - 2, perSecond: A_SECOND });
    // A list that is not full yet grows with its items.
    const first = Array.from({ length: A_PAGE }, (_, at) => at);
    await Promise.all(
      first.map((at) => pay(world, { accountAlias: '771234567', amount: 5_000, reference: `first-${at}` })),
    );
    const tabs = [
      await opened('campaign', `/campaigns/${id}`),
      await opened('today', '/'),
      await opened('payments', '/operations/disbursement'),
    ];
    await world.api.post(`/v1/campaigns/${id}/start`);
    const [watched] = tabs;
    await watched?.page.locator('[data-bin=sent]').click();
    let asked = 0;
    for (let at = 1; at <= LOOKS; at += 1) {
      let sent = 0;
      // Concurrent payments, whose events trigger refreshes.
      const isFar = async (): Promise<boolean> => {
        asked += 1;
        await pay(world, { accountAlias: '771234567', amount: 5_000, reference: `beside-${String(asked)}` });
        const { totals } = await world.api.get<{ totals: { total: number; queued: number } }>(`/v1/campaigns/${id}`);
        sent = totals.total - totals.queued;
        return sent >= (PEOPLE / (LOOKS + 1)) * at;
      };
      await vi.waitUntil(isFar, { timeout: LIMIT_MS, interval: 5_000 });
      for (const tab of tabs) await look(tab, sent);
    }
    expect(await watched?.page.locator('[data-campaign=running]').count()).toBe(1);
    for (const { name, page, looks } of tabs) {
      const [, ...later] = looks;
      const third = later.length / 3;
      for (const what of ['megabytes', 'nodes', 'listeners'] as const) {
        const begin = mean(later.slice(0, third).map((one) => one[what]));
        const end = mean(later.slice(-third).map((one) => one[what]));
        expect(end, `${name}: ${what}, ${begin.toFixed(2)} at first`).toBeLessThan(begin * 1.1);
      }
      await leave(page);
    }
  },
);
