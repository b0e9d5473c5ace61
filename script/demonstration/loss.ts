/** Losing a worker in the middle of its work, without warning. */
import type { RunningProcess } from './processes.ts';
import { type Stage, WORKER_SLOTS } from './stage.ts';
import type { CampaignView, DisbursementView } from './views.ts';

const TRIES = 40;
const BETWEEN_TRIES_MS = 40;
const PEOPLE_PER_REQUEST = 50;

/** What was with the service, or about to be, with no answer written down, when the worker died. */
export interface UnderWay {
  readonly texts: number;
  readonly disbursements: number;
}

/**
 * Kills the worker while texts and disbursements are with the service and their answers are still to come. An intent is
 * written ahead of its request, so some of these have not left yet: nobody can tell which, and relais finds out from
 * the statistics of the service. The worker is frozen while they are counted, and goes on for a while when there are
 * too few.
 */
export async function loseWorker(worker: RunningProcess, stage: Stage, campaign: string): Promise<UnderWay> {
  // More than the other worker can hold, so that some of it is in the hands of this one.
  const enough = WORKER_SLOTS + 1;
  for (let attempt = 1; ; attempt += 1) {
    worker.signal('SIGSTOP');
    const underWay = await whatIsUnderWay(stage, campaign);
    const enoughTexts = underWay.texts >= enough * PEOPLE_PER_REQUEST;
    if ((enoughTexts && underWay.disbursements >= enough) || attempt === TRIES) {
      worker.signal('SIGKILL');
      await worker.ended;
      return underWay;
    }
    worker.signal('SIGCONT');
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES_MS));
  }
}

async function whatIsUnderWay({ api }: Stage, campaign: string): Promise<UnderWay> {
  const { items } = await api.get<{ items: readonly DisbursementView[] }>('/v1/disbursements?state=submitting');
  const { totals } = await api.get<CampaignView>(`/v1/campaigns/${campaign}`);
  return { texts: totals.sending, disbursements: items.length };
}
