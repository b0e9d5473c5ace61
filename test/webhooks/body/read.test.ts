import { describe, expect, test } from 'vitest';
import {
  nestsDeeperThan,
  BODY_LIMITS,
  type CallbackBody,
  readCallbackBody,
  readTree,
} from '../../../src/webhooks/body.ts';
import { redactBody } from '../../../src/webhooks/receiver.ts';

const read = (text: string, contentType?: string): CallbackBody =>
  readCallbackBody(readTree(Buffer.from(text), contentType));
const fieldsOf = (text: string): unknown => {
  const body = read(text);
  return body.readable ? body.fields : body.reason;
};
const unreadable = (reason: string): CallbackBody => ({ readable: false, reason }) as CallbackBody;

describe('limits', () => {
  test('a body of 256 KiB is read, one byte more is not', () => {
    const body = `status=completed&x=${'y'.repeat(BODY_LIMITS.bytes - 19)}`;
    expect(body.length).toBe(262_144);
    expect(read(body)).toEqual({ readable: true, fields: { status: 'completed' } });
    expect(read(`${body}y`)).toEqual(unreadable('too_large'));
  });

  test('five thousand parameters are read, one more is not, in a form as in JSON', () => {
    const form = (count: number): string => `status=a${'&b=c'.repeat(count - 1)}`;
    expect(fieldsOf(form(5_000))).toEqual({ status: 'a' });
    expect(fieldsOf(form(5_001))).toBe('too_many_parameters');
    const json = (count: number): string => JSON.stringify({ status: 'a', list: Array(count - 2).fill(1) });
    expect(fieldsOf(json(5_000))).toEqual({ status: 'a' });
    expect(fieldsOf(json(5_001))).toBe('too_many_parameters');
  });

  test('parameters are counted over all layers of one body', () => {
    const inner = encodeURIComponent(`status=a${'&b=c'.repeat(2_999)}`);
    expect(fieldsOf(`data=${inner}${'&b=c'.repeat(1_000)}`)).toEqual({ status: 'a' });
    expect(fieldsOf(`data=${inner}${'&b=c'.repeat(2_999)}`)).toBe('too_many_parameters');
  });

  test('twelve levels are read, thirteen are not, in a form as in JSON', () => {
    const json = (levels: number): string => `{"status":"a","x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    expect(fieldsOf(json(12))).toEqual({ status: 'a' });
    expect(fieldsOf(json(13))).toBe('too_deep');
    const form = (levels: number): string => `status=a&x${'[y]'.repeat(levels - 1)}=z`;
    expect(fieldsOf(form(12))).toEqual({ status: 'a' });
    expect(fieldsOf(form(13))).toBe('too_deep');
  });

  test('a hundred thousand brackets are refused before anything parses them', () => {
    expect(fieldsOf('['.repeat(100_000))).toBe('too_deep');
    expect(fieldsOf(`{"data":${JSON.stringify('['.repeat(100_000))}}`)).toBe('too_deep');
    expect(fieldsOf(`data=${'['.repeat(100_000)}`)).toBe('too_deep');
  });

  test('texts of 512 characters are stored, longer ones are not', () => {
    const token = 'a'.repeat(512);
    expect(fieldsOf(`status=x&token=${token}`)).toEqual({ status: 'x', token });
    expect(fieldsOf(`status=x&token=${token}a`)).toEqual({ status: 'x' });
  });
});

test('brackets inside a text are not levels', () => {
  expect(nestsDeeperThan(JSON.stringify({ a: '[[[[[["[[[\\' }), 1)).toBe(false);
  expect(nestsDeeperThan('[[1],[2],[3]]', 2)).toBe(false);
  expect(nestsDeeperThan('[[1],[2],[[3]]]', 2)).toBe(true);
});

describe('the search order of a field', () => {
  test('below data first, then beside it', () => {
    expect(fieldsOf('status=beside&mode=test&data[status]=below')).toEqual({ status: 'below', mode: 'test' });
  });

  test('an invoice as a text, below data or flat', () => {
    const invoice = encodeURIComponent('{"token":"t1","total_amount":42300}');
    const fields = { invoiceToken: 't1', totalAmount: '42300' };
    expect(fieldsOf(`invoice=${invoice}`)).toEqual(fields);
    expect(fieldsOf(`data[invoice]=${invoice}`)).toEqual(fields);
  });

  test('in JSON of which only the brackets were percent-encoded', () => {
    expect(fieldsOf('%7B"return_url":"https://shop.example/?a=1","status":"completed"%7D')).toEqual({
      status: 'completed',
    });
  });

  test('the line end before a multipart boundary belongs to the boundary', () => {
    const parsed = readTree(Buffer.from('--b\r\nContent-Disposition: form-data; name=x\r\n\r\ny\r\n\r\n--b--'));
    expect('tree' in parsed && parsed.tree.get('x')).toBe('y\r\n');
  });
});

describe('only texts', () => {
  test.each([
    ['a list where a text belongs', 'status=x&data[hash][]=y', { status: 'x' }],
    ['a record where a text belongs', 'mode=x&data[status][y]=z', { mode: 'x' }],
    [
      'JSON of other types',
      '{"status":true,"token":null,"amount":[1],"mode":{"a":1},"transaction_id":7}',
      { transactionId: '7' },
    ],
    ['a whole number that lost digits', '{"status":"x","disburse_id":12345678901234567890}', { status: 'x' }],
    ['a number without end', '{"status":"x","amount":1e999}', { status: 'x' }],
    ['nothing between the quotes', 'status=x&token=++', { status: 'x' }],
    ['the later of two', 'status=x&status=y', { status: 'y' }],
    ['a text and then a record', 'mode=m&invoice=a&invoice[token]=b', { mode: 'm', invoiceToken: 'b' }],
    ['a bracket that never closes', 'mode=m&data[status=x', { mode: 'm' }],
  ])('%s', (_name, body, fields) => {
    expect(fieldsOf(body)).toEqual(fields);
  });

  test('a card number leaves its last four digits only', () => {
    expect(fieldsOf('data[pan]=4111-1111-1111-1234')).toEqual({ panLast4: '1234' });
    expect(fieldsOf('data[status]=x&data[pan]=***')).toEqual({ status: 'x' });
  });
});

describe('names that mean something to JavaScript', () => {
  const hostile = ['__proto__', 'constructor', 'prototype'];
  test.each(hostile)('%s is dropped with all below it', (name) => {
    for (const body of [
      `status=x&${name}[polluted]=1&data[${name}][polluted]=1&${name}=1`,
      `{"status":"x","${name}":{"polluted":1},"data":{"${name}":{"polluted":1}}}`,
      `--b\r\nContent-Disposition: form-data; name="${name}[polluted]"\r\n\r\n1\r\n--b\r\nContent-Disposition: form-data; name="status"\r\n\r\nx\r\n--b--`,
    ]) {
      const parsed = readTree(Buffer.from(body));
      expect('tree' in parsed && [...parsed.tree.keys()]).not.toContain(name);
      expect(fieldsOf(body)).toEqual({ status: 'x' });
    }
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('bodies without information', () => {
  test.each([
    ['', 'empty'],
    [' \r\n ', 'empty'],
    ['hello', 'not_understood'],
    ['null', 'not_understood'],
    ['42', 'not_understood'],
    ['[]', 'not_understood'],
    ['{}', 'not_understood'],
    ['"', 'not_understood'],
    ['%', 'not_understood'],
    ['=', 'not_understood'],
    ['a=b', 'not_understood'],
    ['{"data":', 'not_understood'],
    ['<html><body class="x">502</body></html>', 'not_understood'],
    ['--b\r\n\r\n--b--', 'not_understood'],
  ])('%j is %s', (body, reason) => {
    expect(read(body)).toEqual(unreadable(reason));
    expect(read(body, 'application/json')).toEqual(unreadable(reason));
  });

  test('a file in a multipart body is passed over', () => {
    const body = '--b\r\nContent-Disposition: form-data; name="status"; filename="x"\r\n\r\ny\r\n--b--';
    expect(read(body)).toEqual(unreadable('not_understood'));
  });
});

/** With quadratic parsing, a body of this size takes minutes, and the test's time-out ends it. */
describe('bodies made to take long are read', () => {
  const size = BODY_LIMITS.bytes - 64;
  test.each([
    ['data in data in data', 'data='.repeat(size / 5)],
    ['percent signs', '%'.repeat(size)],
    ['a percent sign encoded over and over', `data=%${'25'.repeat(size / 2 - 8)}`],
    ['ampersands', '&'.repeat(size)],
    ['backslashes', '\\'.repeat(size)],
    ['quoted backslashes', `"${'\\'.repeat(size)}`],
    ['quotes', '"'.repeat(size)],
    ['empty parts', '--b\n'.repeat(size / 4)],
    ['a part whose header never ends', `--b\ncontent-disposition:${'content-disposition:'.repeat(13_000)}\n\nx`],
    ['one name with many brackets', `${'[]'.repeat(size / 2)}=x`],
    ['blanks', ` a${' '.repeat(size)}b`],
  ])('%s', (_name, body) => {
    read(body);
    read(body, 'multipart/form-data; boundary=b');
    expect(redactBody(readTree(Buffer.from(body)), Buffer.from(body)).length).toBeLessThanOrEqual(4_096);
  });
});
