/** The committed row of a request while its bytes are in flight: read directly, before the provider receives it. */
import { Client } from 'pg';
import { onOurClock } from './clock.ts';
import { type Image, isSubmit, submitNames } from './traffic.ts';
import type { Exchange } from './tap.ts';

export interface Images {
  readonly submits: ReadonlyMap<Exchange, Image>;
}

interface Row {
  readonly state: string;
  readonly token: string | null;
  readonly sends: number;
  /** ms since the epoch. */
  readonly sentAt: number | null;
}

const READ = `
  select state, token, sends, extract(epoch from sent_at)::float8 * 1000 as "sentAt"
    from relais.operation
   where id = $1`;
const ANSWER_WITHIN_MS = 1_000;

export function imageReader(connectionString: string, idOf: (disburseId: string) => string | undefined) {
  const submits = new Map<Exchange, Image>();
  let connected: Promise<Client> | undefined;
  const connection = (): Promise<Client> => {
    connected ??= connectedTo(connectionString, () => (connected = undefined));
    return connected;
  };
  let turn: Promise<unknown> = Promise.resolve();
  /** A connection executes one query at a time. */
  const inTurn = <T>(ask: () => Promise<T>): Promise<T> => {
    const answer = turn.then(ask);
    turn = answer.catch(() => undefined);
    return answer;
  };
  const before = async (exchange: Exchange): Promise<void> => {
    const id = isSubmit(exchange) ? idOf(submitNames(exchange).disburseId) : undefined;
    if (id === undefined) return;
    try {
      const client = await connection();
      const { rows } = await inTurn(() => client.query<Row>(READ, [id]));
      const [row] = rows;
      const { state = '', token, sends = 0, sentAt } = row ?? {};
      // Both clocks are of this machine. A frozen PostgreSQL answers late, which does not make the request older.
      const ageMs = sentAt ? exchange.at - onOurClock(sentAt) : 0;
      submits.set(exchange, { state, sends, ageMs, token: token ?? '' });
    } catch (error) {
      // PostgreSQL is killed often: an unreadable row counts as not seen.
      connected = undefined;
      if (!(error instanceof Error)) throw error;
    }
  };
  const close = async (): Promise<void> => {
    const client = await connected?.catch(() => undefined);
    await client?.end();
  };
  return { images: { submits }, before, close };
}

async function connectedTo(connectionString: string, lost: () => void): Promise<Client> {
  const client = new Client({
    connectionString,
    connectionTimeoutMillis: ANSWER_WITHIN_MS,
    query_timeout: ANSWER_WITHIN_MS,
  });
  client.on('error', lost);
  await client.connect();
  return client;
}
