import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** What is loaded before a command is known: through imports that are neither dynamic nor of types alone. */
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
  // Thirteen of them are sentences, of both languages.
  expect(files.size).toBeLessThan(45);
});
