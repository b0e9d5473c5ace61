import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** Code loaded before a command is known: static imports except types. */
function loadedBy(entry: URL): { readonly packages: Set<string>; readonly files: Set<string> } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (url: URL): void => {
    if (files.has(url.href)) return;
    files.add(url.href);
    const imports = readFileSync(url, 'utf8').matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)'/gm);
    for (const [, from = ''] of imports) {
      if (from.startsWith('.')) visit(new URL(from, url));
      else if (!from.startsWith('node:')) packages.add(from);
    }
  };
  visit(entry);
  return { packages, files };
}

test('a version, a help and a command that is made from a route load neither a server nor a queue nor a schema', () => {
  const { packages, files } = loadedBy(new URL('../../src/main.ts', import.meta.url));
  expect([...packages]).toEqual(['commander']);
  // Half of them are texts, of both languages.
  expect(files.size).toBeLessThan(62);
});

test('the version alone loads nothing of relais, not even its build', () => {
  const dir = mkdtempSync(join(tmpdir(), 'relais-version-'));
  try {
    for (const name of ['bin', 'package.json']) {
      cpSync(fileURLToPath(new URL(`../../${name}`, import.meta.url)), join(dir, name), { recursive: true });
    }
    const said = execFileSync(process.execPath, [join(dir, 'bin', 'relais.js'), '--version'], { encoding: 'utf8' });
    expect(said).toMatch(/^\d+\.\d+\.\d+\n$/);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('requests to the API use only Node itself', () => {
  const { packages } = loadedBy(new URL('../../src/cli/client.ts', import.meta.url));
  expect([...packages]).toEqual([]);
  expect(readFileSync(new URL('../../src/cli/line.ts', import.meta.url), 'utf8')).not.toContain('undici');
});
