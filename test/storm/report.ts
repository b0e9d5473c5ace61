/** The result of a storm as text. */
import { groupBy, sumOf } from './grouping.ts';
import { scenarioNames } from './scenarios.ts';
import type { Outcome } from './storm.ts';
import type { Story } from './story.ts';

const SHOWN = 10;

export function broken({ verdicts, diedByItself, open, forged }: Outcome): boolean {
  return (
    verdicts.some((verdict) => verdict.broken.length > 0) ||
    diedByItself.length > 0 ||
    open.length > 0 ||
    forged.believed > 0
  );
}

export function describeOutcome(outcome: Outcome): string {
  return [
    ...faultLines(outcome),
    ...scenarioLines(outcome),
    ...trafficLines(outcome),
    ...resultLines(outcome.story),
    ...verdictLines(outcome),
    closing(outcome),
  ].join('\n');
}

function faultLines({ strikes, database, redis, serviceFaults, failedStarts, phases, ...more }: Outcome): string[] {
  const slower = more.slowness > 1 ? `, ${round(more.slowness)} times slower than alone` : '';
  return [
    `scenarios: ${[...more.scenarios].join(', ') || 'none'}`,
    `storm ${seconds(more.stormMs)}, calm ${seconds(more.calmMs)}${slower}: ` +
      phases.map(({ name, ms }) => `${name} ${seconds(ms)}`).join(', '),
    `processes: ${strikes.kills} killed, ${strikes.stops} frozen past the lease, ${failedStarts.length} failed starts`,
    ...failedStarts.map((what) => `  ${what}`),
    `network: ${strikes.wires} faults; PostgreSQL: ${listed(database)}; Redis: ${listed(redis)}`,
    `provider: ${listed(serviceFaults)}; ${strikes.refusals} times unreachable`,
  ];
}

/** For the active scenarios. */
function scenarioLines({ story, damage }: Outcome): string[] {
  const { restores, codes, credits, limits } = story;
  return [
    ...restores.map(restoreLine),
    ...(Object.keys(damage).length > 0 ? [`changed answers: ${listed(damage)}`] : []),
    ...(limits
      ? [`limits: ${limits.greedy.length} payments above; what two persons allowed: ${limits.afterTwo}`]
      : []),
    `others: ${codes.length} one-time passwords, ${credits.length} direct credits`,
  ];
}

function restoreLine({ how, copiedAt, restoredAt, noticedAt, recoveredAt }: Story['restores'][number]): string {
  const lost = `restored (${how}): ${Math.round(restoredAt - copiedAt)} ms lost`;
  if (recoveredAt === undefined) return `${lost}, no recovery`;
  return `${lost}, noticed after ${Math.round((noticedAt ?? recoveredAt) - restoredAt)} ms, recovered after ${Math.round(recoveredAt - restoredAt)} ms`;
}

function trafficLines({ caller, forged, story }: Outcome): string[] {
  const { submits, looks, sends } = story;
  const unseen = submits.filter(({ image }) => !image).length;
  return [
    `callers: ${caller.requests} requests, ${caller.repeated} repeated, ${caller.lostAnswers} answers lost`,
    `forged callbacks: ${forged.lies} signed, ${forged.wrongAddresses} unsigned, ${forged.believed} accepted`,
    `sent: ${submits.length} submits (${unseen} while PostgreSQL was away), ${looks.length} status checks, ${sends.length} SMS requests`,
  ];
}

function resultLines({ records, ledger, campaigns, messages }: Story): string[] {
  const paid = sumOf(ledger, ({ effects, amount }) => effects * amount);
  const succeeded = sumOf(records, ({ state, amount }) => (state === 'succeeded' ? amount : 0));
  const reviews = records.filter(({ state }) => state === 'needs_review');
  const recipients = campaigns.flatMap((campaign) => campaign.recipients);
  return [
    `disbursements: ${counts(groupBy(records, ({ state }) => state))}`,
    `provider: paid ${paid} XOF; relais: ${succeeded} XOF succeeded`,
    `needs review: ${reviews.length} (${counts(groupBy(reviews, ({ reason }) => reason ?? 'no reason'))})`,
    `SMS: ${counts(groupBy(recipients, ({ state }) => state))}; the provider sent ${sumOf(messages, ({ times }) => times)}`,
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
  const { disbursements, texts, mode, seed, scenarios } = outcome.order;
  const isPart = scenarios !== undefined && scenarios.size < scenarioNames.length;
  const only = isPart ? ` --scenarios ${[...scenarios].join(',') || 'none'}` : '';
  const command = `script/storm --disbursements ${disbursements} --texts ${texts} --mode ${mode} --seed ${seed}${only}`;
  return broken(outcome) ? `BROKEN. Repeat it: ${command}` : `nothing broken: ${command}`;
}

const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;
const round = (value: number): number => Math.round(value * 10) / 10;
const listed = (each: Readonly<Record<string, number>>): string =>
  Object.entries(each)
    .map(([name, times]) => `${name} ${times}`)
    .join(', ');
const counts = (groups: ReadonlyMap<string, readonly unknown[]>): string =>
  [...groups].map(([name, all]) => `${name} ${all.length}`).join(', ');
