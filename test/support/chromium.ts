/** A real Chromium, the one that npm carries, with the libraries and the font that it brings. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';

/** Unpacked once and kept: two hundred megabytes in three seconds. */
const PLACE = fileURLToPath(new URL('../../.relais/chromium', import.meta.url));

/** Where its package believes to run in a place that has no libraries, it brings them. */
const UNPACKS = { TMPDIR: PLACE, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' };

const FONTS = join(PLACE, 'fonts.conf');
/** One font, whatever the machine has: a page looks everywhere alike, and on a machine without fonts too. */
const ONE_FONT = `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<dir>${PLACE}/fonts/fonts</dir><cachedir>${PLACE}/fonts-cache</cachedir></fontconfig>`;

/** What its package reads from the environment, for as long as it reads it: our own processes are not told. */
async function unpacked(): Promise<string> {
  const before = { ...process.env };
  Object.assign(process.env, UNPACKS);
  try {
    return await (await import('@sparticuz/chromium')).default.executablePath();
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

export async function openBrowser(): Promise<Browser> {
  mkdirSync(PLACE, { recursive: true });
  writeFileSync(FONTS, ONE_FONT);
  return chromium.launch({
    executablePath: await unpacked(),
    // As on a desk: not the arguments of its package, which switch off what a browser guards.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
    env: { ...process.env, LD_LIBRARY_PATH: join(PLACE, 'al2023', 'lib'), FONTCONFIG_FILE: FONTS },
  });
}
