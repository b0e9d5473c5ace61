/** Copies the ledger's SQL next to the compiled code: the compiler handles only TypeScript. */
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const inProject = (/** @type {string} */ path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const to = inProject('dist/ledger');

for (const folder of ['migrations', 'statements']) {
  rmSync(`${to}/${folder}`, { recursive: true, force: true });
  cpSync(inProject(`src/ledger/${folder}`), `${to}/${folder}`, { recursive: true });
}
for (const file of readdirSync(inProject('src/ledger')).filter((name) => name.endsWith('.sql'))) {
  cpSync(inProject(`src/ledger/${file}`), `${to}/${file}`);
}
