/** The console's build: hashed file names, no external content, nothing inline, and a limit for the first page. */
import { gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import { defineConfig, type Plugin, type Rolldown } from 'vite';

/** Maximum compressed size of the first page on a phone. */
const FIRST_PAGE_MOST = 130_000;

const SHARED = {
  name: 'shared',
  test: /console\/(parts\/(arrow|figures|reason|rows|state)|asking\/kinds|pages\/approvals-list|words\/states)\.ts/,
};

type Bundle = Rolldown.OutputBundle;

/** The entry, its static imports, and the styles. Pages loaded on demand do not count. */
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

/** A shell with NODE_ENV for other programs would otherwise produce a development build. */
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
  // For development: requests go to RELAIS_URL.
  server: { proxy: { '/v1': process.env['RELAIS_URL'] ?? 'http://127.0.0.1:3000' } },
  build: {
    outDir: fileURLToPath(new URL('../dist/console', import.meta.url)),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // Code of most pages is loaded at once, not in small files that wait for each other.
      output: { codeSplitting: { groups: [SHARED], includeDependenciesRecursively: false } },
      onLog(level, log, tell) {
        // `use client` is for server rendering, which is not used.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') tell(level, log);
      },
    },
  },
});
