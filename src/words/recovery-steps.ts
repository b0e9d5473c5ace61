/** What relais cannot do for anybody after a recovery: it follows from the report, and is said by the API and the command. */
import type { Words } from './languages.ts';

/** As the report is answered; of another version a member may be missing. */
export interface RecoverySteps {
  readonly lostSince?: string | null;
  readonly items: readonly {
    readonly kind: string;
    readonly needsReview: { readonly count: number };
    readonly underWay: { readonly count: number };
  }[];
  readonly unreadable: { readonly count: number; readonly ids: readonly string[] };
  readonly intakeJobs: number;
  readonly heldCampaigns: readonly unknown[];
  readonly putBack: Readonly<Record<string, number>>;
  readonly lostIdentities: { readonly count: number; readonly ids: readonly string[] };
  readonly byHistory: Readonly<Record<string, number>>;
  readonly lostActs: readonly { readonly act: string; readonly target: string }[];
  readonly withoutHistory: boolean;
}

const NAMED_IN_WORDS = 10;

export function recoverySteps(report: RecoverySteps, { commands }: Pick<Words, 'commands'>): string[] {
  const { lostSince, items, unreadable, intakeJobs, heldCampaigns, lostActs, withoutHistory } = report;
  const { lostIdentities: lost } = report;
  const { steps } = commands.recover;
  const since = lostSince ?? steps.copyMade;
  const { recipient: recipients = 0, ...operations } = report.byHistory;
  const [putBack, byHistory] = [sumOf(report.putBack), sumOf(operations)];
  const review = items.reduce((sum, { needsReview }) => sum + needsReview.count, 0);
  const texts = items.some(
    ({ kind, underWay }) => (kind === 'recipient' || kind === 'message') && underWay.count > 0,
  );
  return [
    ...(putBack > 0 ? [steps.putBack(putBack)] : []),
    ...(byHistory > 0 ? [steps.byHistory(byHistory)] : []),
    ...(recipients > 0 ? [steps.recipientsByHistory(recipients)] : []),
    ...(lost.count > 0 ? [steps.lostIdentities(lost.count, lost.ids.slice(0, NAMED_IN_WORDS).join(', '))] : []),
    ...(withoutHistory ? [steps.withoutHistory(since)] : []),
    ...(lostActs.length > 0 ? [steps.lostActs(lostActs.length, namesOf(lostActs))] : []),
    steps.keys(since),
    steps.optOuts(since),
    steps.stops(since),
    steps.lifted,
    steps.endpoints(since),
    ...(unreadable.count > 0
      ? [steps.unreadable(unreadable.count, unreadable.ids.slice(0, NAMED_IN_WORDS).join(', '))]
      : []),
    ...(intakeJobs > 0 ? [steps.intake(intakeJobs)] : []),
    ...(review > 0 ? [steps.review(review)] : []),
    ...(heldCampaigns.length > 0 ? [steps.campaigns(heldCampaigns.length)] : []),
    ...(texts ? [steps.texts] : []),
  ];
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function namesOf(lostActs: RecoverySteps['lostActs']): string {
  const names = lostActs.slice(0, NAMED_IN_WORDS).map(({ act, target }) => `${act} ${target}`);
  return [...names, ...(lostActs.length > NAMED_IN_WORDS ? ['…'] : [])].join('; ');
}
