/** One `relais run` of the tree as it stands, built apart, with V8 counting what runs in it. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Builds into this folder, which has to be below the root so that packages are found from it. The build that stands
 * there for use is left alone: it may be of yesterday.
 */
export async function build(root: string, folder: string): Promise<string> {
  const built = join(folder, 'dist');
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(root, 'package.json'), join(folder, 'package.json'));
  const compile = ['-p', 'tsconfig.build.json', '--outDir', built, '--declaration', 'false'];
  await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), compile, { cwd: root });
  const isSql = (path: string): boolean => path.endsWith('.sql') || !/\.\w+$/.test(path);
  cpSync(join(root, 'src/ledger'), join(built, 'ledger'), { recursive: true, filter: isSql });
  return built;
}

export interface Watched {
  readonly api: string;
  /** Stops it as an operator would, so that it writes down what ran. */
  stop(): Promise<void>;
  /** At once; harmless when it is gone. */
  kill(): void;
}

export interface WatchOptions {
  readonly built: string;
  readonly env: Readonly<Record<string, string>>;
  /** Where V8 writes its report when the process ends. */
  readonly coverage: string;
  /** Told of the process as soon as it is there, so that it can be ended whatever happens. */
  readonly started: (kill: () => void) => void;
}

export async function watch({ built, env, coverage, started }: WatchOptions): Promise<Watched> {
  const child = spawn(process.execPath, [join(built, 'main.js'), 'run'], {
    env: { PATH: process.env['PATH'] ?? '', ...env, NODE_V8_COVERAGE: coverage },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = (): void => void child.kill('SIGKILL');
  started(kill);
  const { api } = await readyLine(child);
  if (api === undefined) throw new Error('relais was ready and named no address of its API');
  const stop = async (): Promise<void> => {
    // One that a signal has ended has no exit code, and says nothing more.
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  return { api, stop, kill };
}

function readyLine(child: ChildProcess): Promise<Readonly<Record<string, string>>> {
  return new Promise((resolve, reject) => {
    let said = '';
    const hear = (data: Buffer): void => {
      said += data.toString();
      const line = said.split('\n').find((one) => one.includes('"ready":true'));
      if (line?.endsWith('}')) resolve(JSON.parse(line));
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`relais ended with ${code}: ${said.slice(-2_000)}`)));
  });
}
