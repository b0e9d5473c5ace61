/**
 * Operator actions on a restored ledger: show what is open, bring it to a state from which work can resume, or
 * confirm that nothing was lost. Operations that the restored backup shows as unsent are never sent on its evidence
 * alone.
 */
import { type Kind, restoringOf, statesOf } from '../kinds/index.ts';
import type { Clock } from '../lib/clock.ts';
import { type Standing, isOver, progressOf, reportOf, wouldDo } from './recovery-report.ts';
import { type Act, noteAct } from './acts.ts';
import type { Acted, JournalItem } from './journal.ts';
import type { Database, Run } from './pool.ts';
import type { LedgerKind } from './records.ts';
import { isOfOneRow } from './errors.ts';
import { type EvidenceOptions, type RecoveryRow, gatherEvidence, knownToJournal } from './evidence.ts';
import { type RecoveryReport, type UnderWay, type Work, isProven, reportFrom, underWayOf } from './recovery-view.ts';
import { holdLostCampaigns } from './lost-campaigns.ts';
import { type BeneficiaryOf, replayItems } from './replay.ts';
import { RESTORED_PROBLEM, buryCancelled, replayAct } from './replayed-acts.ts';
import { type Open, type Patience, leadOn, openOf } from './restoring.ts';

export interface RecoveryOptions<Says> extends EvidenceOptions, Patience {
  readonly database: Database;
  readonly clock: Clock;
  /** Asks the provider about so many operations of each kind; changes nothing. */
  readonly says: (underWay: UnderWay, most: number) => Promise<Says>;
  readonly beneficiaryOf?: BeneficiaryOf;
  /** Erases a part of a person's stored data again, for an erasure in the data-loss window. */
  readonly erase?: (
    facts: Acted['facts'],
    after: string,
  ) => Promise<{ readonly open: number; readonly next?: string }>;
  /**
   * Reads the state of the ledger. Before each turn, because a process that missed a recovery must not end it. After
   * the last turn, before the answer, so that the next request to this process is accepted.
   */
  readonly beat?: () => Promise<void>;
}

interface Applying {
  readonly by: string;
  readonly act?: Act | undefined;
}

type Applied =
  | { readonly is: 'none' }
  /** More work remains: call again. */
  | { readonly is: 'under way'; readonly done: number; readonly of: number }
  | { readonly is: 'over'; readonly report: RecoveryReport };

const ERASED = 'person.erased';
const TURN_MS = 5_000;
const PAGE = 200;

export class RecoveryDesk<Says> {
  readonly #options: RecoveryOptions<Says>;
  #work: Work | undefined;

  constructor(options: RecoveryOptions<Says>) {
    this.#options = options;
  }

  /** Undefined: none. */
  async underWay(): Promise<UnderWay | undefined> {
    const row = await this.#row();
    return row && underWayOf(row);
  }

