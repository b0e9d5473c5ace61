#!/usr/bin/env node
import { existsSync } from 'node:fs';

const built = new URL('../dist/main.js', import.meta.url);
if (!existsSync(built)) {
  process.stderr.write('relais is not built yet. Run: npm ci && npm run build\n');
  process.exit(1);
}
await import(built.href);
