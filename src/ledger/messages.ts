/** Single messages in the ledger, in addition to the common data of operations: cancellation, equal texts, cost. */
import type { RequestOf } from '../kinds/index.ts';
import type { NotifiedState } from '../kinds/notify.ts';
import { derivedId } from '../lib/ids.ts';
import { digitsOf } from '../lib/phone.ts';
import type { Accepted } from '../operations/accepting.ts';
import { namesMessage } from '../provider/meaning.ts';
import { type Act, actOf, actToJson, noteAct } from './acts.ts';
import { fingerprintBytes } from './batch-record.ts';
import type { Decided } from './batches.ts';
import type { OnCommitted } from './committed.ts';
import type { NewOperation } from './operation-items.ts';
import type { Operations } from './operations.ts';
import type { Database } from './pool.ts';

interface MessagesOptions {
  readonly database: Database;
  readonly onCommitted?: OnCommitted | undefined;
  /** For tests: the time of each statement. */
  readonly now?: () => Date;
}

export type MessageAccepted = Exclude<Accepted, { outcome: 'limited' }>;

/** Distinguishes a retry from a second message, and names its author. */
export interface MessageIdentity {
  readonly id: string;
  readonly fingerprint: string;
  readonly reference?: string | undefined;
  readonly idOfReference?: string | undefined;
  readonly act?: Act | undefined;
}

/** The queue of each lane: one-time passwords wait for nothing else. */
export const queueOfLane = { otp: 'sms-otp', normal: 'sms-batch' } as const;

/** As `notify_payee` derives it. */
export function notificationId(environment: string, payment: string, on: NotifiedState): string {
  return derivedId('msg', environment, payment, on);
}

/** The message as the ledger records it. `beneficiary`: the recipient's lookup key. */
export function newMessage(
  asked: RequestOf<'message'>,
  identity: MessageIdentity,
  beneficiary: string,
): NewOperation {
  const { account, lane, to, text, from, expiresAt, sendAt, metadata } = asked;
  const { id, fingerprint, reference, idOfReference, act } = identity;
  return {
    id,
    kind: 'message',
    account,
    reference,
    otherId: idOfReference === id ? undefined : idOfReference,
    fingerprint: fingerprintBytes(fingerprint),
    state: 'queued',
    queue: queueOfLane[lane],
    beneficiary,
    request: {
      to,
      text,
      lane,
      ...(from === undefined ? {} : { from }),
      ...(expiresAt === undefined ? {} : { expiresAt: Date.parse(expiresAt) }),
    },
    metadata,
    notBefore: sendAt === undefined ? undefined : new Date(sendAt),
    createdBy: act?.by ?? '',
    dueMs: 0,
    act: act && actToJson(actOf(act, { facts: { account } })),
  };
}

/** Records a message that acceptance has validated. A repeated request is a duplicate. */
export async function acceptMessage(
  operations: Pick<Operations, 'accept'>,
  asked: NewOperation,
): Promise<MessageAccepted> {
  const recorded = await operations.accept(asked);
  const { outcome, id } = recorded;
  if (outcome === 'refused') throw new Error(`${id} was refused by ${recorded.rule}, which is no rule of messages`);
  return outcome === 'conflict' ? { outcome, id } : { outcome, id, state: recorded.state };
}

/** A message in the form used for comparisons. */
export interface Said {
  readonly id: string;
  /** E.164. */
  readonly to: string;
  /** The recipient's lookup key. */
  readonly beneficiary: string;
  readonly text: string;
}

/** A message found in the statistics, with the code of every entry with its text. */
export interface Shown extends Said {
  readonly codes: readonly string[];
}

/** A text is checked for three days, and the dates of statistics can differ by a little more than one day. */
export const ALIKE_MS = 4.5 * 86_400_000;

export class Messages {
  readonly #database: Database;
  readonly #onCommitted: OnCommitted | undefined;
  readonly #now: (() => Date) | undefined;

  constructor({ database, onCommitted, now }: MessagesOptions) {
    this.#database = database;
    this.#onCommitted = onCommitted;
    this.#now = now;
  }

