/** Tests run from the sources, so code generated from the routes is written before the first test. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export function setup(): void {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  execFileSync(process.execPath, ['script/generate.ts'], { cwd: root, stdio: 'inherit' });
}
