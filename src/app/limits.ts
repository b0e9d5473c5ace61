/** The limits of money that the settings of this process ask for: told when it starts, and when Redis may have lost them. */
import { type Part, waitForRedis } from './parts.ts';
import type { LimitChange } from '../kinds/limits.ts';
import type { Auditing } from './auditor.ts';
import type { Container } from './container.ts';

type Needs = Pick<
  Container,
  'limits' | 'patience' | 'logger' | 'quietly' | 'random' | 'clock' | 'redis' | 'heartbeat'
>;

/** Only roles that accept or pay have an opinion. Before any of them takes something, so that nothing slips by. */
export function limitsPart(
  needs: Needs,
  roles: readonly string[],
  { signAct: sign }: Pick<Auditing, 'signAct'>,
): Part {
  const { limits, patience, logger, quietly, random, clock, redis, heartbeat } = needs;
  const by = `settings of ${roles.toSorted().join(', ')}`;
  const log = (lowered: readonly LimitChange[]): void => {
    for (const { name, from, to } of lowered) logger.info({ by, name, from, to }, 'a limit is stricter now');
  };
  let op = random.hex(8);
  const tell = async (when: 'at start' | 'again') => {
    const act = { by, person: '', role: '', door: 'settings', act: 'limit.set', target: '' } as const;
    const { lowered, looser } = await limits.publish(by, op, when, { ...act, requestId: op, sign });
    op = random.hex(8);
    log(lowered);
    return looser;
  };
  let underWay: Promise<unknown> = Promise.resolve();
  const again = (): void => {
    underWay = underWay.then(() => tell('again')).catch((error: unknown) => quietly('the limits of money', error));
  };
  return {
    name: 'the limits of money',
    start: async () => {
      if ((await waitForRedis(() => tell('at start'), patience)).length > 0) {
        const reasons = await waitForRedis(() => limits.reasons(clock.now()), patience);
        logger.error({ reasons }, 'limits here are looser than those that hold');
      }
      // Processes without limits of their own, the library among them, keep to what Redis says. In a recovery nothing is
      // accepted yet; and the one that ends may have been of a copy that was put back meanwhile.
      redis.on('ready', again);
      const deaf = heartbeat.onChange(again);
      return async () => {
        redis.off('ready', again);
        deaf();
        await underWay;
      };
    },
  };
}
