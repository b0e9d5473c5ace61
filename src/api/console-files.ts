/** The built console: files without secrets, for every client of this port. */
import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { RequestHandler, Response } from 'express';
import { ApiProblem } from './problem.ts';
import { etagOf, sendUnlessKnown } from './shared-answer.ts';
import { message } from '../messages/message.ts';

interface ConsoleFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly packed: Buffer;
  /** ETag of `bytes`; `packed` has a different one. */
  readonly etag: string;
}

export interface ConsoleFiles {
  /** By the path after `/console/`. Undefined: no such file. */
  find(path: string): Promise<ConsoleFile | undefined>;
}

/** Receives browser reports of blocked content; a part is counted and logged. */
export const REPORTS = '/v1/console-reports';

export interface Violation {
  /** The category in the metrics. */
  readonly about: 'script' | 'style' | 'connect' | 'frame' | 'other';
  /** The name of the policy's directive. */
  readonly directive: string;
  /** `inline`, `eval` and the like, or an origin: never a whole address. */
  readonly blocked: string;
  /** The path of the page, without its query. */
  readonly page: string;
}

const INDEX = 'index.html';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};

const pack = promisify(gzip);

/** Read once the files exist and cached: requests look up files in memory, never on the disk. */
export function consoleFilesIn(folder: URL): ConsoleFiles {
  let reading: Promise<ReadonlyMap<string, ConsoleFile>> | undefined;
  const read = async (): Promise<ReadonlyMap<string, ConsoleFile>> => {
    const all = await readAll(folder);
    if (!all.has(INDEX)) reading = undefined;
    return all;
  };
  return { find: async (path) => (await (reading ??= read())).get(path) };
}

async function readAll(folder: URL): Promise<ReadonlyMap<string, ConsoleFile>> {
  const names = await readdir(folder, { recursive: true }).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  });
  const known = names.filter((name) => Object.hasOwn(TYPES, extname(name)));
  const files = known.map(async (name): Promise<[string, ConsoleFile]> => {
    const bytes = await readFile(new URL(name, folder));
    const type = TYPES[extname(name)] ?? '';
    return [
      name.replaceAll('\\', '/'),
      { type, bytes, packed: await pack(bytes, { level: 9 }), etag: etagOf(bytes) },
    ];
  });
  return new Map(await Promise.all(files));
}

/** No external or inline script, style, image or font, and no frame around the page. */
const POLICY = [
  "default-src 'self'",
  "base-uri 'none'",
  "object-src 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
  `report-uri ${REPORTS}`,
  'report-to console',
].join('; ');

const HEADERS = {
  'Content-Security-Policy': POLICY,
  'Reporting-Endpoints': `console="${REPORTS}"`,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
} as const;

/** The build's folder of assets; no page has this name. */
const ASSETS = 'assets/';
const FOREVER = 'public, max-age=31536000, immutable';
/** A hash in the name, from the build: other content has another name. */
const HASHED = /-[\w-]{8,}\.\w+$/;

const NOT_BUILT = `<!doctype html><html lang="en"><title>relais</title><h1>The console has not been built</h1>
<p>Run <code>npm run build</code> in the folder of relais, then load this page again. A package of relais that was
installed has it already. <code>CONSOLE=off</code> switches it off.</p>`;

/** Mounted at `/console`. */
export function serveConsole(files: ConsoleFiles): RequestHandler {
  return async (request, response, next) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return next();
    response.set(HEADERS);
    const name = request.path.slice(1);
    const named = await files.find(name);
    // Every other path is a page, which the console resolves itself: an id in it may contain a dot.
    const isAsset = name.startsWith(ASSETS);
    const isOpened = request.get('sec-fetch-dest') === 'document' && named === undefined && !isAsset;
    const isPage = isOpened || extname(name) === '' || name === INDEX;
    const file = isPage ? await files.find(INDEX) : named;
    if (file) return send(response, file, isPage ? 'no-store' : HASHED.test(name) ? FOREVER : 'no-cache');
    if (isPage) return void response.status(503).type('html').send(NOT_BUILT);
    response.set('Connection', 'close');
    throw new ApiProblem('not-found', message('console_file_not_found'));
  };
}

function send(response: Response, { type, bytes, packed, etag }: ConsoleFile, cache: string): void {
  const isPacked = response.req.acceptsEncodings('gzip', 'identity') === 'gzip';
  response.set({ 'Content-Type': type, 'Cache-Control': cache, Vary: 'Accept-Encoding' });
  if (isPacked) response.set('Content-Encoding', 'gzip');
  response.set('ETag', isPacked ? etag.replace(/"$/, '-gzip"') : etag);
  sendUnlessKnown(response.req, response, isPacked ? packed : bytes);
}
