/** Losing a worker in the middle of its work, without warning. */
import type { RunningProcess } from './processes.ts';
import { type Stage, WORKER_SLOTS } from './stage.ts';
import type { BooksSummary, CampaignView, DisbursementView } from './views.ts';

const TRIES = 40;
const READS_PER_TRY = 5;
const BETWEEN_TRIES_MS = 40;
const PEOPLE_PER_REQUEST = 50;

/** What was with the service, with no answer written down, when the worker died. */
export interface UnderWay {
  readonly texts: number;
  readonly disbursements: number;
}

/**
 * Kills the worker while texts and disbursements are with the service and their answers are still to come. A request
 * that was written down as being sent and had not left yet would never be sent: relais does not send a text in doubt a
 * second time, and reports it as `unknown`. That is a moment of a few milliseconds; the worker is frozen, the books of
 * the service are compared with our intentions, and it goes on for a while when it was caught there, so that the end
 * is the same each time.
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

/** No texts at all, while some that we meant to send have not arrived. The other worker goes on meanwhile. */
async function whatIsUnderWay({ api, control }: Stage, campaign: string): Promise<UnderWay> {
  const { items } = await api.get<{ items: readonly DisbursementView[] }>('/v1/disbursements?state=submitting');
  for (let read = 0; read < READS_PER_TRY; read += 1) {
    const before = await api.get<CampaignView>(`/v1/campaigns/${campaign}`);
    const { messagesSent } = await control.get<BooksSummary>('/books/summary');
    const { totals } = await api.get<CampaignView>(`/v1/campaigns/${campaign}`);
    const { sending, sent, unknown } = totals;
    const still = before.totals.sending === sending && before.totals.sent === sent;
    if (still && messagesSent === sent + sending + unknown) return { texts: sending, disbursements: items.length };
  }
  return { texts: 0, disbursements: items.length };
}
