import { expect, test } from 'vitest';
import { type SettingDescription, describeSettings } from '../../src/config.ts';
import { expectPage, table } from './page.ts';

const groups = new Map<string, SettingDescription[]>();
for (const setting of describeSettings()) {
  groups.set(setting.group, [...(groups.get(setting.group) ?? []), setting]);
}

test('docs/settings.md says what the schema says', () => {
  const sections = [...groups].map(([group, settings]) => {
    const rows = settings.map(({ name, fallback, help, secret }) => [
      `\`${name}\`${secret ? ' (secret)' : ''}`,
      fallback === undefined ? '' : `\`${fallback}\``,
      help,
    ]);
    return `## ${group}\n\n${table(['name', 'default', 'meaning'], rows)}`;
  });
  expectPage(
    'docs/settings.md',
    `# Which settings are there?

All settings are environment variables. A duration has a unit: \`250ms\`, \`30s\`, \`10m\`, \`24h\`, \`30d\`; a switch is \`on\` or
\`off\`. Every secret may come from a file instead: \`NAME_FILE\` holds its path. A wrong setting stops the start with one
message that lists all that is wrong.

So does a name that looks like one of these and is none: one that begins with \`SERVICE_\`, \`SMS_\`, \`UPSTREAM_\`,
\`DISBURSEMENT_\`, \`MAX_\` or \`RELAIS_\`, or is no more than two letters away from one of them. What Kubernetes tells each
container of its services (\`RELAIS_SERVICE_HOST\`, \`RELAIS_PORT=tcp://…\`) is let be, and so is what the commands read
(\`RELAIS_URL\`, \`RELAIS_API_KEY\`).

A worker needs the three keys of payments or the three of messages, in its settings or in \`ACCOUNTS_FILE\`, and the address
that goes with them; with keys of payments also \`CALLBACK_SECRET\` and, unless the service is on this machine,
\`PUBLIC_URL\`. Files that settings name are read at the start, by each process.

Derived, never set: a worker's lock and a record's lease are twice (\`UPSTREAM_TIMEOUT\` + \`UPSTREAM_CONNECT_TIMEOUT\`), at
least two seconds. A killed worker's operations are taken up again when it ends.

${sections.join('\n\n')}
`,
  );
});

test('.env.example names every setting, each with its default', () => {
  const sections = [...groups].map(([group, settings]) => {
    const lines = settings.map(({ name, fallback, help }) => `# ${help}\n# ${name}=${fallback ?? ''}`);
    return `## ${group}\n\n${lines.join('\n\n')}`;
  });
  const fresh = `# Copy to .env and fill in what you need; everything else has a default. See docs/settings.md.\n\n${sections.join('\n\n')}\n`;
  expectPage('.env.example', fresh);
});

test('no default of a secret is shown', () => {
  expect(describeSettings().filter(({ secret, fallback }) => secret && fallback !== undefined)).toEqual([]);
});
