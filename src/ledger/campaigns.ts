/** Campaigns: draft, approval and states. Each act is one transaction with its audit line and event. */
import {
  APPROVED_WITH,
  type CampaignHold,
  type CampaignSwitch,
  DRAFTED,
  campaignSwitches,
} from '../kinds/campaign-switches.ts';
import type { StateOf } from '../kinds/index.ts';
import type { Limits } from '../kinds/limits.ts';
import { canonicalJson } from '../lib/ids.ts';
import type { Traces } from '../lib/traces.ts';
import type { CampaignRecord } from '../operations/record.ts';
import { type Act, type Known, actOf, noteAct } from './acts.ts';
import {
  type CampaignFields,
  type CampaignRow,
  NO_CONTENT,
  type ReadCampaign,
  contentOf,
  fieldOf,
  recordOf,
} from './campaign-record.ts';
import type { OnCommitted } from './committed.ts';
import { LedgerClosed } from './errors.ts';
import type { Database, Run } from './pool.ts';

export interface NewCampaign {
  readonly id: string;
  readonly account: string;
  readonly reference?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** SHA-256 of the request: another request with the same identity is a conflict. */
  readonly fingerprint: Buffer;
  /** Name, text and options, as `wholePaceToRecord` and `amendmentToRecord` write them. */
  readonly fields: CampaignFields;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly createdBy: string;
  readonly trace?: string | undefined;
  readonly act?: Act | undefined;
}

export interface SwitchDetails {
  /** Why the campaign is held or was cancelled. */
  readonly reason?: CampaignHold | 'restored' | undefined;
  /** Only if it is held for this reason. */
  readonly only?: CampaignHold | undefined;
  /** Only in this version. */
  readonly asRead?: number | undefined;
  /** When the hold is checked again, ms from now. Absent: it waits for an operator. */
  readonly againInMs?: number | undefined;
  /** The user who asks. Absent: a schedule, or a cleared condition. */
  readonly by?: string | undefined;
  /** The version that is approved. */
  readonly approves?: number | undefined;
  readonly act?: Act | undefined;
}

export type Switched =
  | { readonly is: 'applied'; readonly rev: number; readonly to: StateOf<'campaign'> }
  | { readonly is: 'refused'; readonly state: string }
  /** The maker of a campaign cannot decide about it. */
  | { readonly is: 'own' };

type Amended =
  | { readonly is: 'applied'; readonly rev: number }
  | { readonly is: 'refused'; readonly state: string }
  | { readonly is: 'approved' }
  | { readonly is: 'filled' };

type Retried =
  | { readonly is: 'applied'; readonly rev: number }
  | { readonly is: 'replayed' }
  | { readonly is: 'under way' }
  | { readonly is: 'nobody' }
  | { readonly is: 'unapproved' }
  | { readonly is: 'refused'; readonly state: string };

interface ByPerson {
  readonly by?: string | undefined;
  readonly act?: Act | undefined;
}

interface CampaignsOptions {
  readonly database: Database;
  /** Limits in force for this process. */
  readonly limits?: () => Promise<Limits>;
  readonly traces?: Traces | undefined;
  readonly onCommitted?: OnCommitted | undefined;
  /** For tests, instead of the time of PostgreSQL. */
  readonly now?: () => number;
}

/** Retry keys stored per campaign. */
const RETRY_KEYS = 20;
const LARGE = 1_000;
const CANARY = 50;
const NO_MORE: readonly string[] = ['finished', 'cancelled'];

export class Campaigns {
  readonly #database: Database;
  readonly #limits: () => Promise<Limits>;
  readonly #traces: Traces | undefined;
  readonly #onCommitted: OnCommitted | undefined;
  readonly #time: () => Date | null;

  constructor({ database, limits = async () => ({}), traces, onCommitted, now }: CampaignsOptions) {
    this.#database = database;
    this.#traces = traces;
    this.#limits = limits;
    this.#onCommitted = onCommitted;
    this.#time = () => (now === undefined ? null : new Date(now()));
  }

