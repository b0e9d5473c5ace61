/** Redis has taken what was asked for, and its answer is lost: nobody says that nothing was accepted. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keys } from '../../src/operations/keys.ts';
import { type Server, startServer } from '../redis/servers.ts';
import { Link } from '../storm/link.ts';
import { type Service, startService } from '../support/service.ts';

const dir = mkdtempSync(join(tmpdir(), 'relais-lost-answer-'));
let server: Server;
let link: Link;
let service: Service;
beforeAll(async () => {
  server = await startServer({ dir });
  link = await Link.to(server.port);
  service = await startService({ REDIS_URL: `redis://127.0.0.1:${link.port}` }, { roles: ['api'] });
});
afterAll(async () => {
  await service.stop();
  await link.close();
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
});

test('nobody is told that a text was not accepted', async () => {
  // Redis has the script from here on.
  await service.call('POST', '/v1/messages', { body: { to: '+221771000000', text: 'heard of' } });
  const text = 'its answer is lost';
  link.layTrap({ isIt: (asked) => asked.includes(text), when: 'answered', loses: true, spring: () => undefined });
  const { status, body } = await service.call('POST', '/v1/messages', { body: { to: '+221771000001', text } });
  expect([status, body.type.split('/').at(-1)]).toEqual([503, 'unavailable']);
  expect(await server.redis.hget(`{relais}:${keys.counts('message')}`, 'queued')).toBe('2');
  expect(JSON.stringify(body)).not.toContain('Cannot accept requests');
  expect(body.detail).toContain('may have been done');
});
