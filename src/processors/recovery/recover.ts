/**
 * Leads a Redis that was put back from a copy to where work may begin again: nothing that the copy shows as not yet
 * done is done on the strength of it.
 *
 *   campaigns held ──▶ their texts, and single ones, in doubt ──▶ money asked about, or to a person ──▶ told ──▶ over
 *
 * Each change is one script from a state that is left by it, so what was broken off is simply begun again: it goes
 * through what is left, and ends the same.
 */
import { type CampaignRecord, isUnreadable } from '../../operations/record.ts';
import { reviewKinds } from '../../operations/review.ts';
import type { Restored } from '../../operations/restored.ts';
import type { ProcessorContext } from '../context.ts';
import { type MoneyKind, restoreMoney, statesToRestore } from './money.ts';
import { type Lost, doubtSlice, mayHaveBeenSent } from './texts.ts';

export interface RecoverTools {
  readonly restored: Restored;
  readonly context: ProcessorContext;
}

/** Of what is done side by side: requests wait for their turn anyway. */
const TOGETHER = 32;

/** A turn of an apply: it ends between two groups when its time is over, and the next one begins anew. */
export interface Turn {
  /** When the recovery began. */
  readonly since: number;
  readonly lost: Lost;
  /** On our own monotonic clock. */
  readonly untilMono: number;
}

/** True: everything was led on. False: the time was over, or something changed meanwhile; call again. */
export async function restoreAll(tools: RecoverTools, turn: Turn): Promise<boolean> {
  return (await restoreTexts(tools, turn)) && (await restoreAllMoney(tools, turn));
}

async function restoreTexts(tools: RecoverTools, turn: Turn): Promise<boolean> {
  const { restored, context } = tools;
  for await (const campaign of restored.campaigns()) {
    if (isOver(turn, context)) return false;
    if (restored.isDoneWith(campaign, turn.since)) continue;
    if (!(await inGroups([campaign.id], () => restoreCampaign(campaign, tools, turn), tools, turn))) return false;
  }
  for (const slices of [restored.looseSlices(), restored.slicesDue()]) {
    for await (const ids of slices) {
      if (!(await inGroups(ids, (id) => doubtSlice(id, turn.lost, context), tools, turn))) return false;
    }
  }
  return true;
}

/** Held first, so that nothing of it is sent meanwhile. */
async function restoreCampaign(campaign: CampaignRecord, tools: RecoverTools, turn: Turn): Promise<Led> {
  const { restored, context } = tools;
  const done = async (one: CampaignRecord): Promise<Led> => {
    await restored.doneWith(one, turn.since);
    return 'done';
  };
  await restored.holdCampaign(campaign, false);
  const first = await restored.slicesOf(campaign).next();
  const slices = first.done ? [] : first.value;
  if (!(await mayHaveBeenSent(campaign, slices, turn.lost, context))) return done(campaign);
  await restored.holdCampaign(campaign, true);
  for await (const ids of restored.slicesOf(campaign)) {
    if (!(await inGroups(ids, (id) => doubtSlice(id, turn.lost, context), tools, turn))) return 'again';
  }
  return done(campaign);
}

async function restoreAllMoney(tools: RecoverTools, turn: Turn): Promise<boolean> {
  // Batches first: nothing more is accepted from their rows then.
  const inOrder: readonly MoneyKind[] = ['batch', ...reviewKinds.filter((kind) => kind !== 'batch')];
  for (const kind of inOrder) {
    if (!(await restoreKind(kind, tools, turn))) return false;
  }
  return true;
}

async function restoreKind(kind: MoneyKind, tools: RecoverTools, turn: Turn): Promise<boolean> {
  const { restored, context } = tools;
  const states = statesToRestore(kind);
  const lead = (id: string): Promise<Led> => restoreMoney({ kind, states }, { id, at: turn.lost.at }, context);
  for (const state of states) {
    for await (const ids of restored.ids(kind, state)) {
      if (!(await inGroups(ids, lead, tools, turn))) return false;
    }
  }
  return true;
}

type Led = 'done' | 'nothing' | 'again';

/** False: the time is over, or somebody else has changed one of them meanwhile. */
async function inGroups(
  ids: readonly string[],
  run: (id: string) => Promise<Led>,
  { restored, context }: RecoverTools,
  turn: Turn,
): Promise<boolean> {
  const runOrSkip = (id: string): Promise<Led> =>
    run(id).catch(async (error: unknown): Promise<Led> => {
      if (!isUnreadable(error)) throw error;
      await restored.skip(id);
      return 'nothing';
    });
  for (let from = 0; from < ids.length; from += TOGETHER) {
    const led = await Promise.all(ids.slice(from, from + TOGETHER).map(runOrSkip));
    if (led.includes('again') || isOver(turn, context)) return false;
  }
  return true;
}

function isOver({ untilMono }: Turn, { clock }: ProcessorContext): boolean {
  return clock.monotonic() >= untilMono;
}