  /** Records a draft. Throws `LedgerClosed` while the ledger is recovering. */
  async accept(one: NewCampaign): Promise<Drafted> {
    const { id, account, fingerprint, createdBy } = one;
    const { name, body, options, perSecond, startsAt } = contentOf(one.fields, NO_CONTENT);
    return this.#database.transaction(async (run) => {
      const identity = identityOf(one);
      const [fresh] = await run<{ created_at: Date }>('accept_campaign', [
        ...identity,
        fingerprint,
        name,
        body,
        options,
        one.metadata ?? null,
        perSecond,
        startsAt,
        createdBy,
        one.trace ?? null,
        this.#time(),
      ]);
      if (fresh !== undefined) {
        await this.#note(run, one.act && { ...one.act, target: id }, { facts: { state: 'draft', account } });
        return { outcome: 'accepted', id, at: fresh.created_at.getTime() };
      }
      const [holder] = await run<Holder>('campaign_identity', identity);
      if (holder === undefined) throw new LedgerClosed('recovering');
      return heldBy(holder, one);
    });
  }

  /** The answer that `accept` would give; nothing is recorded. */
  async judge(one: NewCampaign): Promise<Drafted> {
    const [holder] = await this.#database.run<Holder>('campaign_identity', identityOf(one));
    return holder === undefined ? { outcome: 'accepted', id: one.id, at: 0 } : heldBy(holder, one);
  }

  /** The request fields as texts by name. Undefined: there is no such campaign, or it was removed. */
  async asked(id: string): Promise<Readonly<Record<string, string>> | undefined> {
    const [read] = await this.#database.run<ReadCampaign>('read_campaigns', [[id]]);
    if (read === undefined) return undefined;
    const { campaign } = read;
    const names = ['name', 'text', 'perSecond', 'sendAt', ...Object.keys(campaign.options)];
    const texts = names.map((name) => [name, String(fieldOf(campaign, name))] as const);
    const { reference, metadata } = campaign;
    return {
      kind: 'campaign',
      ...Object.fromEntries(texts),
      ...(reference === null ? {} : { reference }),
      ...(metadata === null ? {} : { metadata: canonicalJson(metadata) }),
    };
  }

  async read(id: string): Promise<CampaignRecord | undefined> {
    const [one] = await this.readAll([id]);
    return one;
  }

  /** Unordered; unknown ids are omitted. */
  async readAll(ids: readonly string[]): Promise<readonly CampaignRecord[]> {
    return (await this.#database.run<ReadCampaign>('read_campaigns', [ids])).map(recordOf);
  }

  /**
   * Changes how a campaign is sent, from its next request on. Its content can change only while it has no recipients.
   */
  async amend(id: string, fields: CampaignFields, { by = 'producer', act }: ByPerson = {}): Promise<Amended> {
    const answer = await this.#locked<Amended>(id, { is: 'refused', state: '' }, async (run, { campaign }) => {
      const { state } = campaign;
      if (NO_MORE.includes(state)) return { is: 'refused', state };
      const names = Object.keys(fields);
      if (campaign.approved_by !== null && APPROVED_WITH.some((name) => names.includes(name)))
        return { is: 'approved' };
      if (state !== 'draft' && DRAFTED.some((name) => names.includes(name))) return { is: 'filled' };
      const { name, body, options, perSecond, startsAt } = contentOf(fields, campaign);
      const values = [id, name, body, options, perSecond, startsAt, by, this.#time()];
      const [amended] = await run<{ version: number }>('amend_campaign', values);
      const changed = names.filter((one) => String(fieldOf(campaign, one)) !== String(fields[one]));
      const before = Object.fromEntries(changed.map((one) => [one, fieldOf(campaign, one)]));
      const facts = Object.fromEntries(changed.map((one) => [one, fields[one]]));
      // A repeated call after a lost answer changes nothing and adds no audit line.
      if (changed.length > 0) await this.#note(run, act, { before, facts });
      return { is: 'applied', rev: amended?.version ?? campaign.version };
    });
    if (answer.is === 'applied' && act) await this.#onCommitted?.('campaign.amended', { id });
    return answer;
  }

  /**
   * Changes the state. A switch to `running` leads to `awaiting_approval` above the limit of one key, and to
   * `scheduled` before its time.
   */
  async switch(id: string, name: CampaignSwitch, details: SwitchDetails = {}): Promise<Switched> {
    const switched = await this.#locked<Switched>(id, { is: 'refused', state: '' }, (run, locked) =>
      this.switchIn(run, locked, name, details),
    );
    if (name === 'cancel' || name === 'pause') await this.#stopped(id, campaignSwitches[name].to, switched);
    return switched;
  }

  /** `switch` within a transaction that holds the lock of the campaign. */
  async switchIn(run: Run, locked: Locked, name: CampaignSwitch, details: SwitchDetails = {}): Promise<Switched> {
    const { campaign } = locked;
    const { from } = campaignSwitches[name];
    const { only, asRead, approves, by } = details;
    const isFrom = from.some((one) => one === campaign.state);
    const isAsRead = [asRead, approves].every((version) => version === undefined || version === campaign.version);
    if (!isFrom || (only !== undefined && campaign.reason !== only) || !isAsRead)
      return { is: 'refused', state: campaign.state };
    if (approves !== undefined && by !== undefined && by in campaign.hands) return { is: 'own' };
    const target = await this.#targetOf(locked, name, details);
    if (target.to === campaign.state) return { is: 'applied', rev: campaign.version, to: target.to };
    if (target.to === 'running' && locked.recovering) throw new LedgerClosed('recovering');
    return this.#enter(run, locked, target, details);
  }

  /** A different person rejects a campaign that waits for approval: it is cancelled, with the reason in `note`. */
  async reject(id: string, { by, note, act }: { readonly note: string } & Required<ByPerson>): Promise<Switched> {
    const rejected = await this.#locked<Switched>(id, { is: 'refused', state: '' }, async (run, locked) => {
      const { campaign } = locked;
      if (campaign.state !== 'awaiting_approval') return { is: 'refused', state: campaign.state };
      if (by !== undefined && by in campaign.hands) return { is: 'own' };
      const target = { to: 'cancelled', event: 'campaign.cancelled', data: { note, rejectedBy: by } } as const;
      return this.#enter(run, locked, target, { reason: 'not_approved', note, rejectedBy: by, act });
    });
    await this.#stopped(id, 'cancelled', rejected);
    return rejected;
  }

  /**
   * Resumes a finished campaign for its failed recipients. `key` identifies the request: a repeated call starts
   * nothing.
   */
  async retry(
    id: string,
    how: { readonly includeUnknown: boolean; readonly key?: string | undefined; readonly act?: Act | undefined },
  ): Promise<Retried> {
    return this.#locked<Retried>(id, { is: 'refused', state: '' }, (run, locked) =>
      this.#retry(run, locked, how),
    ).catch((error: unknown) => {
      if (error instanceof NothingToRetry) return { is: 'nobody' } as const;
      throw error;
    });
  }

  /** Campaigns whose scheduled start is due, or whose hold is due for a check. */
  async due(most: number): Promise<readonly string[]> {
    return (await this.#database.run<{ id: string }>('due_campaigns', [most, this.#time()])).map(({ id }) => id);
  }

  /** Schedules the next check of a hold at `dueAt`, ms since the epoch; absent: the hold waits for an operator. */
  async putOff({ id, rev }: Pick<CampaignRecord, 'id' | 'rev'>, dueAt: number | undefined): Promise<void> {
    await this.#database.run('put_off_campaign', [id, rev, dueAt === undefined ? null : new Date(dueAt)]);
  }

  /** The deciding time, ms since the epoch. */
  get time(): number | undefined {
    return this.#time()?.getTime();
  }

  async #retry(run: Run, locked: Locked, how: Parameters<Campaigns['retry']>[1]): Promise<Retried> {
    const { campaign, recovering } = locked;
    const { includeUnknown, key } = how;
    if (key !== undefined && campaign.retry_keys.includes(key)) return { is: 'replayed' };
    if (campaign.state === 'running' && campaign.retries > 0 && campaign.retry_unknown === includeUnknown) {
      if (key !== undefined) await run('keep_retry_key', [campaign.number, key, RETRY_KEYS]);
      return { is: 'under way' };
    }
    if (campaign.state !== 'finished') return { is: 'refused', state: campaign.state };
    if (campaign.failed + (includeUnknown ? campaign.unknown : 0) === 0) return { is: 'nobody' };
    if (campaign.approved_by === null && (await this.#aboveOneKey(campaign)).above) return { is: 'unapproved' };
    if (recovering) throw new LedgerClosed('recovering');
    const switched = await this.#enter(run, locked, { to: 'running' }, { act: how.act });
    const made = await run('retry_campaign', [campaign.number, includeUnknown, key ?? null, RETRY_KEYS]);
    if (made.length === 0 || switched.is !== 'applied') throw new NothingToRetry();
    return { is: 'applied', rev: switched.rev };
  }

  async #targetOf({ campaign, at }: Locked, name: CampaignSwitch, { approves }: SwitchDetails): Promise<Target> {
    const { to, ...rest } = campaignSwitches[name];
    const event = 'event' in rest ? rest.event : undefined;
    if (to !== 'running') return { to, event };
    const isApproved = approves !== undefined || campaign.approved_by !== null;
    const { above, xof } = isApproved ? { above: false } : await this.#aboveOneKey(campaign);
    if (above) {
      const data = { recipients: campaign.recipients, ...(xof === undefined ? {} : { xof }) };
      return { to: 'awaiting_approval', event: 'campaign.awaiting_approval', data };
    }
    const isLater = campaign.starts_at !== null && Date.parse(campaign.starts_at) > at.getTime();
    return { to: isLater ? 'scheduled' : 'running', event };
  }

  async #enter(
    run: Run,
    { campaign, at }: Locked,
    { to, event, data }: Target,
    details: Entering,
  ): Promise<Switched> {
    const { reason, againInMs, by, approves, act, note, rejectedBy } = details;
    // From now on the campaign belongs to the trace of this request.
    const trace = act && this.#traces?.mark();
    if (act) this.#traces?.linksTo(campaign.trace ?? undefined);
    const dueAt = againInMs === undefined ? null : new Date(at.getTime() + againInMs);
    const [switched] = await run<{ version: number }>('switch_campaign', [
      campaign.id,
      to,
      reason ?? null,
      to === 'scheduled' ? campaign.starts_at : to === 'running' ? null : dueAt,
      to === 'running',
      campaign.state === 'held' && campaign.reason?.startsWith('canary_') === true,
      approves === undefined && rejectedBy === undefined ? (by ?? null) : null,
      approves === undefined ? null : (by ?? null),
      rejectedBy ?? null,
      note ?? null,
      trace ?? null,
      event ?? null,
      event === undefined ? null : { ...eventDataOf(campaign, to, reason), ...data },
      this.#time(),
    ]);
    if (to === 'running') await run('make_requests', [campaign.number, canaryOf(campaign)]);
    if (to === 'cancelled') await run('cancel_requests', [campaign.number]);
    await this.#note(run, act, { before: { state: campaign.state }, facts: { state: to } });
    return { is: 'applied', rev: switched?.version ?? campaign.version, to };
  }

  /** Whether the campaign needs a second key, and its estimated cost if every price is known. */
  async #aboveOneKey({ uploads, recipients }: CampaignRow): Promise<{ above: boolean; xof?: number | undefined }> {
    const limits = await this.#limits();
    const { CAMPAIGN_APPROVAL_ABOVE_XOF: xofMost, CAMPAIGN_APPROVAL_ABOVE_RECIPIENTS: recipientsMost } = limits;
    const xof = uploads.reduce((sum, { cost }) => sum + (cost?.xof ?? 0), 0);
    const isPriced = uploads.every(({ cost }) => cost?.unpriced.length === 0);
    const isAboveXof = xofMost !== undefined && (!isPriced || xof > xofMost);
    const isAboveRecipients = recipientsMost !== undefined && recipients > recipientsMost;
    return { above: isAboveXof || isAboveRecipients, xof: isPriced ? xof : undefined };
  }

  /** Also for a campaign that was stopped earlier: the process may have died before the journal entry. */
  async #stopped(id: string, to: 'cancelled' | 'paused', switched: Switched): Promise<void> {
    const isStopped = switched.is === 'applied' || (switched.is === 'refused' && switched.state === to);
    if (isStopped) await this.#onCommitted?.(`campaign.${to}`, { id });
  }

  #locked<Answer>(id: string, missing: Answer, act: (run: Run, locked: Locked) => Promise<Answer>): Promise<Answer> {
    return this.#database.transaction(async (run) => {
      const [locked] = await run<Locked>('lock_campaign', [id, this.#time()]);
      return locked === undefined ? missing : act(run, locked);
    });
  }

  async #note(run: Run, act: Act | undefined, known: Known = {}): Promise<void> {
    if (act !== undefined) await noteAct(run, actOf(act, known), this.#time() ?? undefined);
  }
}

