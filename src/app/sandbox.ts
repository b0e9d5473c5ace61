/** `relais sandbox`: the provider simulator alone, for trials and for tests of relais users. */
import type { SandboxCommand } from '../cli/io.ts';
import { loadConfig } from '../config.ts';
import { createLogger, logOptionsOf } from '../logger.ts';
import type { FaultOrder } from '../sandbox/faults.ts';
import { type Sandbox, startSandbox, defaultCredentials } from '../sandbox/sandbox.ts';
import { type Surroundings, aborted } from './run.ts';

export async function sandbox(
  command: SandboxCommand,
  { env, signal, ready, giveUp }: Surroundings,
): Promise<number> {
  const config = loadConfig(env);
  const logger = createLogger(logOptionsOf(config));
  const { seed, latencyMs, books } = command;
  const running: Sandbox = await startSandbox({
    host: config.HOST,
    ports: { base: config.SANDBOX_PORT, crm: config.SANDBOX_CRM_PORT, control: config.SANDBOX_CONTROL_PORT },
    ...(seed === undefined ? {} : { seed }),
    headerPrefix: config.SERVICE_HEADER_PREFIX,
    settings: { strictness: config.SANDBOX_STRICTNESS, ...(latencyMs === undefined ? {} : { latencyMs }) },
    faults: command.faults.map((fault) => ({ ...fault, ...(seed === undefined ? {} : { seed }) }) as FaultOrder),
    ...(books === undefined ? {} : { books }),
    // A simulator that loses its records is worse than none.
    onBooksLost: (thrown) => giveUp(thrown instanceof Error ? thrown : new Error(String(thrown))),
    onLine: (line) => logger.debug(line),
  });
  const { base, crm, control } = running;
  ready({ ready: true, base, crm, control });
  await aborted(signal);
  await running.stop();
  return 0;
}

/** The settings that connect relais to the sandbox: for `relais dev` and other trials. */

const { masterKey, privateKey, token, smsUserKey, smsSecretKey, smsAppKey, smsSender } = defaultCredentials;

export const sandboxKeys = {
  SERVICE_MASTER_KEY: masterKey,
  SERVICE_PRIVATE_KEY: privateKey,
  SERVICE_TOKEN: token,
  SMS_USER_KEY: smsUserKey,
  SMS_SECRET_KEY: smsSecretKey,
  SMS_APP_KEY: smsAppKey,
  SMS_SENDER: smsSender,
} as const;
