/** Executes the bench's commands in sequence, in a separate process. */
import { openBareApi } from './contenders/bare-api.ts';
import { bareCampaign, barePayments } from './contenders/bare-loop.ts';
import { press } from './contenders/press.ts';
import { usualCampaign, usualPayments } from './contenders/usual-code.ts';

const orders: Readonly<Record<string, (args: never) => Promise<unknown>>> = {
  bareCampaign,
  barePayments,
  usualCampaign,
  usualPayments,
  openBareApi,
  press,
};

const say = (reply: object): void => void process.send?.(reply);

process.on('message', (message: { order: string; args: never }) => {
  const work = orders[message.order];
  const done = work ? work(message.args) : Promise.reject(new Error(`no order ${message.order}`));
  done.then(
    (result) => say({ result }),
    (error: unknown) => say({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));
say({ ready: true });
