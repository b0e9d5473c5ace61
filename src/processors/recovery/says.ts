/** What the service says about what stands open in a copy of Redis that was put back: asked, and nothing changed. */
import type { Restored } from '../../operations/restored.ts';
import type { ProcessorContext } from '../context.ts';
import { admitted, statusOf } from './money.ts';
import { orUndefined } from './ends.ts';
import { type Lost, shownBy } from './texts.ts';

/** How many were asked about, and the service's words with how often each was said. */
export interface Said {
  readonly kind: 'disbursement' | 'invoice' | 'payment_request' | 'recipient';
  readonly asked: number;
  readonly words: Readonly<Record<string, number>>;
}

interface Asker {
  readonly kind: Exclude<Said['kind'], 'recipient'>;
  readonly states: readonly string[];
  /** Undefined: there is nothing to ask by. */
  readonly ask: (id: string, context: ProcessorContext) => Promise<string | undefined>;
}

const NO_ANSWER = 'no answer';

const askers: readonly Asker[] = [
  {
    kind: 'disbursement',
    states: ['created', 'submitting', 'unknown', 'pending', 'needs_review'],
    ask: async (id, context) => {
      const record = await context.queries.read('disbursement', id);
      const verdict = record && (await statusOf(record, context));
      return verdict && (verdict.is === 'ok' ? verdict.value.status : NO_ANSWER);
    },
  },
  {
    kind: 'invoice',
    states: ['pending', 'needs_review'],
    ask: async (id, context) => {
      const record = await context.queries.read('invoice', id);
      const account = record && context.account(record.account);
      if (record?.token === undefined || account === undefined) return undefined;
      await admitted(record.account, 'payments', context);
      const verdict = await context.upstream.payments.confirmInvoice(account.upstream, { token: record.token });
      return verdict.is === 'ok' ? verdict.value.status : NO_ANSWER;
    },
  },
  {
    kind: 'payment_request',
    states: ['pending', 'needs_review'],
    ask: async (id, context) => {
      const record = await context.queries.read('payment_request', id);
      const account = record && context.account(record.account);
      if (record?.referenceNumber === undefined || account === undefined) return undefined;
      const { referenceNumber } = record;
      await admitted(record.account, 'payments', context);
      const verdict = await context.upstream.payments.paymentRequestStatus(account.upstream, { referenceNumber });
      return verdict.is === 'ok' ? verdict.value.status : NO_ANSWER;
    },
  },
];

interface Tools {
  readonly restored: Restored;
  readonly context: ProcessorContext;
}

/** Asks about the last `most` of each kind, side by side with nobody: it is a look, and there is time. */
export async function upstreamSays(tools: Tools, lost: Lost, most: number): Promise<Said[]> {
  const said = await Promise.all(askers.map((asker) => askSome(asker, tools, most)));
  return [...said, await askStatistics(tools, lost, most)].filter(({ asked }) => asked > 0);
}

async function askSome({ kind, states, ask }: Asker, { restored, context }: Tools, most: number): Promise<Said> {
  const words: Record<string, number> = {};
  let asked = 0;
  for await (const id of idsIn(states, kind, restored)) {
    if (asked >= most) break;
    const word = await ask(id, context).catch(orUndefined);
    if (word === undefined) continue;
    asked += 1;
    // A word that nobody knows is somebody else's text.
    const known = /^[a-z _-]{1,20}$/.test(word) ? word : 'other';
    words[known] = (words[known] ?? 0) + 1;
  }
  return { kind, asked, words };
}

async function* idsIn(states: readonly string[], kind: Asker['kind'], restored: Restored): AsyncGenerator<string> {
  for (const state of states) for await (const page of restored.ids(kind, state)) yield* page;
}

/** The first texts of each campaign: they go first. */
async function askStatistics({ restored, context }: Tools, lost: Lost, most: number): Promise<Said> {
  const words: Record<string, number> = {};
  let asked = 0;
  for await (const campaign of restored.campaigns()) {
    if (asked >= most) break;
    const first = await restored.slicesOf(campaign).next();
    const id = first.done ? undefined : first.value[0];
    const said = id === undefined ? undefined : await shownBy(id, campaign, lost, context).catch(orUndefined);
    if (said === undefined) continue;
    const { asked: of, shown } = said;
    asked += of;
    const add = (word: string, count: number): void => void (words[word] = (words[word] ?? 0) + count);
    if (shown === undefined) add(NO_ANSWER, of);
    else {
      if (shown > 0) add('sent', shown);
      if (shown < of) add('not shown', of - shown);
    }
  }
  return { kind: 'recipient', asked, words };
}
