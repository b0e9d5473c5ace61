import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { takeBackAt, Truths } from './truths.ts';

const none = new Map<string, number>();

test('a success that is taken back is posted once', () => {
  const truths = new Truths();
  truths.takeBack('t1', 'dsb_1', 500);
  expect(truths.unposted(none)).toEqual([['t1', 500]]);
  truths.posted('t1');
  expect(truths.unposted(none)).toEqual([]);
  expect(truths.takenBack).toEqual(['dsb_1']);
});

test('a success that ended a lie and is taken back later is posted again', () => {
  const truths = new Truths();
  const lies = new Map([['t1', 200]]);
  truths.posted('t1');
  expect(truths.unposted(lies)).toEqual([]);
  truths.takeBack('t1', 'dsb_1', 900);
  expect(truths.unposted(lies)).toEqual([['t1', 900]]);
});

test('what was posted to a world that is gone is posted to the next one', () => {
  const truths = new Truths();
  truths.takeBack('t1', 'dsb_1', 900);
  truths.posted('t1');
  truths.forgetPosted();
  expect(truths.unposted(new Map([['t2', 100]]))).toEqual([
    ['t2', 100],
    ['t1', 900],
  ]);
});

test.for([
  ['is known from the books of the service', true],
  ['was not done is not posted', false],
] as const)('what was to be taken back, and was not answered, %s', async ([, isDone]) => {
  let status = 'success';
  const service = createServer((request, response) => {
    if (request.method === 'GET') return void response.end(JSON.stringify([{ token: 't1', status }]));
    if (isDone) status = 'failed';
    request.socket.destroy();
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const { port } = service.address() as AddressInfo;
  expect(await takeBackAt(`http://127.0.0.1:${port}`, 't1')).toBe(isDone);
  await new Promise((resolve) => service.close(resolve));
});
