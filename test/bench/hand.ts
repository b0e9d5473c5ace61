/** Does what it is told over the wire from the bench, one order after the other. */
import { measureCheck } from '../../script/bench-parts/check.ts';
import { fillBacklog } from './contenders/backlog.ts';
import { openBareDoors } from './contenders/bare-doors.ts';
import { bareCampaign, bareDisbursements } from './contenders/bare-loop.ts';
import { press } from './contenders/press.ts';
import { segments } from './contenders/reading.ts';
import { usualCampaign, usualDisbursements } from './contenders/usual-code.ts';

const orders: Readonly<Record<string, (args: never) => Promise<unknown>>> = {
  bareCampaign,
  bareDisbursements,
  usualCampaign,
  usualDisbursements,
  openBareDoors,
  press,
  segments,
  fillBacklog,
  measureCheck,
};

const say = (reply: object): void => void process.send?.(reply);

process.on('message', (message: { order: string; args: never }) => {
  const work = orders[message.order];
  const done = work ? work(message.args) : Promise.reject(new Error('nobody knows this order'));
  done.then(
    (result) => say({ result }),
    (error: unknown) => say({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));
say({ ready: true });
