/** relais as a separate process, from the sources: its output is an operator's log. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

export interface RelaisProcess {
  readonly urls: Readonly<Record<string, string>>;
  readonly pid: number;
  /** Everything written so far to both streams. */
  written(): string;
  stop(): Promise<void>;
}

/** `onWritten` receives everything written so far, at each output. */
export async function startRelais(
  env: Readonly<Record<string, string>>,
  roles: string,
  onWritten?: (written: string) => void,
): Promise<RelaisProcess> {
  return spawnRelais(env, roles, onWritten).ready;
}

export interface StartingRelais {
  /** Rejects if it ends before. */
  readonly ready: Promise<RelaisProcess>;
  readonly pid: number;
  written(): string;
  /** Its status, after it has ended. */
  readonly ended: Promise<number | null>;
}

/** For tests that read its output during the start. */
export function spawnRelais(
  env: Readonly<Record<string, string>>,
  roles: string,
  onWritten: (written: string) => void = () => undefined,
): StartingRelais {
  const child = spawn(process.execPath, [MAIN, 'run', '--roles', roles], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let written = '';
  const ready = new Promise<Record<string, string>>((resolve, reject) => {
    child.stdout.on('data', (data: Buffer) => {
      written += data.toString();
      const line = written.split('\n').find((one) => one.includes('"ready":true'));
      if (line) resolve(JSON.parse(line) as Record<string, string>);
    });
    child.stderr.on('data', (data: Buffer) => {
      written += data.toString();
      onWritten(written);
    });
    child.on('exit', (code) => reject(new Error(`relais ended with ${code}: ${written.slice(-2_000)}`)));
  });
  const pid = child.pid ?? 0;
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return {
    ready: ready.then((urls) => ({ urls, pid, written: () => written, stop })),
    pid,
    written: () => written,
    ended: once(child, 'exit').then(([status]) => status as number | null),
  };
}
