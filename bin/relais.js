#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// An old Node.js must be able to read this file: it only finds a newer one, or says what is missing.
const [major, minor] = process.versions.node.split('.').map(Number);
const isTooOld = major < 22 || (major === 22 && minor < 19);
const inProject = (path) => fileURLToPath(new URL('../' + path, import.meta.url));

if (isTooOld) {
  const node = nodeOfSetup();
  if (node === undefined) fail();
  else runWith(node);
} else if (process.argv.length === 3 && ['--version', '-V'].includes(process.argv[2])) {
  // Nothing else is loaded for one line.
  const { version } = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));
  process.stdout.write(version + '\n');
} else if (existsSync(inProject('dist/main.js'))) {
  await import(new URL('../dist/main.js', import.meta.url).href);
} else {
  process.stderr.write('relais is not built yet. Run: ./script/setup\n');
  process.exit(1);
}

/** The newest Node.js that script/setup has unpacked for this folder. */
function nodeOfSetup() {
  const folder = inProject('.relais');
  if (!existsSync(folder)) return undefined;
  return readdirSync(folder)
    .filter((name) => /^node-\d+\.\d+\.\d+$/.test(name))
    .sort((one, other) => other.localeCompare(one, 'en', { numeric: true }))
    .map((name) => folder + '/' + name + '/bin/node')
    .find((program) => existsSync(program));
}

/** Runs this file with another Node.js, which trusts the certificates of the system as a Node.js of the system does. */
function runWith(node) {
  const env = { ...process.env, NODE_USE_SYSTEM_CA: '1' };
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit', env });
  // Ctrl-C reaches both from the terminal; a second SIGINT would end the child at once.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'));
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function fail() {
  process.stderr.write(
    'relais needs Node.js 22.19 or newer, and this is ' +
      process.versions.node +
      ' (' +
      process.execPath +
      ').\n' +
      'In a clone of relais, run ./script/setup: it brings a newer one for that folder.\n' +
      'Elsewhere, get it from https://nodejs.org, or choose it: nvm install 24\n',
  );
  process.exit(1);
}
