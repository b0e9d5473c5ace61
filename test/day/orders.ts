/** What a company asks for on one day besides single disbursements: each asked again until it was taken. */
import { nowMs, wait } from '../storm/clock.ts';
import { ask, type Reply } from '../storm/http.ts';
import { SECOND_SECRET } from '../storm/plan.ts';

const AGAIN_MS = 200;
const PATIENCE_MS = 180_000;
const AT_ONCE = 6;
const ROWS_OF_A_BATCH = 50;
const MESSAGES_AT_ONCE = 20;
const CREDITS_FROM = 300_000;
const BATCHES_FROM = 700_000;

export const SECOND = { authorization: `Bearer ${SECOND_SECRET}` } as const;

/** How many of each are asked for, in all. */
export interface Sizes {
  readonly disbursements: number;
  readonly batchRows: number;
  readonly credits: number;
  readonly invoices: number;
  readonly paymentRequests: number;
  readonly messages: number;
  readonly recipients: number;
}

export function sizesOf(operations: number): Sizes {
  const share = (part: number): number => Math.round(operations * part);
  return {
    disbursements: share(0.35),
    batchRows: share(0.2),
    credits: share(0.1),
    invoices: share(0.08),
    paymentRequests: share(0.07),
    messages: share(0.1),
    recipients: share(0.1),
  };
}

export type Order = (api: string) => Promise<void>;

const from = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));

/** Mixed as they come, so that each part of the day has some of every kind. */
export function ordersOf({ batchRows, credits, invoices, paymentRequests, messages }: Sizes): Order[] {
  const heaps: readonly Order[][] = [
    from(Math.ceil(batchRows / ROWS_OF_A_BATCH), (nth) =>
      batch(nth, Math.min(ROWS_OF_A_BATCH, batchRows - nth * ROWS_OF_A_BATCH)),
    ),
    from(credits, (nth) =>
      posted('direct-credits', {
        accountAlias: `76${String(CREDITS_FROM + nth).padStart(7, '0')}`,
        amount: 700 + (nth % 300),
        reference: `day-credit-${nth}`,
      }),
    ),
    from(invoices, (nth) =>
      posted('invoices', {
        totalAmount: 1_000 + nth,
        store: { name: 'La Boutique' },
        reference: `day-invoice-${nth}`,
      }),
    ),
    from(paymentRequests, (nth) =>
      posted('payment-requests', {
        amount: 2_000 + nth,
        feesPaidBy: 'customer',
        email: 'payer@shop.example',
        reference: `day-request-${nth}`,
      }),
    ),
    from(Math.ceil(messages / MESSAGES_AT_ONCE), (nth) => texts(nth)),
  ];
  const placed = heaps.flatMap((heap) => heap.map((order, at) => ({ order, place: at / heap.length })));
  return placed.sort((a, b) => a.place - b.place).map(({ order }) => order);
}

/** `taken` hears of each that was. */
export async function askForAll(api: string, orders: readonly Order[], taken: () => void): Promise<void> {
  const left = [...orders];
  const caller = async (): Promise<void> => {
    for (let order = left.shift(); order; order = left.shift()) {
      await order(api);
      taken();
    }
  };
  await Promise.all(from(AT_ONCE, caller));
}

/** Asks until the answer is one that counts. What it refuses for good is a mistake of the day itself. */
async function untilTaken(attempt: () => Promise<Reply | undefined>, late: readonly number[] = []): Promise<Reply> {
  const until = nowMs() + PATIENCE_MS;
  let last = 'nothing';
  while (nowMs() < until) {
    const reply = await attempt();
    if (reply) last = `${reply.status} ${JSON.stringify(reply.body)}`;
    if (reply && (reply.status < 300 || late.includes(reply.status))) return reply;
    if (reply && reply.status < 500 && reply.status !== 429) throw new Error(`it was refused: ${last}`);
    // The service has said no, or nothing that can be understood: the record has it, and a person will.
    if (reply && isTold(reply)) return reply;
    await wait(AGAIN_MS);
  }
  throw new Error(`it was not taken in time; the last answer was ${last}`);
}

/** What is created while the caller waits has a record, whatever became of it. */
const isTold = ({ body }: Reply): boolean => {
  const { id, retryable } = body as { id?: unknown; retryable?: unknown };
  return typeof id === 'string' && retryable === false;
};

const posted =
  (path: string, body: object): Order =>
  async (api) => {
    await untilTaken(() => ask(`${api}/v1/${path}`, { method: 'POST', body }));
  };

const texts =
  (nth: number): Order =>
  async (api) => {
    const body = from(MESSAGES_AT_ONCE, (at) => ({
      to: `+22170${String(1_000_000 + nth * MESSAGES_AT_ONCE + at)}`,
      text: `Your parcel ${nth}.${at} is here`,
      reference: `day-text-${nth}-${at}`,
    }));
    await untilTaken(() => ask(`${api}/v1/messages`, { method: 'POST', body }));
  };

const batch =
  (nth: number, rows: number): Order =>
  async (api) => {
    const lines = from(rows, (at) => {
      const row = nth * ROWS_OF_A_BATCH + at;
      const alias = `77${String(BATCHES_FROM + row).padStart(7, '0')}`;
      return `day-salary-${row};${alias};${5_000 + (row % 900)};wallet-a-senegal`;
    });
    const body = `reference;accountAlias;amount;withdrawMode\n${lines.join('\n')}\n`;
    const headers = { 'content-type': 'text/csv', 'idempotency-key': `day-batch-${nth}` };
    const made = await untilTaken(() => ask(`${api}/v1/disbursement-batches`, { method: 'POST', body, headers }));
    const { id, contentHash } = made.body as { id: string; contentHash: string };
    const approve = { method: 'POST', body: { contentHash }, headers: SECOND } as const;
    // 409: an answer was lost, and it is approved.
    await untilTaken(() => ask(`${api}/v1/disbursement-batches/${id}/approve`, approve), [409]);
  };
