/**
 * Checks single messages that may have been sent against the provider's statistics.
 *
 * An entry with the same text that no other SMS explains: sent. A missing entry proves little, since statistics lag.
 * After the second check the message stays `unknown`, is reported so, and is sent again only with `onUnknown:
 * resend`. Statistics that do not list the number prove nothing, so the message is not sent again because of them.
 *
 * A message of a request that was refused because of one recipient is also checked before it is sent again.
 */
import { toMs } from '../../lib/clock.ts';
import { digitsOf } from '../../lib/phone.ts';
import { canonicalName } from '../../lib/wording.ts';
import type { Change } from '../../ledger/operation-items.ts';
import { statusPoll } from '../../queues/index.ts';
import type { Statistics } from '../../provider/messaging/messaging.ts';
import { periodOf } from './period.ts';
import {
  type ClaimedMessage,
  type MessageContext,
  doubts,
  ends,
  grouped,
  isAddressed,
  isExpired,
  saidBy,
  waits,
  write,
} from './message-parts.ts';

/** interface: Limits. */
const MOST_NUMBERS = 50;
const RETRY_MS = statusPoll.retryAfter.map(toMs);
const CHECKS = 2;
/** Maximum sends of a message with `onUnknown: resend`, including the first. */
const SENDS = 3;

type Says = 'sent' | 'unclear' | 'not sent' | 'invalid' | 'nothing';

interface Found {
  readonly one: ClaimedMessage;
  readonly says: Says;
  readonly code?: string | undefined;
}

/** For messages claimed from the queue of status checks. */
export async function checkMessages(claimed: readonly ClaimedMessage[], context: MessageContext): Promise<void> {
  const erased = claimed.filter((one) => !isAddressed(one));
  await write(
    erased.map((one) => ends(one, 'unknown')),
    context,
  );
  const byAccount = grouped(claimed.filter(isAddressed), ({ account }) => account);
  await Promise.all([...byAccount].map(([account, all]) => checkAccount(account, all, context)));
}

async function checkAccount(account: string, all: readonly ClaimedMessage[], context: MessageContext): Promise<void> {
  const keys = context.account(account)?.upstream;
  if (keys === undefined) return putOff(all, context.policy.holdRecheckMs, context);
  for (let from = 0; from < all.length; from += MOST_NUMBERS) {
    const part = all.slice(from, from + MOST_NUMBERS);
    const admission = await context.upstream.admit({ name: account }, 'messaging', 'look');
    if (!admission.admitted) return putOff(all.slice(from), admission.retryAfterMs, context);
    const at = part[0]?.at.getTime() ?? 0;
    const since = Math.min(...part.map(({ created_at: created }) => created.getTime()));
    const numbers = [...new Set(part.map(({ request }) => request.to))];
    const verdict = await context.upstream.messaging.statistics(keys, { numbers, ...periodOf(since, at) });
    const found = verdict.is === 'ok' ? await foundIn(verdict.value, part, context) : undefined;
    const changes = part.map((one, place) => changeFor(one, found?.[place], context));
    await write(changes, context);
    await charge(account, found ?? [], context);
  }
}

/** No result: the next check comes later. */
async function putOff(messages: readonly ClaimedMessage[], dueMs: number, context: MessageContext): Promise<void> {
  await write(
    messages.map((one) => doubts(one, dueMs, {})),
    context,
  );
}

