/** What a storm did and what it found, for people. */
import { groupBy, sumOf } from './grouping.ts';
import type { Outcome } from './storm.ts';
import type { Story } from './story.ts';
import { worldNames } from './worlds.ts';

const SHOWN = 10;

export function broken({ verdicts, diedByItself, open, forger }: Outcome): boolean {
  return (
    verdicts.some((verdict) => verdict.broken.length > 0) ||
    diedByItself.length > 0 ||
    open.length > 0 ||
    forger.believed > 0
  );
}

export function describeOutcome(outcome: Outcome): string {
  return [...told(outcome), ...ledger(outcome), ...verdictLines(outcome), closing(outcome)].join('\n');
}

function told({
  chaos,
  database,
  bell,
  serviceFaults,
  caller,
  forger,
  story,
  stormMs,
  calmMs,
  failedStarts,
  worlds,
  damage,
  phases,
  slowness,
}: Outcome): string[] {
  const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;
  const submits = story.submits.length;
  const share = percent(serviceFaults['disbursement.submit'] ?? 0, submits);
  const faults = Object.entries(serviceFaults).map(([operation, strikes]) => `${operation} ${strikes}`);
  const unseen = story.submits.filter(({ image }) => !image).length;
  const elsewhere = story.submits.filter(({ image }) => image && image.state !== 'submitting').length;
  return [
    `worlds: ${[...worlds].join(', ') || 'none'}`,
    `storm ${seconds(stormMs)}, calm ${seconds(calmMs)}${slowness > 1 ? `, ${Math.round(slowness * 10) / 10} times slower than alone` : ''}: ${phases.map(({ name, ms }) => `${name} ${seconds(ms)}`).join(', ')}`,
    `processes: ${chaos.kills} kills, ${chaos.stops} stops past the lease, ${failedStarts.length} starts in vain; ` +
      `wires: ${chaos.wires} struck`,
    ...failedStarts.map((what) => `  ${what}`),
    `PostgreSQL: ${database.crashes} crashes, ${database.freezes} freezes; ` +
      `Redis: ${bell.crash} crashes, ${bell.freeze} freezes, ${bell.flush} flushes, ${bell.fill} times full`,
    `service: ${faults.join(', ')} (${share} of ${submits} submits); refused ${chaos.refusals} times`,
    ...worldLines(story, chaos, damage),
    `callers: ${caller.requests} requests, ${caller.repeated} repeated, ${caller.lostAnswers} answers lost, ` +
      `${caller.refusedForAWhile} asked again later`,
    `forged callbacks: ${forger.lies} on good addresses, ${forger.wrongAddresses} on wrong ones, ` +
      `${forger.believed} let in`,
    `on the wire: ${submits} submits (${unseen} while PostgreSQL was away, ${elsewhere} overtaken), ` +
      `${story.looks.length} looks, ${story.sends.length} posts of texts`,
  ];
}

/** What the worlds that were on have brought; nothing of those that were not. */
function worldLines(story: Story, chaos: Outcome['chaos'], damage: Outcome['damage']): string[] {
  const { restores, codes, credits, limits, console: desk } = story;
  const bent = Object.entries(damage).map(([how, times]) => `${how} ${times}`);
  const ofRestore = ({
    how,
    copiedAt,
    restoredAt,
    noticedAt,
    recoveredAt,
    turns = 0,
  }: Story['restores'][number]): string =>
    `${how}, ${Math.round(restoredAt - copiedAt)} ms back, ` +
    (recoveredAt === undefined
      ? 'nobody was asked'
      : `noticed after ${Math.round((noticedAt ?? recoveredAt) - restoredAt)} ms, ` +
        `at work after ${Math.round(recoveredAt - restoredAt)} ms and ${turns} turns`);
  return [
    ...(chaos.frozenInHandshake > 0
      ? [`TLS: ${chaos.frozenInHandshake} frozen while ${chaos.heldHandshakes} handshakes waited`]
      : []),
    ...restores.map((restore) => `restored: ${ofRestore(restore)}`),
    ...(bent.length > 0 ? [`bent: ${bent.join(', ')}`] : []),
    `others: ${codes.length} codes, ${credits.length} credits`,
    ...(desk ? [consoleLine(desk)] : []),
    ...(limits ? [`limits: ${limits.greedy.length} asked for more; after two people: ${limits.afterTwo}`] : []),
  ];
}

function consoleLine({ answers, streams, shown, acts }: NonNullable<Story['console']>): string {
  const each = counts(groupBy(answers, ({ status, problem }) => (problem ? `${status} ${problem}` : String(status))));
  const heard = sumOf(streams, ({ events }) => events);
  return `console: ${each}; ${shown.length} payments shown, ${heard} events heard, ${acts} campaigns paused`;
}

function ledger({ story }: Outcome): string[] {
  const { records, ledger: books, campaigns, messages } = story;
  const paid = sumOf(books, ({ effects, amount }) => effects * amount);
  const succeeded = sumOf(records, ({ state, amount }) => (state === 'succeeded' ? amount : 0));
  const review = records.filter(({ state }) => state === 'needs_review');
  const causes = counts(groupBy(review, ({ reason }) => reason ?? 'no reason'));
  const bins = groupBy(
    campaigns.flatMap(({ recipients }) => recipients),
    ({ state }) => state,
  );
  return [
    `disbursements: ${counts(groupBy(records, ({ state }) => state))}`,
    `ledger: ${paid} XOF left the service, ${succeeded} XOF are reported as succeeded, ${books.length} tokens`,
    `needs review: ${percent(review.length, records.length)}${causes ? ` (${causes})` : ''}`,
    `texts: ${counts(bins)}; the service sent ${sumOf(messages, ({ times }) => times)}`,
  ];
}

function verdictLines({ verdicts, diedByItself, open }: Outcome): string[] {
  const lines = verdicts.flatMap(({ name, says, broken: faults }) => [
    `${faults.length === 0 ? '✓' : '✗'} ${name.padEnd(3)} ${says}`,
    ...faults.slice(0, SHOWN).map((fault) => `      ${fault}`),
    ...(faults.length > SHOWN ? [`      … and ${faults.length - SHOWN} more`] : []),
  ]);
  return [...lines, ...[...open, ...diedByItself].map((what) => `✗     ${what}`)];
}

function closing(outcome: Outcome): string {
  const { order } = outcome;
  const { disbursements, texts, mode, seed } = order;
  const size = `--disbursements ${disbursements} --texts ${texts}`;
  const some = order.worlds && order.worlds.size < worldNames.length;
  const only = some ? ` --worlds ${[...(order.worlds ?? [])].join(',') || 'none'}` : '';
  const command = `script/storm ${size} --mode ${mode} --seed ${seed}${only}`;
  return broken(outcome) ? `BROKEN. Repeat it: ${command}` : `nothing broken: ${command}`;
}

const counts = (heaps: ReadonlyMap<string, readonly unknown[]>): string =>
  [...heaps].map(([name, all]) => `${name} ${all.length}`).join(', ');

const percent = (part: number, whole: number): string =>
  `${whole === 0 ? 0 : Math.round((part / whole) * 1_000) / 10} %`;
