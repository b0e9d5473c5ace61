import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maskPhone } from '../../src/lib/phone.ts';

/** In the programs' output formats; written by hand, not captured. */
const printed = [
  // Redis
  'MOVED 12714 127.0.0.1:17101',
  'ASK 3999 10.0.12.144:6381',
  'Client id=12 addr=127.0.0.1:43210 laddr=127.0.0.1:6379 fd=8 name= age=0 idle=0 qbuf=0 qbuf-free=20474 tot-mem=22298',
  'Partial resynchronization request from 10.0.0.12:6380 accepted. Sending 113 bytes of backlog starting from offset 1234567890.',
  'MASTER <-> REPLICA sync: receiving 1073741824 bytes from master to disk',
  '12714:M 22 Nov 2026 07:24:10.123 * DB loaded from append only file: 0.012 seconds',
  'Setting secondary replication ID to 8f6a0000000012345678b1c2d3e4f50617283940, valid up to offset: 12345678.',
  'used_memory:1034512888',
  'the stream has 1763795000123-0 as its last entry',
  // Node
  'connect ECONNREFUSED 127.0.0.1:6379',
  'connect ETIMEDOUT 192.168.100.123:17101 - Local (10.0.12.144:43210)',
  'getaddrinfo ENOTFOUND redis-17101.c1.eu-west-1-2.ec2.example.com',
  'read ECONNRESET ::ffff:127.0.0.1:55324',
  'C0E7F0F7FF010000:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:354:',
  '00A8E1F401000000:error:0A000412:SSL routines:ssl3_read_bytes:sslv3 alert bad certificate:1605:',
  'at Socket.<anonymous> (/app/node_modules/ioredis/built/redis/event_handler.js:190:37)',
  '[1:0x7f0400001234567]    12345 ms: Mark-sweep (reduce) 2045.9 (2082.4) -> 2045.0 (2083.4) MB',
  'certificate has expired at 2026-11-22T07:24:10.123Z',
  // PostgreSQL
  '2026-11-22 07:24:10.123 UTC [12714] LOG:  could not bind IPv4 address "127.0.0.1": Address already in use',
  'checkpoint complete: wrote 124 (0.8%); 0 WAL file(s) added, 0 removed; write=0.005 s, total=0.012 s; distance=16383 kB',
  'invalid memory alloc request size 1073741824',
  'temporary file: path "base/pgsql_tmp/pgsql_tmp12714.0", size 140000000',
  'Process 12714 waits for ShareLock on transaction 5683121; blocked by process 12715.',
  'invalid input syntax for type uuid: "550e8400-e29b-41d4-a716-446655440000"',
  // ours
  'dis_4c012345678901234567890abc is sending since 2026-11-22T07:24:10.123Z',
  'the backup 2026-11-21-0300 is older',
  'it was written at 1763795000123',
];

describe('a message of a program', () => {
  test.for(printed)('is left alone: %s', (message) => {
    expect(maskPhone(message)).toBe(message);
  });
});

describe('a telephone number', () => {
  const written: readonly (readonly [string, string])[] = [
    ['+221771234567', '+22177•••4567'],
    ['221771234567', '22•••4567'],
    ['771234567', '77•••4567'],
    ['+221 77 123 45 67', '+22177•••4567'],
    ['00221 77-123-45-67', '00•••4567'],
    ['(221) 77.123.45.67', '(22•••4567'],
    ['+221 77.123.45.67', '+22177•••4567'],
    ['+221.77.123.45.67', '+22177•••4567'],
    ['0701020304', '07•••0304'],
    ['76 12 34 56', '76•••3456'],
    ['77\u200b123\u206045\u202f67', '77•••4567'],
    ['+221\u201177\u2013123\u00a045\u200967', '+22177•••4567'],
  ];

  test.for(written)('is hidden however it is written: %s', ([number, hidden]) => {
    expect(maskPhone(number)).toBe(hidden);
    expect(maskPhone(`Key (phone)=(${number}) already exists.`)).not.toContain(number);
    expect(maskPhone(`{"to":"${number}"}`)).toBe(`{"to":"${hidden}"}`);
  });

  test('is hidden next to other text', () => {
    expect(maskPhone('2026-11-22 07:24:10 221771234567 refused by 10.0.0.12:443')).toBe(
      '2026-11-22 07:24:10 22•••4567 refused by 10.0.0.12:443',
    );
    expect(maskPhone('Key (phone)=(+221771234567) already exists.')).toBe(
      'Key (phone)=(+22177•••4567) already exists.',
    );
  });

  test('is hidden with any text around it', () => {
    const around = fc
      .array(fc.constantFrom(...' abcNumsizetoLoffset"\'(:=,;/-.'.split('')), { maxLength: 12 })
      .map((letters) => letters.join(''));
    const number = fc
      .tuple(fc.constantFrom('+2217', '2217', '7', '+2250', '0022'), fc.nat(99_999_999))
      .map(([head, tail]) => head + String(tail).padStart(8, '0'));
    fc.assert(
      fc.property(around, number, around, (before, phone, after) => {
        // The name of a size or an offset marks its number as one.
        fc.pre(!/(?:memory|bytes|size|offset|length)$/i.test(before) && !/^ ?(?:bytes|[kMGT]i?B|ms)/.test(after));
        expect(maskPhone(before + phone + after)).not.toContain(phone.slice(-8));
      }),
      { numRuns: 2_000 },
    );
  });
});
