/** Single messages on a separate ledger, and a provider that records every SMS that reached it. */
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { momentOf, systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Holds } from '../../src/ledger/holds.ts';
import { Messages, acceptMessage, newMessage } from '../../src/ledger/messages.ts';
import type { RequestOf } from '../../src/kinds/index.ts';
import type { NewOperation } from '../../src/ledger/operation-items.ts';
import { Operations } from '../../src/ledger/operations.ts';
import { OptOuts } from '../../src/ledger/opt-outs.ts';
import { Database } from '../../src/ledger/pool.ts';
import { checkMessages } from '../../src/processors/sms/message-checks.ts';
import { type Lane, type MessageContext, asMessages } from '../../src/processors/sms/message-parts.ts';
import { sendMessages } from '../../src/processors/sms/messages.ts';
import { payeeOf } from '../../src/provider/capabilities.ts';
import type { Messaging, OutgoingMessage, Statistics } from '../../src/provider/messaging/messaging.ts';
import type { Verdict } from '../../src/provider/verdict.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';

type Answer = Awaited<ReturnType<Messaging['send']>>;

const EXCHANGE = { operation: 'sms_send', account: 'main', code: 'ok', sent: 'answered', durationMs: 1 } as const;
const POLICY = {
  leaseMs: 60_000,
  holdRecheckMs: 5_000,
  settleDelayMs: 2_000,
  split: true,
  onUnknown: 'hold',
  limitMs: 3 * 86_400_000,
  prices: { SN: 12.5 },
  quietHours: undefined,
  timezone: 'UTC',
} as const;

class MessageWorld {
  ledger!: FreshLedger;
  database!: Database;
  messages!: Messages;
  holds!: Holds;
  optOuts!: OptOuts;
  /** SMS that reached the provider, by request. */
  requests: OutgoingMessage[][] = [];
  /** The provider's answer, instead of accepting all; undefined: it accepts all. */
  answer: (messages: readonly OutgoingMessage[]) => Promise<Answer> | undefined = () => undefined;
  /** The content of the statistics; default: every SMS that reached the provider. */
  statistics: () => Verdict<Statistics> | undefined = () => undefined;
  account = '';
  readonly #processes: Operations[] = [];
  #made = 0;

  async open(): Promise<void> {
    this.ledger = await freshLedger();
    this.database = new Database({ url: this.ledger.url, schema: this.ledger.schema, size: 8 });
    this.messages = new Messages({ database: this.database });
    this.holds = new Holds({ database: this.database, clock: systemClock });
    this.optOuts = new OptOuts({ database: this.database });
    for (const name of ['one', 'two']) this.#processes.push(this.process(name));
  }

