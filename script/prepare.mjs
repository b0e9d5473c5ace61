/**
 * npm's `prepare`: builds what an installation from git needs. A production installation has neither sources nor a
 * compiler and is skipped.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { folderOfNode } from './node.mjs';

const inProject = (/** @type {string} */ path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

if (existsSync(inProject('node_modules/typescript/bin/tsc')) && existsSync(inProject('src/main.ts'))) {
  // If the machine's Node.js is too old, npm uses the one installed here.
  folderOfNode(undefined);
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: inProject(''), stdio: 'inherit' });
  process.exitCode = status === 0 ? 0 : 1;
}
