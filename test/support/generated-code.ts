/** Tests run from the sources, so what follows from the routes is written before the first of them. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export function setup(): void {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  execFileSync(process.execPath, ['script/generate.ts'], { cwd: root, stdio: 'inherit' });
}
