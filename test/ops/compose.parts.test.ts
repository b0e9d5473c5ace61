/** The compose file as docker-compose itself parses it, if it is installed. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

const ROOT = new URL('../../', import.meta.url);
const written = parse(readFileSync(new URL('docker-compose.yml', ROOT), 'utf8'), { merge: true }) as {
  readonly services: Readonly<Record<string, { readonly ports?: readonly string[] }>>;
};

const absent = spawnSync('docker-compose', ['version']).error ? 'skipped: no docker-compose here' : undefined;
if (absent) console.warn(absent);

describe.skipIf(absent)('docker-compose itself', () => {
  const config = (...args: readonly string[]) =>
    // Of a folder without .env.
    spawnSync(
      'docker-compose',
      ['--project-directory', 'test', '-f', fileURLToPath(new URL('docker-compose.yml', ROOT)), ...args],
      {
        cwd: fileURLToPath(ROOT),
        env: { PATH: process.env['PATH'] },
        encoding: 'utf8',
      },
    );

  test('accepts the file unchanged, without a secret and without a message', () => {
    const { status, stderr } = config('config', '--quiet');
    expect([status, stderr]).toEqual([0, '']);
  });

  test('parses it like we do', () => {
    const { services: known } = parse(config('--profile', 'grafana', 'config').stdout) as typeof written;
    expect(Object.keys(known).toSorted()).toEqual(Object.keys(written.services).toSorted());
    expect(known['api']?.ports).toEqual(['127.0.0.1:3000:3000/tcp']);
  });
});
