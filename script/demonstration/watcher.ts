/** How far everything is: the campaign by its totals, the disbursements by the events that announce their ends. */
import { type Sample, paceOf, remember, settledOf } from '../../src/cli/progress.ts';
import type { Asking } from './asking.ts';
import type { CampaignView, EventPage } from './views.ts';

const ENDS = ['disbursement.succeeded', 'disbursement.failed', 'disbursement.rejected', 'disbursement.cancelled'];
const PAGE = 1_000;

export interface Standing {
  readonly view: CampaignView;
  /** Recipients per second, lately. */
  readonly perSecond: number;
  /** Disbursements that have ended. */
  readonly ended: number;
}

export class Watcher {
  readonly #api: Asking;
  readonly #campaign: string;
  readonly #ended = new Set<string>();
  #cursor = '0-0';
  #samples: readonly Sample[] = [];

  constructor(api: Asking, campaign: string) {
    this.#api = api;
    this.#campaign = campaign;
  }

  async look(): Promise<Standing> {
    const view = await this.#api.get<CampaignView>(`/v1/campaigns/${this.#campaign}`);
    this.#samples = remember(this.#samples, { atMs: performance.now(), settled: settledOf(view.totals) });
    await this.#readEvents();
    return { view, perSecond: paceOf(this.#samples) ?? view.rate, ended: this.#ended.size };
  }

  async #readEvents(): Promise<void> {
    const query = `limit=${PAGE}&types=${ENDS.join(',')}&after=${this.#cursor}`;
    const { events, next } = await this.#api.get<EventPage>(`/v1/events?${query}`);
    this.#cursor = next;
    for (const { data } of events) this.#ended.add(data.id);
  }
}
