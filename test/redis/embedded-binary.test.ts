import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findRedisServer, NoRedisServer } from '../../src/redis/embedded.ts';
import { root } from '../tidy/scanner.ts';

let onPath: string;
let cacheDir: string;

beforeEach(() => {
  onPath = mkdtempSync(join(tmpdir(), 'relais-path-'));
  cacheDir = mkdtempSync(join(tmpdir(), 'relais-cache-'));
  vi.stubEnv('PATH', onPath);
});

afterEach(() => {
  vi.unstubAllEnvs();
  for (const dir of [onPath, cacheDir]) rmSync(dir, { recursive: true, force: true });
});

test('the configured program is used, whatever is on PATH', () => {
  program(onPath, 'redis-server');
  const named = program(cacheDir, 'my-redis');
  expect(findRedisServer({ binary: named, cacheDir })).toBe(named);
});

test('a name that is no program is refused rather than replaced', () => {
  program(onPath, 'redis-server');
  expect(() => findRedisServer({ binary: '/nowhere/redis-server', cacheDir })).toThrow(
    /REDIS_SERVER_BIN names \/nowhere\/redis-server/,
  );
});

test('redis-server on PATH comes before valkey-server, and both before the unpacked one', () => {
  const cached = program(cacheDir, 'redis-server');
  expect(findRedisServer({ cacheDir })).toBe(cached);
  const valkey = program(onPath, 'valkey-server');
  expect(findRedisServer({ cacheDir })).toBe(valkey);
  const redis = program(onPath, 'redis-server');
  expect(findRedisServer({ cacheDir })).toBe(redis);
});

test('without any, the error names every way out', () => {
  const find = (): unknown => findRedisServer({ cacheDir });
  expect(find).toThrow(NoRedisServer);
  for (const way of ['script/setup', 'brew install redis', 'docker run', 'REDIS_URL', 'REDIS_SERVER_BIN'])
    expect(find).toThrow(way);
});

function program(dir: string, name: string): string {
  const path = join(dir, name);
  writeFileSync(path, '#!/bin/sh\n');
  chmodSync(path, 0o755);
  return path;
}

test('one that setup unpacked into the project is found there, and named where it is missing', () => {
  const [, cache = ''] = /^readonly CACHE=(\S+)$/m.exec(readFileSync(join(root, 'script/setup'), 'utf8')) ?? [];
  const find = (): string => {
    try {
      return findRedisServer();
    } catch (error) {
      return String(error);
    }
  };
  expect(find()).toContain(join(root, cache, 'redis-server'));
});
