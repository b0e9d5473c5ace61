/** `relais migrate`: updates the ledger's schema without starting a process of the deployment. */
import type { MigrateCommand } from '../cli/io.ts';
import { WrongSettings, loadConfig, missingDatabase, settingProblem } from '../config.ts';
import { message } from '../messages/message.ts';
import { withClient } from '../ledger/client.ts';
import { whyUnusable } from '../ledger/diagnostics.ts';
import { MigrationRefused, migrate } from '../ledger/migrate.ts';
import { makeRoles, roleNames, rolesScript } from '../ledger/roles.ts';
import { databaseOf } from './stores.ts';

interface MigrateTools extends MigrateCommand {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly print: (line: string) => void;
}

/** Throws `WrongSettings` if PostgreSQL cannot be used, or has the schema of a newer version. */
export async function migrateLedger({ env, dryRun, roles, json, words, print }: MigrateTools): Promise<0> {
  const config = loadConfig(env, missingDatabase);
  const { DATABASE_SCHEMA: schema } = config;
  const at = databaseOf(config);
  if (dryRun && roles) {
    const script = rolesScript(schema);
    print(json ? JSON.stringify({ schema, script }) : script);
    return 0;
  }
  try {
    await withClient(at, 'migrate', async (client) => {
      const names = await migrate(client, { schema, dryRun });
      if (roles) await makeRoles(client, schema);
      if (json) {
        print(
          JSON.stringify({ schema, [dryRun ? 'missing' : 'applied']: names, roles: roles ? roleNames(schema) : [] }),
        );
        return;
      }
      for (const name of names) print(dryRun ? words.missing(name) : words.applied(name));
      if (names.length === 0) print(words.upToDate(schema));
      if (roles) print(words.roles(schema));
    });
    return 0;
  } catch (error) {
    const why = whyUnusable(error);
    const problem = error instanceof MigrationRefused ? error.said : why && message('other', { text: why });
    if (!problem) throw error;
    throw new WrongSettings([settingProblem('DATABASE_URL', problem)]);
  }
}