  /** Only while it waits, even if a worker has claimed it but not sent it. */
  async cancel(id: string, act?: Act): Promise<Decided> {
    let account = '';
    const decided = await this.#database.transaction<Decided>(async (run) => {
      const [changed] = await run<{ version: number; state: string; account: string }>('cancel_message', [
        id,
        this.#now?.() ?? null,
      ]);
      if (changed) {
        ({ account } = changed);
        if (act) await noteAct(run, { ...act, target: id, facts: { state: changed.state } }, this.#now?.());
        return { is: 'applied', rev: changed.version };
      }
      const [row] = await run<{ kind: string; state: string; account: string }>('read', [[id]]);
      account = row?.account ?? '';
      return row?.kind === 'message' ? { is: 'not yours', state: row.state } : { is: 'none' };
    });
    // Also for a message that was cancelled earlier: the process may have died before the journal entry.
    const isCancelled = decided.is === 'applied' || (decided.is === 'not yours' && decided.state === 'cancelled');
    if (isCancelled) await this.#onCommitted?.('operation.cancelled', { id, kind: 'message', account });
    return decided;
  }

  /** Those messages that wait for an equal text to the same recipient. */
  async openAlike(account: string, messages: readonly Said[], at: number): Promise<ReadonlySet<string>> {
    const rows = await this.#database.run<{ id: string }>('open_alike', alikeValues(account, messages, at));
    return new Set(rows.map(({ id }) => id));
  }

  /** For each, the code of an entry that no other SMS explains. Undefined: the entry may belong to another SMS. */
  async freeCodes(account: string, shown: readonly Shown[], at: number): Promise<readonly (string | undefined)[]> {
    if (shown.length === 0) return [];
    const rows = await this.#database.run<Alike>('counted_alike', alikeValues(account, shown, at));
    const inCampaigns = await this.#inCampaigns(account, shown, at);
    return shown.map((one) => {
      if (inCampaigns.has(digitsOf(one.to))) return undefined;
      return freeCode(
        one.codes,
        rows.filter(({ asked }) => asked === one.id),
      );
    });
  }

  /** Numbers to which a campaign of the account may have sent an SMS in that time. */
  async #inCampaigns(account: string, shown: readonly Shown[], at: number): Promise<ReadonlySet<string>> {
    const phones = shown.map(({ to }) => digitsOf(to));
    const values = [account, phones, new Date(at - ALIKE_MS)];
    const rows = await this.#database.run<{ phone: string }>('campaigns_of_phones', values);
    return new Set(rows.map(({ phone }) => phone));
  }

  /** Adds the cost of SMS in hundredths of XOF; negative: a request sent nothing. */
  async addCost(account: string, { day, month }: { readonly day: string; readonly month: string }, cents: number) {
    if (cents === 0) return;
    await this.#database.transaction(async (run) => {
      await run('hold_sms_cost', [account, day, month]);
      await run('add_sms_cost', [account, day, month, cents]);
    });
  }
}

/** Another message with the same text to the same recipient. */
export interface Alike {
  readonly asked: string;
  readonly state: string;
  readonly code: string | null;
}

const alikeValues = (account: string, messages: readonly Said[], at: number): readonly unknown[] => [
  account,
  messages.map(({ id }) => id),
  messages.map(({ beneficiary }) => beneficiary),
  messages.map(({ text }) => text),
  new Date(at - ALIKE_MS),
];

/** The code of an entry that none of the other messages explains. Undefined: it may belong to one of them. */
export function freeCode(codes: readonly string[], others: readonly Alike[]): string | undefined {
  if (others.length === 0) return codes[0] ?? '';
  // With two SMS in doubt, the entry could belong to either.
  if (others.some(({ state }) => state !== 'sent')) return undefined;
  const counted = new Set(others.map(({ code }) => code ?? ''));
  const isShown = codes.some((code) => counted.has(code));
  return isShown ? codes.find((code) => namesMessage(code) && !counted.has(code)) : undefined;
}
