/**
 * npm's `prepare`: builds what an installation from git needs. A production installation has neither sources nor a
 * compiler and is left in peace.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folderOfNode } from './node.mjs';

const inProject = (/** @type {string} */ path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const compiler = inProject('node_modules/typescript/bin/tsc');

if (existsSync(compiler) && existsSync(inProject('src/main.ts'))) {
  // Where the machine's Node.js is too old, npx finds the one that is brought here.
  const folder = folderOfNode(undefined);
  const node = folder === '' ? process.execPath : join(folder, 'node');
  const pages = [inProject('node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn', '--config'];
  const steps = [
    [compiler, '-p', inProject('tsconfig.build.json')],
    [inProject('script/copy-sql.mjs')],
    [...pages, inProject('console/vite.config.ts')],
  ];
  const failed = steps.find((step) => spawnSync(node, step, { stdio: 'inherit' }).status !== 0);
  process.exitCode = failed ? 1 : 0;
}