export type Drafted =
  | { readonly outcome: 'accepted'; readonly id: string; readonly at: number }
  | {
      readonly outcome: 'duplicate' | 'conflict';
      readonly id: string;
      readonly state: string;
      readonly buried: boolean;
    };

const identityOf = ({ id, account, reference, idempotencyKey }: NewCampaign) => [
  id,
  account,
  reference ?? null,
  idempotencyKey ?? null,
];

function heldBy({ id, fingerprint, state, buried }: Holder, asked: NewCampaign): Drafted {
  const isSame = id === asked.id && fingerprint.equals(asked.fingerprint);
  return { outcome: isSame ? 'duplicate' : 'conflict', id, state, buried };
}

interface Holder {
  readonly id: string;
  readonly fingerprint: Buffer;
  readonly state: string;
  readonly buried: boolean;
}

/** A campaign whose row this transaction has locked. */
export interface Locked {
  readonly campaign: CampaignRow;
  /** The time of PostgreSQL. */
  readonly at: Date;
  readonly recovering: boolean;
}

interface Target {
  readonly to: StateOf<'campaign'>;
  readonly event?: string | undefined;
  readonly data?: Readonly<Record<string, unknown>> | undefined;
}

type Entering = Omit<SwitchDetails, 'reason'> & {
  readonly reason?: SwitchDetails['reason'] | 'not_approved';
  readonly note?: string;
  readonly rejectedBy?: string | undefined;
};

/** Every failed recipient was erased. */
class NothingToRetry extends Error {}

function eventDataOf(
  { id, name, reference, metadata }: CampaignRow,
  state: StateOf<'campaign'>,
  reason: string | undefined,
): Readonly<Record<string, unknown>> {
  return {
    id,
    state,
    name,
    ...(reason === undefined ? {} : { reason }),
    ...(reference === null ? {} : { reference }),
    ...(metadata === null ? {} : { metadata }),
  };
}

/** Recipients of the canary. By default a large campaign has one. */
function canaryOf({ options, recipients }: CampaignRow): number {
  const { canary } = options;
  return typeof canary === 'number' ? canary : recipients > LARGE ? CANARY : 0;
}
