import { defineConfig } from 'vitest/config';

/**
 * unit: no Redis, no network, no waiting. parts: one real part (Redis, a socket) under test, from the sources.
 * stories: whole processes, started as a user starts them, so they need `npm run build` first.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.parts.test.ts', 'test/stories/**'],
        },
      },
      {
        test: {
          name: 'parts',
          include: ['test/**/*.parts.test.ts'],
          globalSetup: ['test/support/redis-for-tests.ts'],
          // These mostly wait for servers, so more of them at once than there are cores.
          maxWorkers: 4,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'stories',
          include: ['test/stories/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
