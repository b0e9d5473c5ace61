import { expect, test } from 'vitest';
import { devScreen } from '../../src/app/dev-screen.ts';
import { languages, wordsIn } from '../../src/words/languages.ts';

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
  expect(screen).not.toContain('PostgreSQL');
  expect(Math.max(...screen.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
});

test('dev --history shows its PostgreSQL too', () => {
  const history = 'postgres://relais@127.0.0.1:5555/relais';
  expect(devScreen({ ...urls, history }, wordsIn('en').dev)).toContain(history);
});
