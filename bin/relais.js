#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs';

// First, and in words that an old one understands: what follows would be a SyntaxError to it.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    'relais needs Node.js 22.19 or newer, and this is ' +
      process.versions.node +
      ' (' +
      process.execPath +
      ').\n' +
      'Get a newer one from https://nodejs.org, or choose it: nvm install 24\n' +
      'In a clone of relais, script/setup has brought one for that folder: npx node bin/relais.js …\n',
  );
  process.exit(1);
}

// All the rest would be loaded for one line.
if (process.argv.length === 3 && ['--version', '-V'].includes(process.argv[2])) {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  process.stdout.write(version + '\n');
  process.exit(0);
}

const built = new URL('../dist/main.js', import.meta.url);
if (!existsSync(built)) {
  process.stderr.write('relais is not built yet. Run: npm ci && npm run build\n');
  process.exit(1);
}
await import(built.href);
