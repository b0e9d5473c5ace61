/** On what it was measured. */
import { execFile } from 'node:child_process';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { promisify } from 'node:util';
import { findRedisServer } from '../../../src/redis/embedded.ts';

const run = promisify(execFile);
const GIB = 2 ** 30;

/** Name and value, in the order they are shown. */
export async function machineOf(): Promise<ReadonlyArray<readonly [string, string]>> {
  const [first] = cpus();
  const redis = await said(findRedisServer({}), '--version');
  const commit = await said('git', 'rev-parse', '--short', 'HEAD');
  const changed = (await said('git', 'status', '--porcelain', '--', 'src')) !== '';
  return [
    ['machine', `${cpus().length} × ${first?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / GIB)} GB`],
    ['system', `${type()} ${release()}`],
    ['Node', process.version],
    ['Redis', /v=(\S+)/.exec(redis)?.[1] ?? 'unknown'],
    ['commit', changed ? `${commit}, with changes` : commit],
    ['load before it began', (loadavg()[0] ?? 0).toFixed(1)],
    ['date', new Date().toISOString().slice(0, 10)],
  ];
}

async function said(program: string, ...args: readonly string[]): Promise<string> {
  try {
    return (await run(program, [...args])).stdout.trim();
  } catch (error) {
    // A source tree without git is measured too.
    if (error instanceof Error) return 'unknown';
    throw error;
  }
}
