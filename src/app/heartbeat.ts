/** The heartbeat of a process: finds out at its start what it may work on, beats each second, and keeps the witness. */
import { type Config, WrongSettings } from '../config.ts';
import type { HistoryWitness } from '../history/witness.ts';
import type { Heartbeat } from '../operations/heartbeat.ts';
import { KeysOfAnother } from '../operations/stamp.ts';
import type { Beat } from '../operations/witness-word.ts';
import type { Container } from './container.ts';
import { type Part, waitForRedis } from './parts.ts';
import { Witness } from './witness.ts';

const BEAT_EVERY_MS = 1_000;
const DEFAULT_WITNESS = '.relais/witness';

interface Needs extends Pick<Container, 'config' | 'logger' | 'quietly' | 'clock' | 'random' | 'redis' | 'patience'> {
  readonly heartbeat: Heartbeat;
}

/**
 * Before whatever accepts or sends: nobody may be at work on a Redis that has lost something. `onKeysOfAnother`: a
 * reconnect has led to another deployment's, and nothing was written there.
 */
export function heartbeatPart(needs: Needs, onKeysOfAnother: () => void): Part {
  const { heartbeat, clock, quietly, redis, patience } = needs;
  return {
    name: 'the heartbeat',
    start: async () => {
      const witness = await witnessOf(needs);
      const marks = witness?.marks((error) => quietly('the marks beside the witness file', error));
      if (marks) heartbeat.writeDownIn(marks);
      const unlearn = learnsOf(needs);
      const inHistory = await witnessInHistory(needs.config);
      const witnesses = [witness, inHistory].filter((one) => one !== undefined);
      await waitForRedis(async () => heartbeat.begin(await told(witnesses, needs)), patience);
      const writeDown = async (): Promise<void> => {
        await witness?.keep(heartbeat.known()).catch((error: unknown) => quietly('the witness file', error));
      };
      await writeDown();
      if (heartbeat.recovering() === undefined) marks?.forgetDead(clock.now());
      const failed = (error: unknown): void => {
        if (error instanceof KeysOfAnother) onKeysOfAnother();
        else quietly('heartbeat', error);
      };
      let cancel = (): void => undefined;
      let underWay: Promise<void> = Promise.resolve();
      const beat = async (): Promise<void> => {
        cancel();
        await heartbeat.beat().then(writeDown, failed);
        cancel = clock.after(BEAT_EVERY_MS, next);
      };
      const next = (): void => {
        underWay = underWay.then(beat);
      };
      // What answers after a reconnect may be another server.
      redis.on('ready', next);
      cancel = clock.after(BEAT_EVERY_MS, next);
      return async () => {
        redis.off('ready', next);
        await underWay;
        cancel();
        await hearAtLast(inHistory, needs);
        const ended = async (): Promise<void> => {
          await writeDown();
          marks?.close();
          const away = (error: unknown): void => quietly('the witness in history', error);
          if (heartbeat.recovering() === undefined) await inHistory?.keep(heartbeat.known()).catch(away);
        };
        await heartbeat.end().then(ended, (error: unknown) => quietly('heartbeat', error));
        unlearn();
      };
    },
  };
}

/**
 * Before the first command to what answers: what others of this machine have written down, and may not live to say. To
 * be connected is not enough: behind a proxy the server may change before it has said a word. Until what is returned is
 * called.
 */
function learnsOf({ redis, heartbeat }: Needs): () => void {
  const learn = (): void => heartbeat.learn();
  redis.on('ready', learn);
  return () => void redis.off('ready', learn);
}

/**
 * The one that knows most. What cannot be read says nothing, and nothing is guessed for it. Where those that are at
 * work have begun on nothing and none knows of theirs, what was last known of this place is what there should have
 * been.
 */
async function told(witnesses: readonly AnyWitness[], { heartbeat, logger }: Needs): Promise<Beat | undefined> {
  const known = await heard(witnesses, await heartbeat.deployment(), logger);
  return known ?? ((await heartbeat.beganOnNothing()) ? heard(witnesses, undefined, logger) : undefined);
}

/** What could not be heard at the start is heard before anything is written over it. */
async function hearAtLast(inHistory: HistoryWitness | undefined, needs: Needs): Promise<void> {
  if (inHistory === undefined || inHistory.isHeard) return;
  const { heartbeat, quietly } = needs;
  const compared = told([inHistory], needs).then((word) => word && heartbeat.compare(word, true));
  await compared.catch((error: unknown) => quietly('the witness in history', error));
}

type AnyWitness = Witness | HistoryWitness;

async function heard(
  witnesses: readonly AnyWitness[],
  deployment: string | undefined,
  logger: Needs['logger'],
): Promise<Beat | undefined> {
  const hear = async (witness: AnyWitness): Promise<Beat | undefined> => {
    try {
      return await witness.tell(deployment);
    } catch (error) {
      const which = witness instanceof Witness ? 'witness file' : 'witness in history';
      logger.warn({ err: error }, `the ${which} cannot be read, so it proves nothing`);
      return undefined;
    }
  };
  const known = await Promise.all(witnesses.map(hear));
  const [most] = known.filter((one) => one !== undefined).toSorted((a, b) => b.counter - a.counter);
  return most;
}

async function witnessInHistory(config: Config): Promise<HistoryWitness | undefined> {
  const { HISTORY_URL: url } = config;
  if (url === undefined) return undefined;
  const history = await import('../history/witness.ts');
  return new history.HistoryWitness(url.reveal(), placeOf(config));
}

/** Undefined: there is none. A file that was asked for and cannot be written is a wrong setting. */
async function witnessOf({ config, logger, random }: Needs): Promise<Witness | undefined> {
  const { WITNESS_FILE: path } = config;
  if (path === 'off') return undefined;
  const witness = new Witness({ path: path ?? DEFAULT_WITNESS, place: placeOf(config), tag: random.hex(4) });
  try {
    await witness.prove();
    return witness;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    if (path !== undefined) throw new WrongSettings([`WITNESS_FILE: cannot be written (${why})`]);
    logger.info({ why }, 'there is no witness file: a long stop will have to be confirmed');
    return undefined;
  }
}

/** The name of this place, without a password. */
export function placeOf(config: Config): string {
  const { host, pathname } = new URL(config.REDIS_URL);
  const [node] = config.REDIS_CLUSTER ?? [];
  const found = node === undefined ? host : `${node.host}:${node.port}`;
  const server = config.REDIS_SENTINELS === undefined ? found : config.REDIS_SENTINEL_NAME;
  return `${config.ENVIRONMENT} ${server}${pathname === '' ? '/' : pathname} ${config.REDIS_PREFIX}`;
}
