/** Run by ./script/generate. It must not import a generated file, even indirectly: a fresh clone has none. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeDocument } from '../src/api/openapi/document.ts';
import { routes } from '../src/api/routes.ts';
import { clientPage } from './client-types.ts';
import { commandsPage } from './commands.ts';

const generated = {
  'src/client/generated/api.ts': await clientPage(makeDocument(routes)),
  'src/cli/generated/commands.ts': commandsPage(routes),
};

for (const [path, text] of Object.entries(generated)) {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
  if (textOf(file) === text) continue;
  mkdirSync(dirname(file), { recursive: true });
  replace(file, text);
  console.log(`generated ${path}`);
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Replaced atomically: a compiler or a test may be reading it. */
function replace(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, text);
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}