  /** Open operations by kind and state, and what an apply would do with them. */
  async open() {
    return (await this.#standings()).filter((one) => !isOver(one)).map((one) => ({ ...one, would: wouldDo(one) }));
  }

  says(underWay: UnderWay, most: number): Promise<Says> {
    return this.#options.says(underWay, most);
  }

  async lastReport(): Promise<unknown> {
    return (await this.#options.database.run<{ report: unknown }>('last_report'))[0]?.report;
  }

  /** One turn. Any operator repeats it until it is finished; an interrupted turn continues. */
  async apply({ by, act }: Applying): Promise<Applied> {
    const { database, clock, beat, settleMs } = this.#options;
    const row = await this.#row();
    if (row === undefined) return { is: 'none' };
    await beat?.();
    const untilMono = clock.monotonic() + TURN_MS;
    const work = await this.#workOn(row);
    const isThrough = await this.#replay(work, untilMono);
    const now = await this.#standings();
    const [noted] = await database.run<{ before: readonly Standing[] }>('note_before', [JSON.stringify(now)]);
    const before = noted?.before ?? now;
    const over = isThrough && (await this.#restore(work, untilMono));
    const after = await this.#standings();
    if (!over) return { is: 'under way', ...progressOf(before, after) };
    const report = reportFrom(row, work, { at: clock.now(), by, items: reportOf(before, after) });
    const left = await database.transaction((run) =>
      leave(run, { row, by, act, report, lanes: work.lanes, settleMs }),
    );
    if (left === 'more') {
      this.#work = undefined;
      return { is: 'under way', ...progressOf(before, after) };
    }
    if (left === 'none') return { is: 'none' };
    await this.#options.beat?.();
    return { is: 'over', report };
  }

  /**
   * Two people confirm within a day that nothing was lost. `first`: a different person must confirm too. `lost`:
   * evidence shows a loss. Without a recovery it confirms a ledger without a witness.
   */
  async confirm(by: string, act?: Act): Promise<'left' | 'first' | 'none' | 'lost'> {
    const { database, beat } = this.#options;
    const answer = await database.transaction(async (run) => {
      const [row] = await run<RecoveryRow>('recovery');
      if (row === undefined) {
        await run('note_witnessed');
        return 'none';
      }
      if (isProven(underWayOf(row))) return 'lost';
      const [confirmed] = await run<{ confirmed_by: string }>('confirm_recovery', [by, null]);
      if (act) await noteAct(run, act);
      if (confirmed?.confirmed_by === by) return 'first';
      await run('settle_lanes', [Object.keys(row.known), Object.values(row.known)]);
      await run('leave_recovery', [by, null, null]);
      return 'left';
    });
    if (answer === 'left') await beat?.();
    return answer;
  }

  /**
   * Whether an operation, or one of a batch, may have left in the data-loss window although this ledger shows it as
   * unsent. It cannot be cancelled then, and needs review.
   */
  async mayHaveLeft({ id, token }: { readonly id: string; readonly token?: string | undefined }): Promise<boolean> {
    const row = await this.#row();
    if (row === undefined) return false;
    if (token !== undefined) return true;
    const { broken } = await gatherEvidence(this.#options, row);
    return broken !== undefined || knownToJournal(this.#options, row.deployment, id);
  }

  async #row(): Promise<RecoveryRow | undefined> {
    return (await this.#options.database.run<RecoveryRow>('recovery'))[0];
  }

  async #standings(): Promise<readonly Standing[]> {
    const rows =
      await this.#options.database.run<Record<'kind' | 'state' | 'count' | 'xof', string | null>>(
        'recovery_standings',
      );
    return rows.map(({ kind, state, count, xof }) => ({
      kind: kind as Standing['kind'],
      state: state ?? '',
      count: Number(count),
      ...(xof === null ? {} : { xof: Number(xof) }),
    }));
  }

  /** The evidence of journal and witnesses, read at the start of each recovery. */
  async #workOn(row: RecoveryRow): Promise<Work> {
    if (this.#work?.number === row.number) return this.#work;
    const begun = {
      restored: {},
      lostActions: [],
      unreadable: [],
      held: [],
      replayed: 0,
      areActsDone: false,
      erasing: { done: 0, after: '', open: 0 },
    };
    this.#work = { number: row.number, ...(await gatherEvidence(this.#options, row)), ...begun };
    return this.#work;
  }

  /** Acts first: a revoked key must not work meanwhile. */
  async #replay(work: Work, untilMono: number): Promise<boolean> {
    const { database, clock, settleMs } = this.#options;
    const { lost } = work;
    if (!work.areActsDone) {
      for (const one of lost.acts.filter(({ kind }) => kind !== ERASED)) {
        const isKnown = await replayAct(database, one).catch(falseIfRefused);
        if (!isKnown) work.lostActions.push({ at: one.at, act: one.kind });
      }
      work.areActsDone = true;
    }
    while (work.replayed < lost.items.length) {
      const page = lost.items.slice(work.replayed, work.replayed + PAGE);
      await this.#replayPage(work, page);
      work.replayed += page.length;
      if (clock.monotonic() >= untilMono) return false;
    }
    await buryCancelled(database.run, lost.acts);
    const { held, requests } = await holdLostCampaigns(database, lost);
    work.held.push(...held);
    for (;;) {
      if (lost.requests.length === 0) return true;
      const named = [...lost.requests, ...requests];
      const doubted = await database.run('doubt_requests', [settleMs, PAGE, named, null]);
      if (doubted.length < PAGE) return true;
      if (clock.monotonic() >= untilMono) return false;
    }
  }

  /** An item that PostgreSQL refuses must not block the others. */
  async #replayPage(work: Work, page: readonly JournalItem[]): Promise<void> {
    const { database, clock, quietMs, settleMs, beneficiaryOf } = this.#options;
    const patience = { quietMs, settleMs, beneficiaryOf, quietAt: new Date(clock.now() + quietMs) };
    try {
      const { counts, unreadable } = await database.transaction((run) => replayItems(run, page, patience));
      work.unreadable.push(...unreadable);
      for (const [kind, count] of Object.entries(counts)) work.restored[kind] = (work.restored[kind] ?? 0) + count;
    } catch (error) {
      if (!isOfOneRow(error)) throw error;
      const [only, ...others] = page;
      if (only !== undefined && others.length === 0) work.unreadable.push(only.id);
      else for (const item of page) await this.#replayPage(work, [item]);
    }
  }

  /** Without proof, no open operation continues automatically. */
  async #restore(work: Work, untilMono: number): Promise<boolean> {
    const { database, clock, settleMs } = this.#options;
    if (work.broken !== undefined) {
      work.held.push(
        ...(await database.run<Work['held'][number]>('hold_restored_campaigns', [statesOfCampaigns, null])),
      );
      await database.run('restore_batches', [statesOfBatches, null]);
      await database.run('reject_restored_intake', [null, JSON.stringify([RESTORED_PROBLEM]), null]);
      await database.run('doubt_messages', [null, settleMs, null]);
      while ((await database.run('doubt_requests', [settleMs, PAGE, null, null])).length === PAGE) {
        if (clock.monotonic() >= untilMono) return false;
      }
    }
    const doubted = openOf(work.broken === undefined ? UNTOLD : LEDGER_KINDS, ['review', 'ask', 'doubt']);
    const open = [...doubted, CANCELLED];
    for (;;) {
      const { count, unreadable } = await database.transaction((run) =>
        leadOn(run, { open, most: PAGE }, this.#options),
      );
      work.unreadable.push(...unreadable);
      if (count === 0) break;
      if (clock.monotonic() >= untilMono) return false;
    }
    const looks = openOf(LEDGER_KINDS, ['look']);
    await database.run('check_restored', [looks.map(({ kind }) => kind), looks.map(({ state }) => state), null]);
    return this.#erase(work, untilMono);
  }

  /** Last, because operations in doubt cannot be erased yet: an operator erases the rest later. */
  async #erase({ lost, lostActions, erasing }: Work, untilMono: number): Promise<boolean> {
    const { erase, clock } = this.#options;
    const acts = lost.acts.filter(({ kind }) => kind === ERASED);
    for (let act = acts[erasing.done]; act !== undefined; act = acts[erasing.done]) {
      const page = (await erase?.(act.facts, erasing.after)) ?? { open: 1 };
      erasing.open += page.open;
      erasing.after = page.next ?? '';
      if (page.next === undefined) {
        if (erasing.open > 0) lostActions.push({ at: act.at, act: ERASED });
        Object.assign(erasing, { done: erasing.done + 1, open: 0 });
      }
      if (clock.monotonic() >= untilMono) return false;
    }
    return true;
  }
}

