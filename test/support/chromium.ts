/** A real Chromium from npm, with its bundled libraries and font. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';

/** Unpacked once and stored: two hundred megabytes in three seconds. */
const PLACE = fileURLToPath(new URL('../../.relais/chromium', import.meta.url));

const PROGRAM = join(PLACE, 'chromium');

const FONTS = join(PLACE, 'fonts.conf');
/** A single font, so that a page looks equal on every machine, including those without fonts. */
const ONE_FONT = `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<dir>${PLACE}/fonts/fonts</dir><cachedir>${PLACE}/fonts-cache</cachedir></fontconfig>`;

/**
 * Its package takes an existing file for complete, so it is unpacked elsewhere first: two stories may start at once,
 * and one may be interrupted.
 */
async function unpacked(): Promise<void> {
  if (existsSync(PROGRAM)) return;
  mkdirSync(dirname(PLACE), { recursive: true });
  const own = mkdtempSync(`${PLACE}-`);
  try {
    await unpackInto(own);
    renameSync(own, PLACE);
  } catch (error) {
    // Another process was first.
    if (!existsSync(PROGRAM)) throw error;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

/** Environment variables of its package, set only while it reads them: our own processes do not get them. */
async function unpackInto(folder: string): Promise<void> {
  const before = { ...process.env };
  // In an environment without libraries it unpacks them.
  Object.assign(process.env, { TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' });
  try {
    await (await import('@sparticuz/chromium')).default.executablePath();
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

export async function openBrowser(): Promise<Browser> {
  await unpacked();
  writeFileSync(FONTS, ONE_FONT);
  return chromium.launch({
    executablePath: PROGRAM,
    // As on a desktop: without the package's arguments, which disable browser protections.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
    env: { ...process.env, LD_LIBRARY_PATH: join(PLACE, 'al2023', 'lib'), FONTCONFIG_FILE: FONTS },
  });
}
