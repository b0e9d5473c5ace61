/** Whether this process serves the console, and what users need to reach it. */
import type { ConsoleFiles } from '../../api/console-files.ts';
import type { Config } from '../../config.ts';
import { isLoopbackHost } from '../../events/outgoing/endpoint.ts';
import { message } from '../../messages/message.ts';
import { type Finding, ok, skipped } from './finding.ts';

export async function examineConsole(
  { CONSOLE, HOST, API_PORT }: Pick<Config, 'CONSOLE' | 'HOST' | 'API_PORT'>,
  files: ConsoleFiles,
): Promise<readonly Finding[]> {
  if (CONSOLE === 'off') return [skipped('console', message('console_off'))];
  if (!(await files.find('index.html'))) return [skipped('console', message('console_not_built'))];
  const says = isLoopbackHost(HOST)
    ? message('console_at', { host: HOST, port: API_PORT })
    : message('console_behind', {
        port: API_PORT,
      });
  return [ok('console', says)];
}