/** An act that PostgreSQL refuses must be repeated by an operator. */
function falseIfRefused(error: unknown): false {
  if (isOfOneRow(error)) return false;
  throw error;
}

const LEDGER_KINDS: readonly LedgerKind[] = [
  'disbursement',
  'direct_credit',
  'invoice',
  'payment_request',
  'message',
];

/** The journal contains no invoices, and the provider has no status for direct credits. */
const UNTOLD: readonly LedgerKind[] = ['direct_credit', 'invoice'];

/** Cancelled in the restored ledger, although the journal shows that it left. */
const CANCELLED: Open = { kind: 'disbursement', state: 'cancelled' };

const restoredAs = (kind: Kind, as: string): readonly string[] =>
  statesOf(kind).filter((state) => restoringOf(kind, state) === as);
const statesOfCampaigns = restoredAs('campaign', 'hold').filter((state) => state !== 'held');
const statesOfBatches = restoredAs('batch', 'review');

interface LeavingLedger extends Applying {
  readonly row: RecoveryRow;
  readonly report: RecoveryReport;
  readonly lanes: Work['lanes'];
  readonly settleMs: number;
}

/** `more`: more evidence has been stored since the replay. */
async function leave(
  run: Run,
  { row, by, act, report, lanes, settleMs }: LeavingLedger,
): Promise<'left' | 'none' | 'more'> {
  await run('lock_deployment');
  const [now] = await run<RecoveryRow>('recovery');
  if (now === undefined || now.number !== row.number) return 'none';
  if (JSON.stringify(now.known) !== JSON.stringify(row.known)) return 'more';
  if (report.broken !== undefined) await run('doubt_reports', [settleMs, null]);
  await run('settle_lanes', [Object.keys(lanes), Object.values(lanes)]);
  await run('leave_recovery', [by, JSON.stringify(report), null]);
  if (act) await noteAct(run, act);
  return 'left';
}
