/** The role history: copies what is over to PostgreSQL. Without HISTORY_URL it is nothing, and loads nothing. */
import { Audit } from '../operations/audit.ts';
import { HistoryDesk } from '../operations/history.ts';
import { Trimming } from '../operations/trimming.ts';
import { repeatUntil } from '../processors/sweeper.ts';
import { isAway } from '../redis/connections.ts';
import type { Container } from './container.ts';
import { Outage } from './outage.ts';
import type { Part } from './parts.ts';

const EVERY_MS = 2_000;
/** No step takes longer than a statement may: a connection on which nothing comes any more is cut. */
const STUCK_MS = 120_000;

type Needs = Pick<
  Container,
  'config' | 'clock' | 'logger' | 'quietly' | 'random' | 'redis' | 'operations' | 'events' | 'balances' | 'book'
>;

export function historyPart(needs: Needs): Part {
  const { config, clock, logger, quietly } = needs;
  return {
    name: 'history',
    start: async () => {
      if (config.HISTORY_URL === undefined) return async () => undefined;
      const outage = new Outage({ of: 'PostgreSQL', clock, logger });
      const onError = (error: unknown): void => {
        const why = error instanceof Error ? error.message || error.name : String(error);
        // That Redis is away is told by its own connection.
        if ((error instanceof Error && isAway(error)) || !outage.failed(why)) quietly('history', error);
      };
      const writer = await writerOf(needs, config.HISTORY_URL.reveal(), onError);
      const stop = new AbortController();
      let disarm = (): void => undefined;
      const repeated = repeatUntil(stop.signal, { clock, intervalMs: EVERY_MS, onError }, async () => {
        const arm = (): void => {
          disarm();
          disarm = clock.after(STUCK_MS, () => writer.cut());
        };
        arm();
        await writer.pass(() => (arm(), stop.signal.aborted)).finally(() => disarm());
        outage.answered();
      });
      return async () => {
        stop.abort();
        await repeated;
        await writer.close().catch(onError);
      };
    },
  };
}

async function writerOf(needs: Needs, url: string, onError: (error: unknown) => void) {
  const { config, random, redis, operations, events, balances, book } = needs;
  const [{ HistoryStore }, { HistoryWriter }, { Trimmer }, { payeesWith }] = await Promise.all([
    import('../history/store.ts'),
    import('../history/writer.ts'),
    import('../history/trimmer.ts'),
    import('../history/payees.ts'),
  ]);
  const payeeOf = payeesWith(config.EXTRA_WITHDRAW_MODES);
  const desk = new HistoryDesk(redis, random.hex(8));
  const { HISTORY_AFTER: money, HISTORY_TEXTS_AFTER: texts } = config;
  const trimmer = new Trimmer({
    trimming: new Trimming({ redis, keepMs: config.IDENTITY_KEEP, payeeOf }),
    desk,
    operations,
    payeeOf,
    after: { ...(money > 0 && { disbursement: money, direct_credit: money }), ...(texts > 0 && { message: texts }) },
  });
  const store = { url, newName: () => random.hex(8), timezone: config.TIMEZONE };
  return new HistoryWriter({
    redis,
    desk,
    payeeOf,
    trimmer,
    events,
    audit: new Audit(redis),
    balances,
    accounts: [...book.keys()],
    open: () => HistoryStore.open(store, onError),
  });
}
