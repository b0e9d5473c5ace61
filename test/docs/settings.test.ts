import { expect, test } from 'vitest';
import { type SettingDescription, describeSettings } from '../../src/config.ts';
import { expectPage, table } from './page.ts';

const groups = new Map<string, SettingDescription[]>();
for (const setting of describeSettings()) {
  groups.set(setting.group, [...(groups.get(setting.group) ?? []), setting]);
}

test('docs/settings.md matches the schema', () => {
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
    `# Settings

All settings are environment variables. A duration has a unit: \`250ms\`, \`30s\`, \`10m\`, \`24h\`, \`30d\`. A switch is \`on\` or
\`off\`. Every secret can come from a file instead: \`NAME_FILE\` is its path. An invalid setting stops the start, with one
message that lists all invalid settings.

An unknown name stops the start too if it begins with \`SERVICE_\`, \`SMS_\`, \`UPSTREAM_\`, \`DISBURSEMENT_\`, \`MAX_\` or
\`RELAIS_\`, or differs from a setting by at most two letters. The variables that Kubernetes gives to each container
(\`RELAIS_SERVICE_HOST\`, \`RELAIS_PORT=tcp://…\`) are ignored, and so are those of the commands (\`RELAIS_URL\`, \`RELAIS_API_KEY\`).

A worker needs the three keys of payments or the three of messages, in its settings or in \`ACCOUNTS_FILE\`, and the address
of that interface. With keys of payments it also needs \`CALLBACK_SECRET\` and, unless the provider is on this machine,
\`PUBLIC_URL\`. Each process reads the files that settings name at its start.

The lease of an attempt is not a setting: it is twice (\`UPSTREAM_TIMEOUT\` + \`UPSTREAM_CONNECT_TIMEOUT\`), at least two seconds.

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