async function foundIn(
  { sent, invalid, unclear }: Statistics,
  messages: readonly ClaimedMessage[],
  { messages: store }: MessageContext,
): Promise<readonly Found[]> {
  const isInvalid = new Set(invalid);
  const read = messages.map((one) => {
    const { to, text } = one.request;
    const digits = digitsOf(to);
    const entries = sent.get(digits);
    const codes = (entries ?? []).filter(({ content }) => content === text).map(({ code }) => code);
    const isOtherwise = entries?.some(({ content }) => canonicalName(content) === canonicalName(text)) ?? false;
    const says = (): Says => {
      if (codes.length > 0) return 'sent';
      if (isOtherwise || unclear?.get(digits)?.includes(text)) return 'unclear';
      if (isInvalid.has(digits)) return 'invalid';
      return entries ? 'not sent' : 'nothing';
    };
    return { one, says: says(), codes };
  });
  const shown = read.filter(({ says }) => says === 'sent');
  const [first] = messages;
  if (first === undefined) return [];
  const asked = shown.map(({ one, codes }) => ({ ...saidBy(one), codes }));
  const free = await store.freeCodes(first.account, asked, first.at.getTime());
  const codeOf = new Map(shown.map(({ one }, at) => [one.id, free[at]]));
  return read.map(({ one, says }): Found => {
    if (says !== 'sent') return { one, says };
    const code = codeOf.get(one.id);
    return code === undefined ? { one, says: 'unclear' } : { one, says, code };
  });
}

/** `found` undefined: the statistics did not answer. */
function changeFor(one: ClaimedMessage, found: Found | undefined, context: MessageContext): Change {
  // Claimed as `sending`: its worker died, so it is in doubt from now on.
  if (found === undefined) return isLate(one, context) ? ends(one, 'unknown') : doubts(one, retryMs(one), {});
  const { says, code } = found;
  if (says === 'sent') return ends(one, 'sent', { code, line: 'statistics|found' });
  return one.facts.refused ? refused(one, says, context) : doubted(one, says, context);
}

function doubted(one: ClaimedMessage, says: Says, context: MessageContext): Change {
  const { policy } = context;
  const looks = (one.facts.looks ?? 0) + 1;
  const mayResend = policy.onUnknown === 'resend' && one.sends < SENDS && !isExpired(one);
  const isSilent = mayResend && (says === 'nothing' || says === 'unclear') && !isLate(one, context);
  if (looks < CHECKS) return doubts(one, policy.settleDelayMs, { facts: { looks } });
  if (isSilent) return doubts(one, retryMs(one), { facts: { looks } });
  if (mayResend && (says === 'not sent' || says === 'invalid'))
    return { ...waits(one, 0, { reason: 'sent_again' }), facts: { looks: 0, mayHaveLeft: true } };
  return ends(one, 'unknown', { line: `statistics|${says}` });
}

/** Refused before any work because of one recipient: the unsent ones are sent alone. */
function refused(one: ClaimedMessage, says: Says, context: MessageContext): Change {
  if (says === 'nothing' && !isLate(one, context)) return doubts(one, retryMs(one), {});
  if (says === 'unclear' || one.facts.mayHaveLeft) return ends(one, 'unknown', { code: one.facts.refused });
  if (says !== 'not sent') return ends(one, 'failed', { code: one.facts.refused });
  return { ...waits(one, 0, { reason: 'refused_together' }), facts: { alone: true, refused: '' } };
}

/** The cost of a refused request was given back; SMS that were sent after all are counted again. */
async function charge(account: string, found: readonly Found[], context: MessageContext): Promise<void> {
  const { budgets, messages, clock } = context;
  if (!budgets) return;
  const sent = found.filter(({ one, says }) => one.facts.refused && (says === 'sent' || says === 'unclear'));
  const cents = sent.reduce((sum, { one }) => sum + budgets.costOf(one.request.to, one.request.text), 0);
  await messages.addCost(account, budgets.periodOf(clock.now()), cents);
}

const ageOf = ({ at, created_at: created }: ClaimedMessage): number => at.getTime() - created.getTime();

/** No further checks. */
const isLate = (one: ClaimedMessage, { policy }: MessageContext): boolean => ageOf(one) >= policy.limitMs;

/** The wait grows with the time in doubt. */
function retryMs(one: ClaimedMessage): number {
  return RETRY_MS.findLast((waitMs) => waitMs <= ageOf(one) / 4) ?? RETRY_MS[0] ?? 0;
}
