import { defineConfig } from 'vitest/config';
import { LongFirst } from './test/support/long-first.ts';

// The tests start our sources as they are, and an older Node.js does not know what to do with them.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  throw new Error(`The tests need Node.js 22.19, and this is ${process.versions.node}: ./script/setup brings one`);
}

const STORM = 'test/stories/storm.test.ts';
const PATIENCE_MS = 120_000;
const LIMIT_MS = 300_000;
/** Limits only end a test that hangs, so that the suite passes while other work keeps both cores busy. */
const patient = {
  setupFiles: ['test/support/patience.ts'],
  expect: { poll: { timeout: PATIENCE_MS } },
  testTimeout: LIMIT_MS,
  hookTimeout: LIMIT_MS,
  // A test that fails once is a defect: none is tried again.
  retry: 0,
};

/**
 * unit: no Redis, no network, no waiting. parts: one real part (Redis, a socket) under test, from the sources.
 * stories: whole processes, started as a user starts them, so they need `npm run build` first. storm: the longest of them.
 */
export default defineConfig({
  test: {
    globalSetup: ['test/support/generated-code.ts'],
    sequence: { sequencer: LongFirst },
    projects: [
      {
        test: {
          ...patient,
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.parts.test.ts', 'test/stories/**'],
          // No module keeps anything that a test could see, so the files of a worker share them: to load the tree for
          // each of them was more than half of the work.
          isolate: false,
        },
      },
      {
        test: {
          ...patient,
          name: 'parts',
          include: ['test/**/*.parts.test.ts'],
          globalSetup: ['test/support/redis-for-tests.ts', 'test/support/postgres-for-tests.ts'],
          // These mostly wait for servers, so more of them at once than there are cores.
          maxWorkers: 4,
          // As of the unit tests: a shared module opens nothing when it is loaded.
          isolate: false,
        },
      },
      {
        test: {
          ...patient,
          name: 'stories',
          include: ['test/stories/**/*.test.ts'],
          exclude: [STORM],
          // Each has processes and a Redis of its own, and waits for them more than half of the time.
          maxWorkers: 3,
          isolate: false,
          // After the parts, where both are asked for: no group has two numbers of workers.
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...patient,
          name: 'storm',
          include: [STORM],
          // Alone on the machine: a process that starts beside other work is killed again before it is up.
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
