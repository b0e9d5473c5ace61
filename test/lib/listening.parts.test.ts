import { createServer } from 'node:net';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { freePort } from '../../src/lib/listening.ts';

/** Draws these in order. */
function drawing(...fractions: number[]) {
  return { hex: () => '', fraction: () => fractions.shift() ?? 0.999 };
}

test('a free port is below those of outgoing connections, and never has a listener', async () => {
  const port = await freePort(drawing(0.5));
  expect(port).toBeGreaterThanOrEqual(10_240);
  expect(port).toBeLessThan(22_000);
  const taken = createServer().listen(port, '127.0.0.1');
  await once(taken, 'listening');
  expect(await freePort(drawing(0.5, 0.5, 0.25))).not.toBe(port);
  taken.close();
});
