import { expect, test } from 'vitest';
import { examineConsole } from '../../src/app/examine/console.ts';
import { reworded } from '../support/reworded.ts';

const built = { find: async () => ({ type: '', bytes: Buffer.alloc(0), packed: Buffer.alloc(0), etag: '""' }) };
const unbuilt = { find: async () => undefined };
const here = { CONSOLE: 'on', HOST: '127.0.0.1', API_PORT: 3000 } as const;

test.for([
  ['its address, and that other machines need https', here, built, 'ok', /127\.0\.0\.1:3000\/console.*HTTPS/],
  ['that a port for others needs https before it', { ...here, HOST: '0.0.0.0' }, built, 'ok', /port 3000.*HTTPS/],
  ['how it is built', here, unbuilt, 'skipped', /npm run build/],
  ['that it is off', { ...here, CONSOLE: 'off' }, unbuilt, 'skipped', /CONSOLE=off/],
] as const)('the doctor reports %s', async ([_what, config, files, is, says]) => {
  expect(reworded(await examineConsole(config, files))).toMatchObject([
    { check: 'console', is, says: expect.stringMatching(says) },
  ]);
});
