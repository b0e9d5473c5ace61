/** Whether people find a console here, and what they need to reach it. */
import type { ConsoleFiles } from '../../api/console-files.ts';
import type { Config } from '../../config.ts';
import { isLoopbackHost } from '../../events/outgoing/endpoint.ts';
import { said } from '../../messages/said.ts';
import { type Finding, ok, skipped } from './finding.ts';

export async function examineConsole(
  { CONSOLE, HOST, API_PORT }: Pick<Config, 'CONSOLE' | 'HOST' | 'API_PORT'>,
  files: ConsoleFiles,
): Promise<readonly Finding[]> {
  if (CONSOLE === 'off') return [skipped('console', 'CONSOLE=off')];
  if (!(await files.find('index.html'))) return [skipped('console', 'has not been built: npm run build')];
  const says = isLoopbackHost(HOST)
    ? said(
        'http://{host}:{port}/console, on this machine; other machines need HTTPS in front of it (docs/console-sessions.md)',
        { host: HOST, port: API_PORT },
      )
    : said('at /console on port {port}; it needs HTTPS in front of it (docs/console-sessions.md)', {
        port: API_PORT,
      });
  return [ok('console', says)];
}
