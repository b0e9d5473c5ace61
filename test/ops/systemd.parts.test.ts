/** The unit, checked by systemd. */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SHIPPED_ENV } from '../../script/shipped.ts';
import { timingOf } from '../../src/app/container.ts';
import { roles } from '../../src/cli/io.ts';
import { describeSettings, loadConfig } from '../../src/config.ts';
import { OPS } from './rules-files.ts';

const UNIT = new URL('systemd/relais@.service', OPS);
const unit = readFileSync(UNIT, 'utf8');
const valueOf = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';

const missing = spawnSync('systemd-analyze', ['--version']).error ? 'skipped: no systemd-analyze here' : undefined;
if (missing) console.warn(missing);

test('the unit gives longer to stop than it takes to drain, and names settings that there are', () => {
  const config = loadConfig({});
  const exchangeMs = config.UPSTREAM_TIMEOUT + config.UPSTREAM_CONNECT_TIMEOUT;
  expect(Number(valueOf('TimeoutStopSec')) * 1_000).toBeGreaterThan(timingOf(config).drainMs + exchangeMs);
  const names = new Set(['NODE_ENV', ...Object.keys(SHIPPED_ENV), ...describeSettings().map(({ name }) => name)]);
  for (const [, name = ''] of unit.matchAll(/^Environment=(\w+)=/gm)) expect(names).toContain(name);
});

describe.skipIf(missing)('systemd', () => {
  /** systemd's messages about the unit, changed or not, for each role. */
  function verified(change: (text: string) => string): string {
    const folder = mkdtempSync(join(tmpdir(), 'relais-unit-'));
    try {
      const files = roles.map((role) => join(folder, `relais@${role}.service`));
      for (const file of files) writeFileSync(file, change(unit).replaceAll('/usr/bin/node', process.execPath));
      const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...files], { encoding: 'utf8' });
      return stdout + stderr;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  test('understands every line, for any role', () => {
    expect(verified((text) => text)).toBe('');
  });

  test('does not understand a line that is misspelt', () => {
    const wrong = verified((text) => text.replace('ProtectHome=', 'ProtectHouse='));
    expect(wrong).toContain('ProtectHouse');
  });

  test('finds little that a process could do beyond its work', () => {
    const folder = mkdtempSync(join(tmpdir(), 'relais-unit-'));
    try {
      const file = join(folder, 'relais@worker.service');
      copyFileSync(UNIT, file);
      const args = ['security', '--offline=true', '--threshold=15', file];
      const said = execFileSync('systemd-analyze', args, { encoding: 'utf8' });
      expect(said).toMatch(/Overall exposure level for \S+: 1\.\d OK/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
