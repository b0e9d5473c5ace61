import { describe, expect, test } from 'vitest';
import { HeldBytes, NoRoom } from '../../src/lib/held-bytes.ts';

const limits = { ofCaller: 10, ofProcess: 15 };

describe('the memory of requests', () => {
  test('is bounded for one caller, and for all of them', () => {
    const held = new HeldBytes(limits);
    held.open('a').take(6);
    expect(() => held.open('a').take(5)).toThrow(expect.objectContaining({ name: 'NoRoom', of: 'caller', most: 10 }));
    held.open('b').take(9);
    expect(() => held.open('b').take(1)).toThrow(
      expect.objectContaining({ name: 'NoRoom', of: 'process', most: 15 }),
    );
    expect(held.open('c').takeIfRoom(1)).toBe(false);
  });

  test('is free again when a request gives it back, or ends', () => {
    const held = new HeldBytes(limits);
    const first = held.open('a');
    first.take(10);
    first.giveBack(4);
    expect(held.open('a').takeIfRoom(4)).toBe(true);
    first.end();
    expect(held.open('a').takeIfRoom(6)).toBe(true);
  });

  test('ignores changes of a request after its end', () => {
    const held = new HeldBytes(limits);
    const request = held.open('a');
    request.take(10);
    request.end();
    request.giveBack(10);
    request.take(10);
    held.open('a').take(10);
    expect(() => held.open('a').take(1)).toThrow(NoRoom);
  });
});
