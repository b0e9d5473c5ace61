/** Manual steps after a recovery: derived from the report, and shown by the API and the command. */
import type { Words } from './languages.ts';

/** The report in an answer; another version may omit a member. */
export interface RecoverySteps {
  readonly lostSince?: string | null;
  readonly items: readonly {
    readonly kind: string;
    readonly needsReview: { readonly count: number };
    readonly underWay: { readonly count: number };
  }[];
  readonly unreadable: { readonly count: number; readonly ids: readonly string[] };
  readonly heldCampaigns: readonly unknown[];
  readonly restored: Readonly<Record<string, number>>;
  readonly lostActions: readonly { readonly act: string }[];
  readonly broken: string | null;
}

const NAMED_IN_WORDS = 10;

export function recoverySteps(report: RecoverySteps, { commands }: Pick<Words, 'commands'>): string[] {
  const { lostSince, items, unreadable, heldCampaigns, lostActions, broken } = report;
  const { steps } = commands.recover;
  const since = lostSince ?? steps.copyMade;
  const restored = Object.values(report.restored).reduce((sum, count) => sum + count, 0);
  const review = items.reduce((sum, { needsReview }) => sum + needsReview.count, 0);
  const texts = items.some(
    ({ kind, underWay }) => (kind === 'recipient' || kind === 'message') && underWay.count > 0,
  );
  return [
    ...(restored > 0 ? [steps.restored(restored)] : []),
    ...(broken === null ? [] : [steps.broken(broken, since)]),
    ...(lostActions.length > 0 ? [steps.lostActions(lostActions.length, namesOf(lostActions))] : []),
    steps.keys(since),
    steps.optOuts(since),
    steps.stops(since),
    steps.lifted,
    steps.endpoints(since),
    ...(unreadable.count > 0
      ? [steps.unreadable(unreadable.count, unreadable.ids.slice(0, NAMED_IN_WORDS).join(', '))]
      : []),
    ...(review > 0 ? [steps.review(review)] : []),
    ...(heldCampaigns.length > 0 ? [steps.campaigns(heldCampaigns.length)] : []),
    ...(texts ? [steps.texts] : []),
  ];
}

function namesOf(lostActions: RecoverySteps['lostActions']): string {
  const names = [...new Set(lostActions.map(({ act }) => act))];
  return [...names.slice(0, NAMED_IN_WORDS), ...(names.length > NAMED_IN_WORDS ? ['…'] : [])].join(', ');
}
