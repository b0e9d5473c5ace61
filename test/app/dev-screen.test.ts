import { expect, test } from 'vitest';
import { devScreen } from '../../src/app/dev-screen.ts';
import { languages, wordsIn } from '../../src/messages/languages.ts';

const urls = {
  api: 'http://127.0.0.1:3000',
  control: 'http://127.0.0.1:4012',
  redis: 'redis://127.0.0.1:6399',
  metrics: 'http://127.0.0.1:9100',
};

test.for(languages)('dev shows console, keys, API, sandbox, Redis and metrics, each on a line (%s)', (language) => {
  const screen = devScreen(urls, wordsIn(language).dev);
  for (const address of ['http://127.0.0.1:3000/console/', ...Object.values(urls), 'Ctrl-C'])
    expect(screen).toContain(address);
  expect(Math.max(...screen.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
});
