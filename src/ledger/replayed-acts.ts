/** Acts in the data-loss window that a restored ledger repeats: those that remove a right or stop something. */
import type { CampaignSwitch } from '../kinds/campaign-switches.ts';
import { Campaigns } from './campaigns.ts';
import type { Acted } from './journal.ts';
import { OptOuts } from './opt-outs.ts';
import type { Database, Run } from './pool.ts';
import type { OperationRow } from './records.ts';
import { eventOfRestored } from './restoring.ts';

type Json = Readonly<Record<string, unknown>>;

/** False: an operator must repeat or check it. */
type Replay = (database: Database, facts: Json) => Promise<boolean>;

/** A replay never restores what an act removed: a pause stays, even if a later act ended it. */
const REPLAYS: Readonly<Record<string, Replay>> = {
  'key.revoked': by((run, { id, at }) => run('replay_revoked_key', [text(id), text(at)])),
  'account.held': by((run, { account, area, reason }) =>
    run('replay_hold', [text(account), text(area), text(reason)]),
  ),
  'limit.set': by(async (run, { name, value, by: person }) => {
    if (typeof value === 'number') await run('replay_limit', [text(name), value, text(person)]);
  }),
  'queue.paused': by((run, { name, by: person }) => run('replay_switch', [text(name), text(person)])),
  'operation.cancelled': by((run, { id }) => cancelled(run, text(id))),
  'batch.cancelled': by((run, { id, rejectedBy, note }) =>
    run('cancel_batch', [text(id), BATCHES, text(rejectedBy) || null, text(note) || null, null]),
  ),
  'campaign.cancelled': (database, { id }) => switched(database, text(id), 'cancel'),
  'campaign.paused': (database, { id }) => switched(database, text(id), 'pause'),
  // The new content is unknown: the campaign waits for an operator who changes it again.
  'campaign.amended': async (database, { id }) => {
    await switched(database, text(id), 'pause');
    return false;
  },
  'opt_out.added': async (database, { account, sender, phones }) => {
    const numbers = Array.isArray(phones) ? phones.map((phone) => text(phone)) : [];
    await new OptOuts({ database }).add({ account: text(account), sender: text(sender) }, numbers);
    return true;
  },
};

/** Why a request that waits in the restored ledger is not executed. */
export const RESTORED_PROBLEM = {
  pointer: '',
  message:
    'PostgreSQL was restored to an earlier point, and this request may have been done in the lost time: check, then enqueue it again',
};

const BATCHES = ['awaiting_approval', 'invalid', 'needs_review'];

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function by(replay: (run: Run, facts: Json) => Promise<unknown>): Replay {
  return async (database, facts) => {
    await database.transaction((run) => replay(run, facts));
    return true;
  };
}

/** False: this version cannot repeat it, so an operator is informed. */
export async function replayAct(database: Database, { kind, facts }: Acted): Promise<boolean> {
  return (await REPLAYS[kind]?.(database, facts)) ?? false;
}

/** A campaign that is missing or stopped in the restored ledger needs no stop. */
async function switched(database: Database, id: string, name: CampaignSwitch): Promise<true> {
  await new Campaigns({ database }).switch(id, name, { reason: 'restored' });
  return true;
}

async function cancelled(run: Run, id: string): Promise<void> {
  const [row] = await run<OperationRow>('read', [[id]]);
  if (row === undefined) return;
  if (row.kind === 'message') {
    await run('cancel_message', [id, null]);
    return;
  }
  const [ended, review] = (['cancelled', 'needs_review'] as const).map((to) => {
    const event = row.kind === 'disbursement' ? eventOfRestored(row, to) : undefined;
    return event === undefined ? null : JSON.stringify(event);
  });
  await run('replay_cancelled', [id, ended, review, null]);
}

/**
 * Operations that were accepted and cancelled in the data-loss window are not accepted again, even if a batch or an
 * SQL client requests them. Runs after the journal's items: operations that left are checked.
 */
export async function buryCancelled(run: Run, acts: readonly Acted[]): Promise<void> {
  const facts = acts.filter(({ kind }) => kind === 'operation.cancelled').map((one) => one.facts);
  if (facts.length === 0) return;
  const [ids, kinds, accounts] = ['id', 'kind', 'account'].map((name) => facts.map((one) => text(one[name])));
  await run('bury_lost', [ids, kinds, accounts, facts.map(() => 'cancelled'), null]);
}
