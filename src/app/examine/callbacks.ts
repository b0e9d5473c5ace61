/**
 * Whether our callback addresses answer as upstream will find them: a signed address with 200, and one that is not
 * signed with 404, since a page that says 200 to everything in front of us would hide that we are not behind it.
 */
import { Agent } from 'undici';
import type { Config } from '../../config.ts';
import type { Clock } from '../../lib/clock.ts';
import { callbackPath } from '../../webhooks/receiver.ts';
import { callbackSecrets } from '../processor-context.ts';
import { publicUrlOf } from '../run.ts';
import { type Finding, fault, ok, skipped, inTime } from './finding.ts';

const PATIENCE_MS = 10_000;
/** No operation has this id; asking changes nothing anyway. */
const PROBED = { account: 'main', kind: 'disbursement', id: 'dsb_doctor' } as const;

export async function examineCallbacks(config: Config, clock: Clock): Promise<Finding> {
  const url = publicUrlOf(config, {});
  if (url === undefined) {
    const local = 'the webhooks listener takes a free port that is not known here';
    if (config.SERVICE_BASE_URL === undefined) return skipped('callbacks', 'SERVICE_BASE_URL is not set');
    const says = config.WEBHOOKS_PORT === 0 ? `PUBLIC_URL is not set, and ${local}` : 'PUBLIC_URL is not set';
    return fault('callbacks', `${says}: disbursements wait`, 'Set PUBLIC_URL to where upstream reaches us.');
  }
  const secrets = callbackSecrets(config);
  if (secrets.length === 0) return skipped('callbacks', 'CALLBACK_SECRET is not set');
  const path = callbackPath(secrets, PROBED);
  const [signed, unsigned] = [await probe(url + path, clock), await probe(`${url}${path.slice(0, -1)}`, clock)];
  return judge(url, signed, unsigned);
}

function judge(url: string, signed: number | string, unsigned: number | string): Finding {
  if (typeof signed === 'string') {
    return fault(
      'callbacks',
      `${url} does not answer (${signed})`,
      'Start a process with the role webhooks, and lead PUBLIC_URL to it.',
    );
  }
  if (signed === 200 && unsigned === 404) return ok('callbacks', `${url} answers, and only to signed addresses`);
  if (signed === 200) {
    const says = `${url} says ${unsigned} to an address that is not signed: something else answers there`;
    return fault('callbacks', says, 'Lead PUBLIC_URL to the webhooks listener, path and all.');
  }
  return fault(
    'callbacks',
    `${url} says ${signed} to a signed address`,
    'Give all processes the same CALLBACK_SECRET, and lead PUBLIC_URL to the webhooks listener, path and all.',
  );
}

/** The status, or why there is none. */
async function probe(address: string, clock: Clock): Promise<number | string> {
  const agent = new Agent({
    connect: { timeout: PATIENCE_MS },
    headersTimeout: PATIENCE_MS,
    bodyTimeout: PATIENCE_MS,
  });
  const { origin, pathname } = new URL(address);
  try {
    const asked = async (): Promise<number> => {
      const { statusCode, body } = await agent.request({ origin, path: pathname, method: 'GET' });
      await body.dump();
      return statusCode;
    };
    return (await inTime(clock, PATIENCE_MS, asked)) ?? 'no answer in time';
  } catch (error) {
    return describe(error);
  } finally {
    await agent.destroy();
  }
}

function describe(error: unknown): string {
  // A host with several addresses fails with one error for all.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (!(first instanceof Error)) return String(first);
  return 'code' in first && typeof first.code === 'string' ? first.code : first.message;
}
