import { expect, test } from 'vitest';
import { RequestReader } from './tap.ts';

const request = 'POST /api/v2/disburse/submit-invoice HTTP/1.1\r\ncontent-length: 5\r\n\r\nhello';

test('a request that comes in pieces is read when it is whole', () => {
  const reader = new RequestReader();
  expect(reader.read(Buffer.from(request.slice(0, 30)))).toBeUndefined();
  expect(reader.read(Buffer.from(request.slice(30, -2)))).toBeUndefined();
  const whole = reader.read(Buffer.from(request.slice(-2)));
  expect(whole).toMatchObject({ path: '/api/v2/disburse/submit-invoice', body: 'hello' });
  expect(whole?.bytes.toString()).toBe(request);
});

test('the next request on the same connection begins where the last one ended', () => {
  const reader = new RequestReader();
  reader.read(Buffer.from(request));
  expect(reader.read(Buffer.from('GET /x HTTP/1.1\r\n\r\n'))).toMatchObject({ path: '/x', body: '' });
});
