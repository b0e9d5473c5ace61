import { once } from 'node:events';
import { request as ask } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expect, test } from 'vitest';
import { sendSkipped } from '../../src/api/campaign-upload.ts';
import type { Check } from '../../src/campaigns/check/check-recipients.ts';
import type { CheckedRow } from '../../src/campaigns/check/report.ts';

/** Files without a valid recipient, longer than the buffer, and whether they were released. */
function longCheck(): { readonly check: Check; readonly isOver: () => boolean } {
  let isOver = false;
  async function* rows(): AsyncGenerator<CheckedRow, void, undefined> {
    try {
      const cells = ['x'.repeat(50_000)];
      for (let row = 2; row < 60; row += 1) yield { is: 'skipped', row, to: 'x', reason: 'not_a_number', cells };
    } finally {
      isOver = true;
    }
  }
  const summary = (): never => {
    throw new Error('nobody asks for it');
  };
  return {
    check: Object.assign(rows(), { columns: () => ['numero'], own: () => [], summary }),
    isOver: () => isOver,
  };
}

test('a file whose asker hung up while it was judged is given back', async () => {
  const { check, isOver } = longCheck();
  const app = express();
  const answered = new Promise<void>((resolve, reject) => {
    app.get('/', async (request, response) => {
      asking.destroy();
      await once(response, 'close');
      sendSkipped(check, request, response).then(resolve, reject);
    });
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asking = ask({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  asking.on('error', () => undefined).end();
  await answered;
  expect(isOver()).toBe(true);
  server.close();
});
