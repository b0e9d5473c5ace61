/**
 * `NOTIFY_APPROVERS`: an SMS to each approver when something of another person awaits approval. The events are read as a
 * group of consumers, so each is handled at least once. The SMS is a message named after the item and the person, so a
 * person gets one at most for each item.
 */
import { hostname } from 'node:os';
import { handsIn } from '../campaigns/content.ts';
import { recipientsOf } from '../kinds/recipient.ts';
import { EventGroups } from '../ledger/groups.ts';
import type { StoredEvent } from '../ledger/event-stream.ts';
import { subscribe } from '../ledger/subscription.ts';
import { toMs } from '../lib/clock.ts';
import { grouped } from '../messages/counts.ts';
import { cheaperText } from '../lib/segments.ts';
import { type Message, message } from '../messages/message.ts';
import { textOf } from '../messages/texts.ts';
import type { Acceptance } from '../producer/acceptance.ts';
import { describeProblems, problemTexts } from '../producer/problems.ts';
import type { Approver } from '../settings/approvers.ts';
import { acceptanceOf, smsAccountsIn } from './acceptance.ts';
import type { Container } from './container.ts';
import type { Part } from './parts.ts';

const GROUP = 'relais-approvers';
const TYPES = ['disbursement', 'batch', 'campaign'].map((kind) => `${kind}.awaiting_approval`);
const RETRY_MS = ['10s', '1m', '5m', '30m', '2h'].map(toMs);

/** A payment, batch or campaign that awaits approval. */
interface Item {
  readonly account: string;
  readonly state: string;
  /** Those who asked for it: none of them approves it. */
  readonly askedBy: readonly string[];
  readonly says: Message;
}

export function approversPart(container: Container): Part {
  const { config, database, clock, random, quietly } = container;
  const groups = new EventGroups({ database });
  const approvers = config.NOTIFY_APPROVERS?.items ?? [];
  return {
    name: 'the SMS to approvers',
    start: async () => {
      // A group without consumers would keep its events for ever.
      if (approvers.length === 0) {
        await groups.remove(GROUP).catch((error: unknown) => quietly('SMS to approvers', error));
        return async () => undefined;
      }
      const [stop, notify] = [new AbortController(), notifier(container, approvers)];
      const following = subscribe({
        groups,
        clock,
        group: GROUP,
        consumer: `${hostname()}-${random.hex(4)}`,
        from: 'now',
        types: new Set(TYPES),
        retryMs: RETRY_MS,
        handler: notify,
        signal: stop.signal,
        onError: (error) => quietly('SMS to approvers', error),
      });
      return async () => {
        stop.abort();
        await following;
      };
    },
  };
}

/** Handles one event. It may be handled again: what was accepted is then a duplicate. */
function notifier(container: Container, approvers: readonly Approver[]) {
  const acceptance = acceptanceOf(container);
  const able = smsAccountsIn(container.book);
  return async ({ data }: Pick<StoredEvent, 'data'>): Promise<void> => {
    const { id } = data;
    const item = await itemOf(container, id);
    if (item?.state !== 'awaiting_approval') return;
    const account = [item.account, 'main', ...able].find((name) => able.has(name));
    if (account === undefined) throw new Error('no account can send SMS: its SMS keys are not configured');
    const asked = new Set(item.askedBy.map((one) => one.toLowerCase()));
    const others = approvers.filter(({ person }) => !asked.has(person.toLowerCase()));
    const text = cheaperText([textOf(item.says, 'fr'), textOf(item.says, 'en')].join('\n'));
    for (const { person, phone } of others) await send(acceptance, { account, to: phone, text }, `${id} ${person}`);
  };
}

async function send(acceptance: Acceptance, request: object, item: string): Promise<void> {
  const answer = await acceptance.message(request, `approval ${item}`);
  if (answer.outcome === 'invalid') throw new Error(describeProblems(problemTexts(answer.problems)));
}

async function itemOf({ queries }: Pick<Container, 'queries'>, id: string): Promise<Item | undefined> {
  const kind = await queries.kindOf(id);
  if (kind === 'disbursement') {
    const one = await queries.read(kind, id);
    const name = one?.payeeName ?? one?.reference ?? '';
    return one && { ...one, askedBy: [one.by ?? ''], says: paymentSays(id, name, one.amount) };
  }
  if (kind === 'batch') {
    const one = await queries.read(kind, id);
    return one && { ...one, askedBy: [one.by ?? ''], says: paymentSays(id, one.fileName ?? '', one.totals.xof) };
  }
  if (kind !== 'campaign') return undefined;
  const one = await queries.read(kind, id);
  const says = one && message('approval_of_campaign', { id, name: one.name, recipients: recipientsOf(one.totals) });
  return one && says && { ...one, askedBy: handsIn(one), says };
}

// A plain space: a non-breaking one is not in the alphabet of SMS.
const paymentSays = (id: string, name: string, xof: number): Message =>
  message('approval_of_payment', { id, name, amount: grouped(xof, ' ') });
