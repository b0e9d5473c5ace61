/**
 * npm's `prepare`: builds what an installation from git needs. A production installation has neither sources nor a
 * compiler and is left in peace.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const inProject = (/** @type {string} */ path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const compiler = inProject('node_modules/typescript/bin/tsc');

if (existsSync(compiler) && existsSync(inProject('src/main.ts'))) {
  const built = spawnSync(process.execPath, [compiler, '-p', inProject('tsconfig.build.json')], { stdio: 'inherit' });
  process.exitCode = built.status ?? 1;
}
