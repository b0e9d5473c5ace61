/** Events in the ledger for tests: written like by a change, and published at once. */
import type { EventType } from '../../src/kinds/index.ts';
import { Database } from '../../src/ledger/pool.ts';
import { Publisher, type PublisherOptions } from '../../src/ledger/publisher.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { type FreshLedger, freshLedger } from './fresh-ledger.ts';

export interface EventLedger {
  readonly ledger: FreshLedger;
  readonly database: Database;
  /** Writes an event and publishes it. Returns its position. */
  emit(subject: string, type: EventType, more?: Emitted): Promise<string>;
  publish(): Promise<void>;
  close(): Promise<void>;
}

interface Emitted {
  readonly data?: object;
  readonly account?: string;
  readonly version?: number;
}

export async function eventLedger(options: Partial<PublisherOptions> = {}): Promise<EventLedger> {
  const ledger = await freshLedger();
  const database = new Database({ url: ledger.url, schema: ledger.schema });
  const publisher = publisherOf(database, options);
  const publish = async (): Promise<void> => {
    while ((await publisher.step()).is === 'published');
  };
  return {
    ledger,
    database,
    publish,
    emit: async (subject, type, { data = {}, account = 'main', version = 1 } = {}) => {
      const told = { id: subject, state: type.split('.')[1], ...data };
      const at = options.now?.();
      await database.run('report_event', [`${subject}.${version}`, account, subject, type, told, at]);
      await publish();
      const [row] = await database.run<{ epoch: number; position: string }>('stream_state');
      return `${row?.epoch}-${row?.position}`;
    },
    close: async () => {
      await database.close();
      await ledger.close();
    },
  };
}

/** Writes an event, for the publisher of a running service. Returns its id. */
export async function report(
  ledger: Pick<FreshLedger, 'query'>,
  subject: string,
  type: EventType,
  { data = {}, account = 'main', version = 1 }: Emitted = {},
): Promise<string> {
  const told = JSON.stringify({ id: subject, state: type.split('.')[1], ...data });
  const id = `${subject}.${version}`;
  await ledger.query(`insert into relais.outbox (id, account, subject, type, data)
    values ('${id}', '${account}', '${subject}', '${type}', '${told}')`);
  return id;
}

export function publisherOf(database: Database, options: Partial<PublisherOptions> = {}): Publisher {
  return new Publisher({
    database,
    process: 'the publisher of the test',
    timezone: 'Africa/Dakar',
    keepDays: 400,
    secrets: [],
    clock: systemClock,
    onError: (error) => {
      throw error;
    },
    ...options,
  });
}
