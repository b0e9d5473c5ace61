import type { Command } from 'commander';
import { withExample } from './flags.ts';
import type { Shell } from './shell.ts';

interface RecoverFlags {
  readonly newStamp: true;
  readonly yes?: true;
}

/**
 * A process with another address of the service does not start, so none can be asked over HTTP to accept it: this works
 * on Redis itself, with the settings of that process.
 */
export function addRecoverCommand(program: Command, shell: Shell): void {
  const { newStamp } = shell.io.services;
  if (newStamp === undefined) return;
  const command = program
    .command('recover')
    .description('Go on with the keys in Redis after a change that keeps processes from starting')
    .requiredOption(
      '--new-stamp',
      'the service has moved: SERVICE_BASE_URL and SERVICE_CRM_URL are its new addresses',
    )
    .option('--yes', 'do not ask on a terminal')
    .action(
      shell.action(({ yes }: RecoverFlags) =>
        newStamp({
          confirmed: (differs) => shell.confirmed(`${differs} Is it the same service that has moved?`, yes),
        }),
      ),
    );
  withExample(command, 'RELAIS_API_KEY=… relais recover --new-stamp');
}
