/** After the storm: waits until everything has finished or needs review. */
import { waitUntil } from './clock.ts';
import { ask } from './http.ts';
import type { Restore } from './story.ts';
import { isTorn, type Mailing } from './campaigns.ts';

const BEFORE_SUBMIT = ['queued', 'held', 'created'] as const;
const OPEN = [...BEFORE_SUBMIT, 'submitting', 'unknown', 'pending'] as const;

/** Open operations after `ms`, as text; nothing if all have finished. */
export async function comeToRest(
  api: string,
  mailings: readonly Mailing[],
  { ms, restores }: { readonly ms: number; readonly restores: readonly Restore[] },
): Promise<string[]> {
  let open: string[] = [];
  await waitUntil(
    async () => {
      open = [
        ...(await openDisbursements(api)),
        ...(await openMailings(api, mailings, restores)),
        ...(await openMessages(api)),
      ];
      return open.length === 0;
    },
    ms,
    500,
  );
  return open;
}

/** Resolves when every disbursement has been submitted at least one time, or after `ms`. */
export function noneWaits(api: string, ms: number): Promise<boolean> {
  return waitUntil(async () => (await openDisbursements(api, BEFORE_SUBMIT)).length === 0, ms, 500);
}

async function openDisbursements(api: string, states: readonly string[] = OPEN): Promise<string[]> {
  const open: string[] = [];
  for (const state of states) {
    const reply = await ask(`${api}/v1/disbursements?state=${state}&limit=1`);
    const items = (reply?.body as { items?: { id: string }[] } | undefined)?.items;
    if (!items) open.push('relais does not answer');
    else if (items[0]) open.push(`${items[0].id} is still ${state}`);
  }
  return open;
}

/** Those in doubt may stay so. */
async function openMessages(api: string): Promise<string[]> {
  const open: string[] = [];
  for (const state of ['queued', 'sending']) {
    const reply = await ask(`${api}/v1/messages?state=${state}&limit=1`);
    const items = (reply?.body as { items?: { id: string }[] } | undefined)?.items;
    if (!items) open.push('relais does not answer');
    else if (items[0]) open.push(`${items[0].id} is still ${state}`);
  }
  return open;
}

/** A campaign has settled when it is finished and no request of it is in flight. */
async function openMailings(
  api: string,
  mailings: readonly Mailing[],
  restores: readonly Restore[],
): Promise<string[]> {
  const open: string[] = [];
  for (const mailing of mailings) {
    const { id, cancelledAt } = mailing;
    const reply = await ask(`${api}/v1/campaigns/${id}`);
    const seen = reply?.body as { state?: string; totals?: Record<string, number> } | undefined;
    const ended = seen?.state === 'finished' || seen?.state === 'cancelled';
    if (ended && seen?.totals?.['sending'] === 0) continue;
    // Lost in a restore (410: the journal has it), or only started there.
    const isLost = reply?.status === 404 || reply?.status === 410;
    if (isTorn(mailing, restores) && (isLost || seen?.state === 'draft' || seen?.state === 'ready')) continue;
    // A campaign that stopped itself after too many lost answers is resumed. One whose cancellation was lost with a
    // restore is cancelled again.
    const act = cancelledAt === undefined ? 'resume' : 'cancel';
    if (seen?.state === 'held' || seen?.state === 'paused')
      await ask(`${api}/v1/campaigns/${id}/${act}`, { method: 'POST', body: '{}' });
    open.push(`${id} is still ${seen?.state}: ${JSON.stringify(seen?.totals)}`);
  }
  return open;
}
