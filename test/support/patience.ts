/**
 * Waits end when the awaited fact is true. The limit only ends a hanging test, so it is long and equal everywhere: a
 * short one would measure the machine.
 */
import { vi } from 'vitest';

export const PATIENCE_MS = 120_000;

type Options = Parameters<typeof vi.waitFor>[1];

const { waitFor, waitUntil } = vi;
const patient = (options: Options) => ({
  ...(typeof options === 'object' ? options : {}),
  timeout: Math.max(PATIENCE_MS, (typeof options === 'number' ? options : options?.timeout) ?? 0),
});

vi.waitFor = (callback, options) => waitFor(callback, patient(options));
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options));
