/** Whether an operation costs the same with a thousand others waiting and with a million. */
import { acceptAll, liveAll } from '../contenders/relais-disbursements.ts';
import { type Relais, startRelais } from '../contenders/relais.ts';
import { startHand } from '../programs.ts';
import type { RowMaker } from '../rows.ts';

const SMALL = 1_000;
const COUNTED = 1_000;

export const backlogRows: RowMaker = async (stage, { backlog, share }) => {
  await stage.freshBooks();
  // The sweeper of a minute would be counted in a long run more often than in a short one.
  const relais = await startRelais(stage, { settings: { SWEEP_INTERVAL: '1s' } });
  const hand = await startHand('filler', stage.dir);
  const count = Math.ceil(COUNTED * share);
  try {
    await acceptAll(relais, { first: 0, count });
    await liveAll(relais, count);
    await hand.do('fillBacklog', { port: relais.redis.port, from: 0, to: SMALL });
    const few = await costOf(relais, count, count);
    await hand.do('fillBacklog', { port: relais.redis.port, from: SMALL, to: backlog });
    const many = await costOf(relais, 2 * count, count);
    const names = [`${SMALL.toLocaleString('en')} waiting`, `${backlog.toLocaleString('en')} waiting`];
    return [
      {
        title: `a disbursement behind ${names.join(' and behind ')}`,
        figures: [few, many].flatMap(({ commands, micros }, index) => [
          { label: `${names[index]}: commands of Redis`, values: [commands], unit: 'per disbursement' },
          { label: `${names[index]}: their time`, values: [micros], unit: 'µs per disbursement' },
        ]),
        aims: [
          { text: 'times the commands', value: many.commands / few.commands, most: 1.05 },
          { text: 'times the time', value: many.micros / few.micros, most: 1.25 },
        ],
      },
    ];
  } finally {
    await hand.stop();
    await relais.stop();
  }
};

interface Cost {
  readonly commands: number;
  readonly micros: number;
}

/** Of the whole life of so many disbursements, with all that was asked besides. */
async function costOf(relais: Relais, first: number, count: number): Promise<Cost> {
  await acceptAll(relais, { first, count });
  await relais.look.config('RESETSTAT');
  await liveAll(relais, count);
  const stats = await relais.look.info('commandstats');
  let [commands, micros] = [0, 0];
  for (const [, name = '', calls, time] of stats.matchAll(/cmdstat_(\S+?):calls=(\d+),usec=(\d+)/g)) {
    // A script's time is that of the commands in it, and of Lua between them.
    if (!BLOCKING.has(name) && name.startsWith('eval')) micros += Number(time);
    if (!BLOCKING.has(name)) commands += Number(calls);
  }
  return { commands: commands / count, micros: micros / count };
}

const BLOCKING = new Set(['bzpopmin', 'info', 'config|resetstat']);