  async close(): Promise<void> {
    await Promise.all(this.#processes.map((one) => one.close()));
    await this.database?.close();
    await this.ledger?.close();
  }

  begin(): void {
    this.requests = [];
    this.answer = () => undefined;
    this.statistics = () => undefined;
    this.account = `account-${(this.#made += 1)}`;
  }

  process(name: string): Operations {
    const database = { url: this.ledger.url, schema: this.ledger.schema };
    return new Operations({ database, process: name, clock: systemClock, random: systemRandom });
  }

  operations(worker: number): Operations {
    const found = this.#processes[worker];
    if (found === undefined) throw new Error(`no worker ${worker}`);
    return found;
  }

  context(worker: number, more: Partial<MessageContext> = {}): MessageContext {
    const { messages, holds, optOuts } = this;
    return {
      operations: this.operations(worker),
      messages,
      holds,
      optOuts,
      upstream: { messaging: this.#messaging(), admit: async () => ({ admitted: true }) },
      clock: systemClock,
      policy: POLICY,
      account: (name) => ({ upstream: { name, mode: 'live', headerPrefix: 'X' }, fingerprint: 'f' }),
      ...more,
    };
  }

  /** As acceptance requests it. */
  asked({
    to = this.phone(),
    text = 'Hello',
    lane = 'normal',
    ...more
  }: Partial<RequestOf<'message'>> = {}): NewOperation {
    const id = `msg_${String((this.#made += 1)).padStart(26, '0')}`;
    const message = { to, text, lane, account: this.account, ...more };
    return newMessage(message, { id, fingerprint: JSON.stringify(message), reference: id }, payeeOf(to, undefined));
  }

  /** Accepts a message. Returns its id. */
  async accept(more: Partial<RequestOf<'message'>> = {}): Promise<string> {
    return (await acceptMessage(this.operations(0), this.asked(more))).id;
  }

  phone(): string {
    return `+22177${String((this.#made += 1)).padStart(7, '0')}`;
  }

  send(worker = 0, { lane = 'normal', ...more }: Partial<MessageContext> & { readonly lane?: Lane } = {}) {
    return sendMessages(lane, { accounts: [this.account], most: 200 }, this.context(worker, more));
  }

  /** Makes every message in doubt due, and checks it. */
  async check(worker = 0, more: Partial<MessageContext> = {}): Promise<number> {
    await this.pass();
    const claimed = await this.operations(worker).claim('status-poll', [this.account], 200, POLICY.leaseMs);
    await checkMessages(asMessages(claimed, POLICY, momentOf(systemClock)), this.context(worker, more));
    return claimed.length;
  }

  /** Time passes: leases end, and waiting messages are due. */
  async pass(): Promise<void> {
    await this.ledger.query(`update relais.operation set due_at = case when due_at is not null then least(due_at, now()) end, lease_until = case when lease is not null
      then now() - interval '1 s' end where account = '${this.account}'`);
  }

  async states(): Promise<Record<string, number>> {
    const rows = await this.ledger.query<{ state: string; n: string }>(
      `select state, count(*) as n from relais.operation where account = '${this.account}' group by state`,
    );
    return Object.fromEntries(rows.map(({ state, n }) => [state, Number(n)]));
  }

  async stateOf(id: string): Promise<string | undefined> {
    return (await this.read(id)).state;
  }

  async read(id: string) {
    const [row] = await this.operations(0).read<{
      readonly state: string;
      readonly reason: string | null;
      readonly request: { readonly text: string };
      readonly facts: Readonly<Record<string, unknown>>;
      readonly due_at: Date | null;
      readonly sends: number;
    }>([id]);
    if (row === undefined) throw new Error(`no message ${id}`);
    return row;
  }

  async events(): Promise<readonly { readonly subject: string; readonly type: string; readonly data: object }[]> {
    return this.ledger.query(
      `select subject, type, data from relais.outbox where account = '${this.account}' order by sequence`,
    );
  }

  /** What this account's messages add to the daily totals, without their account. */
  async totals(): Promise<Readonly<Record<string, number>>> {
    const rows = await this.ledger.query<{ name: string; sum: number }>(
      `select replace(t.name, '|${this.account}|', '|') as name, sum(t.value::int)::int as sum
       from relais.outbox o cross join lateral jsonb_each_text(o.totals) as t(name, value)
       where t.name like '%|${this.account}|%' group by 1 having sum(t.value::int) <> 0`,
    );
    return Object.fromEntries(rows.map(({ name, sum }) => [name, sum]));
  }

  /** How often each number was sent to. */
  sentTo(): ReadonlyMap<string, number> {
    const times = new Map<string, number>();
    for (const { to } of this.requests.flat()) times.set(to, (times.get(to) ?? 0) + 1);
    return times;
  }

  taken(messages: readonly OutgoingMessage[]): Answer {
    return {
      is: 'ok',
      value: { items: messages.map((_, index) => ({ index, outcome: 'sent', code: '00' })) },
      exchange: EXCHANGE,
    };
  }

  refuses(is: 'refused' | 'transient' | 'config' | 'unknown', code: string): Answer {
    const sent = is === 'unknown' ? 'maybe' : 'answered';
    return { is, code, exchange: { ...EXCHANGE, code, sent, upstreamCode: code } };
  }

  #messaging(): Messaging {
    return {
      prepare: async () => ({ is: 'ok', value: { usableForMs: 60_000 }, exchange: EXCHANGE }),
      send: async (_account, { messages }) => {
        const answer = this.answer(messages);
        if (answer !== undefined) return answer;
        this.requests.push([...messages]);
        return this.taken(messages);
      },
      statistics: async (_account, { numbers }) => {
        const shown = this.statistics();
        if (shown !== undefined) return shown;
        const all = this.requests.flat();
        const sent = new Map(
          numbers.map((to) => [
            to.slice(1),
            all.filter((one) => one.to === to).map(({ text }) => ({ code: '00', content: text })),
          ]),
        );
        return { is: 'ok', value: { invalid: [], sent }, exchange: EXCHANGE };
      },
    };
  }
}

/** For one file of tests. */
export function messageWorld(): MessageWorld {
  const world = new MessageWorld();
  beforeAll(() => world.open());
  afterAll(() => world.close());
  beforeEach(() => world.begin());
  return world;
}
