/** `relais sandbox`: the double of the service alone, for trying out and for the tests of those who use relais. */
import type { SandboxCommand } from '../cli/io.ts';
import { loadConfig } from '../config.ts';
import { seededRandom, systemRandom } from '../lib/random.ts';
import { createLogger } from '../logger.ts';
import type { FaultOrder } from '../sandbox/faults.ts';
import { type Sandbox, startSandbox } from '../sandbox/sandbox.ts';
import { type Surroundings, aborted } from './run.ts';

export async function sandbox(
  command: SandboxCommand,
  { env, signal, ready, giveUp }: Surroundings,
): Promise<number> {
  const config = loadConfig(env);
  const logger = createLogger(config.LOG_LEVEL);
  const { seed, latencyMs, books } = command;
  const running: Sandbox = await startSandbox({
    host: config.HOST,
    ports: { base: config.SANDBOX_PORT, crm: config.SANDBOX_CRM_PORT, control: config.SANDBOX_CONTROL_PORT },
    random: seed === undefined ? systemRandom : seededRandom(seed),
    settings: latencyMs === undefined ? {} : { latencyMs },
    faults: command.faults.map((fault) => ({ ...fault, ...(seed === undefined ? {} : { seed }) }) as FaultOrder),
    ...(books === undefined ? {} : { books }),
    // A double that would forget what it paid is worse than none.
    onBooksLost: (thrown) => giveUp(thrown instanceof Error ? thrown : new Error(String(thrown))),
    onLine: (line) => logger.debug(line),
  });
  const { base, crm, control } = running;
  ready({ ready: true, base, crm, control });
  await aborted(signal);
  await running.stop();
  return 0;
}
