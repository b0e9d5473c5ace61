import { z } from 'zod';
import type { JsonObject } from './client.ts';
import { CommandFailed } from './failure.ts';
import type { ExitCode } from './io.ts';
import { wordFor } from '../messages/languages.ts';
import { printable } from './output.ts';
import { patient } from './patience.ts';
import {
  type CampaignTotals,
  type CanaryWait,
  paceOf,
  remember,
  renderBar,
  renderLine,
  type Sample,
  settledOf,
} from './progress.ts';
import type { Shell } from './shell.ts';
import type { Words } from '../messages/languages.ts';

export interface CampaignView {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly reason?: string;
  readonly totals: CampaignTotals;
  readonly segments?: number;
  /** Recipients per second since the start, as seen by the API. */
  readonly rate: number;
  /** Maximum recipients per second. */
  readonly limit?: number;
  /** Start time, while it is scheduled. */
  readonly sendAt?: string;
  /** While the canary is sent alone. */
  readonly canary?: CanaryWait;
}

const FINAL_STATES = ['finished', 'cancelled'];
/** A count that an older API lacks is 0. */
const bin = z.int().catch(0);
const NOBODY: CampaignTotals = {
  total: 0,
  queued: 0,
  held: 0,
  sending: 0,
  sent: 0,
  failed: 0,
  unknown: 0,
  skipped: 0,
};
const campaignTotals: z.ZodType<CampaignTotals> = z
  .object({
    total: bin,
    queued: bin,
    held: bin,
    sending: bin,
    sent: bin,
    failed: bin,
    unknown: bin,
    skipped: bin,
  })
  .catch(NOBODY);
const canaryWait: z.ZodType<CanaryWait> = z.object({ recipients: z.int(), restAt: z.string().nullable() });
const REDRAW_MS = 200;
const LINE_MS = 2_000;
const CLEAR_LINE = '\r\u001b[K';

export function readCampaign(body: JsonObject, { commands }: Words): CampaignView {
  const { id, name, state, reason, segments, rate, perSecond, sendAt } = body;
  const { data: canary } = canaryWait.safeParse(body['canaryWait']);
  if (typeof id !== 'string' || typeof state !== 'string') {
    throw new CommandFailed(commands.noCampaign, { next: commands.sameVersion });
  }
  return {
    id,
    state,
    name: typeof name === 'string' ? name : '',
    totals: campaignTotals.parse(body['totals']),
    rate: typeof rate === 'number' ? rate : 0,
    ...(typeof reason === 'string' && { reason }),
    ...(typeof perSecond === 'number' && { limit: perSecond }),
    ...(typeof sendAt === 'string' && { sendAt }),
    ...(typeof segments === 'number' && { segments }),
    ...(canary && { canary }),
  };
}

/**
 * Follows a campaign until it ends: a bar on a terminal, regular lines elsewhere. A paused or held campaign is
 * followed further, because it may resume. Returns 1 if the campaign was cancelled or following was interrupted.
 */
export async function follow(id: string, json: boolean, shell: Shell): Promise<ExitCode> {
  const { clock, signal, isTerminal } = shell.io;
  shell.output.onlyReads();
  const bar = isTerminal && !json;
  const read = patient(shell, async () => (await shell.api.get(`/v1/campaigns/${encodeURIComponent(id)}`)).body);
  let samples: readonly Sample[] = [];
  let standing = '';
  try {
    for (;;) {
      const body = await read();
      const campaign = readCampaign(body, shell.words);
      samples = remember(samples, { atMs: clock.monotonic(), settled: settledOf(campaign.totals) });
      const over = FINAL_STATES.includes(campaign.state);
      if (json) await shell.output.line(JSON.stringify(body));
      else await draw({ campaign, samples, over }, shell);
      if (over) return campaign.state === 'finished' ? 0 : 1;
      if (campaign.state !== standing) await tellWhatNext(campaign, bar, shell);
      standing = campaign.state;
      await clock.sleep(bar ? REDRAW_MS : LINE_MS, signal);
    }
  } catch (error) {
    if (bar && samples.length > 0) await shell.output.line('');
    if (!signal.aborted) throw error;
    await shell.output.note(shell.words.campaign.stoppedWatching(id));
    return 1;
  }
}

/** Holds for quiet hours or an empty balance end automatically. Others need the user at the terminal. */
const GOES_ON_BY_ITSELF: readonly (string | undefined)[] = ['quiet_hours', 'funds', 'budget'];

async function tellWhatNext(
  { id, state, reason }: CampaignView,
  bar: boolean,
  { output, words }: Shell,
): Promise<void> {
  if (state !== 'held' && state !== 'paused') return;
  if (bar) await output.line('');
  if (reason !== undefined) {
    const said = printable(wordFor(words.campaign.reasons, reason));
    await output.note(words.campaign.meaning(said, id));
  }
  if (!GOES_ON_BY_ITSELF.includes(reason)) await output.note(words.campaign.resume(id));
}

interface Frame {
  readonly campaign: CampaignView;
  readonly samples: readonly Sample[];
  readonly over: boolean;
}

async function draw({ campaign, samples, over }: Frame, { io, output, language }: Shell): Promise<void> {
  const progress = { ...campaign, perSecond: paceOf(samples) ?? campaign.rate };
  if (io.isTerminal)
    await output.write(`${CLEAR_LINE}${renderBar(progress, io.columns, language)}${over ? '\n' : ''}`);
  else await output.line(renderLine(progress, language));
}
