/** The role history: copies what is over to PostgreSQL. Without HISTORY_URL it is nothing, and loads nothing. */
import type { KindOfMoney } from '../kinds/index.ts';
import { Audit } from '../operations/audit.ts';
import { HistoryDesk } from '../operations/history.ts';
import { SAME_TEXTS_MS } from '../operations/same-texts.ts';
import { Trimming } from '../operations/trimming.ts';
import { repeatUntil } from '../processors/sweeper.ts';
import { isAway } from '../redis/connections.ts';
import type { TrimmerOptions } from '../history/trimmer.ts';
import type { HistoryWriter } from '../history/writer.ts';
import type { Container } from './container.ts';
import { placeOf } from './heartbeat.ts';
import { Outage } from './outage.ts';
import type { Part } from './parts.ts';
import type { Heartbeat } from '../operations/heartbeat.ts';

const EVERY_MS = 2_000;
/** No step takes longer than a statement may: a connection on which nothing comes any more is cut. */
const STUCK_MS = 120_000;
/** So many of what history does not take stand in one line of the log. */
const NAMED_MOST = 10;

interface Needs
  extends Pick<
    Container,
    | 'config'
    | 'clock'
    | 'logger'
    | 'quietly'
    | 'random'
    | 'redis'
    | 'operations'
    | 'campaigns'
    | 'batches'
    | 'events'
    | 'balances'
    | 'book'
  > {
  readonly heartbeat: Heartbeat;
}

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
  const { config, logger, random, redis, operations, campaigns, batches, events, balances, book, heartbeat } = needs;
  const [{ HistoryStore }, { HistoryWriter }, { Trimmer }, { payeesWith }, { HistoryWitness }] = await Promise.all([
    import('../history/store.ts'),
    import('../history/writer.ts'),
    import('../history/trimmer.ts'),
    import('../history/payees.ts'),
    import('../history/witness.ts'),
  ]);
  const payeeOf = payeesWith(config.EXTRA_WITHDRAW_MODES);
  const desk = new HistoryDesk(redis, random.hex(8));
  const trimmer = new Trimmer({
    trimming: new Trimming({ redis, keepMs: config.IDENTITY_KEEP, payeeOf }),
    desk,
    keepsTurn: () => desk.isMyTurn(),
    operations,
    campaigns,
    batches,
    payeeOf,
    after: trimmedAfter(config),
  });
  const witness = new HistoryWitness(url, placeOf(config));
  const store = { url, newName: () => random.hex(8), timezone: config.TIMEZONE };
  return new HistoryWriter({
    redis,
    desk,
    payeeOf,
    trimmer,
    witness: {
      compare: (told) => heartbeat.compare(told, witness.isOfThisPlace(told)),
      known: () => (heartbeat.recovering() === undefined ? witness.wordOf(heartbeat.known()) : undefined),
    },
    ...toldTo(logger),
    events,
    audit: new Audit(redis),
    balances,
    campaigns,
    batches,
    accounts: [...book.keys()],
    open: () => HistoryStore.open(store, onError),
  });
}

/** What an operator reads of it. */
function toldTo(
  logger: Needs['logger'],
): Pick<ConstructorParameters<typeof HistoryWriter>[0], 'onMissing' | 'onSetAside'> {
  return {
    onMissing: ({ missing }) => {
      if (missing === undefined)
        logger.warn({}, 'history is an older copy: it lacks nothing that left, and is given all anew');
      else
        logger.error(
          { missing },
          'history is an older copy, and lacks what left Redis: nothing more leaves; relais doctor',
        );
    },
    onSetAside: (some) => {
      const named = some.slice(0, NAMED_MOST).map(({ id, why }) => ({ id, why }));
      logger.error(
        { count: some.length, named },
        'history does not take some of what is over: it stays in Redis, and the rest goes on; relais doctor',
      );
    },
  };
}

const ofMoney = (ms: number): Readonly<Record<KindOfMoney | 'batch', number>> => ({
  disbursement: ms,
  direct_credit: ms,
  invoice: ms,
  payment_request: ms,
  batch: ms,
});

/** How long each kind stays near. A text in doubt is told from the texts of other campaigns for as long as they may show. */
function trimmedAfter({
  HISTORY_AFTER: money,
  HISTORY_TEXTS_AFTER: texts,
}: Container['config']): TrimmerOptions['after'] {
  return {
    ...(money > 0 && ofMoney(money)),
    ...(texts > 0 && { message: texts, campaign: Math.max(texts, SAME_TEXTS_MS) }),
  };
}
