/** The console as files: names with hashes, nothing of another host, nothing inline, and no first page above its limit. */
import { gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import { defineConfig, type Plugin, type Rolldown } from 'vite';

/** What a telephone has to fetch before it shows anything, packed. */
const FIRST_PAGE_MOST = 130_000;

const SHARED = {
  name: 'shared',
  test: /console\/(parts\/(arrow|figures|reason|rows|state)|asking\/kinds|pages\/approvals-list|words\/states)\.ts/,
};

type Bundle = Rolldown.OutputBundle;

/** The entry, all that it imports at once, and the styles. What a page loads when it is opened does not count. */
function firstPage(bundle: Bundle): readonly string[] {
  const files = new Set<string>();
  const add = (name: string): void => {
    const file = bundle[name];
    if (file === undefined || files.has(name)) return;
    files.add(name);
    if (file.type === 'chunk') file.imports.forEach(add);
  };
  for (const [name, file] of Object.entries(bundle)) {
    const isFirst = file.type === 'chunk' ? file.isEntry : /\.(css|html)$/.test(name);
    if (isFirst) add(name);
  }
  return [...files];
}

function packed(bundle: Bundle, name: string): number {
  const file = bundle[name];
  if (file === undefined) return 0;
  return gzipSync(file.type === 'chunk' ? file.code : file.source).length;
}

const limitFirstPage: Plugin = {
  name: 'limit-first-page',
  enforce: 'post',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      const size = firstPage(bundle).reduce((sum, name) => sum + packed(bundle, name), 0);
      const told = `the first page of the console: ${size} bytes packed, of ${FIRST_PAGE_MOST}`;
      if (size > FIRST_PAGE_MOST) this.error(told);
      this.info(told);
    },
  },
};

/** A shell that sets NODE_ENV for its own programs would build the console as developers have it. */
const asShipped: Plugin = {
  name: 'as-shipped',
  apply: 'build',
  config() {
    process.env['NODE_ENV'] = 'production';
  },
};

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/console/',
  publicDir: false,
  clearScreen: false,
  logLevel: 'info',
  plugins: [asShipped, tailwindcss(), limitFirstPage],
  // Where pages are written: they ask the relais of RELAIS_URL.
  server: { proxy: { '/v1': process.env['RELAIS_URL'] ?? 'http://127.0.0.1:3000' } },
  build: {
    outDir: fileURLToPath(new URL('../dist/console', import.meta.url)),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // What most pages are made of comes at once, and not in small files that wait for each other.
      output: { codeSplitting: { groups: [SHARED], includeDependenciesRecursively: false } },
      onLog(level, log, tell) {
        // `use client` is a word to a server that renders: there is none here.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') tell(level, log);
      },
    },
  },
});
