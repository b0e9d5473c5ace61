import { expect, test } from 'vitest';
import { encodingNames, writeCallback } from '../../src/sandbox/encodings.ts';

const record = { status: 'completed', invoice: { token: 'T 1&', total_amount: 5_000 }, note: 'é"' };
const form = 'application/x-www-form-urlencoded';
const values = (text: string) => Object.fromEntries(new URLSearchParams(text));
const nested = {
  'data[status]': 'completed',
  'data[invoice][token]': 'T 1&',
  'data[invoice][total_amount]': '5000',
  'data[note]': 'é"',
};
const flat = { status: 'completed', 'invoice[token]': 'T 1&', 'invoice[total_amount]': '5000', note: 'é"' };

/** Parses each encoding by its description, without the code that wrote it. */
const readers: Record<string, (body: string, type: string) => void> = {
  'a nested form': (body, type) => expect([values(body), type]).toEqual([nested, form]),
  'a flat form': (body, type) => expect([values(body), type]).toEqual([flat, form]),
  'data holding JSON': (body) => expect(JSON.parse(values(body)['data'] ?? '')).toEqual(record),
  'data holding percent-encoded JSON': (body) =>
    expect(JSON.parse(decodeURIComponent(values(body)['data'] ?? ''))).toEqual(record),
  'data holding raw JSON': (body) => expect(JSON.parse(body.replace('data=', ''))).toEqual(record),
  'data holding a query string': (body) => expect(values(values(body)['data'] ?? '')).toEqual(flat),
  'JSON under data': (body, type) => expect([JSON.parse(body), type]).toEqual([{ data: record }, 'application/json']),
  'flat JSON': (body, type) => expect([JSON.parse(body), type]).toEqual([record, 'application/json']),
  'multipart fields': (body, type) => {
    expect(type).toContain('multipart/form-data; boundary=');
    for (const [name, value] of Object.entries(nested)) expect(body).toContain(`name="${name}"\r\n\r\n${value}\r\n`);
  },
  'JSON called a form': (body, type) => expect([JSON.parse(body), type]).toEqual([{ data: record }, form]),
  'a form called JSON': (body, type) => expect([values(body), type]).toEqual([nested, 'application/json']),
};

test.each(encodingNames)('%s can be read back', (encoding) => {
  const { body, contentType } = writeCallback(encoding, record);
  readers[encoding]?.(body, contentType);
  expect.hasAssertions();
});

test.each(encodingNames)('%s can be written of half a character too', (encoding) => {
  const { body } = writeCallback(encoding, { ...record, note: 'half \ud83d' });
  expect(body).toContain('half');
});
