import { describe, expect, test } from 'vitest';
import { BRIEF_NAMES } from '../../src/kinds/disbursement-fields.ts';
import { BRIEF_WORDS, GONE_AT_THE_END, inFull, storedNames } from '../../src/operations/record.ts';
import { readEvidence } from '../../src/operations/transition.ts';

const ACCEPTED = 1_795_282_139_065;
const brief = {
  state: 'succeeded',
  fp: 'LIXF0ubQZzZovCy2fRt_3X',
  kind: 'disbursement',
  o: 'main',
  en: '3',
  c: String(ACCEPTED),
  u: '11898',
  a: '500',
  r: 'order-7',
  e1: `+${(5_000).toString(36)}|c|ok|200`,
  e2: `+${(11_898).toString(36)}|resolve|succeeded||checker`,
  e3: `${(ACCEPTED + 20_000).toString(36)}|callback|success`,
};

describe('the brief form of a disbursement that is over', () => {
  test('reads as an open one does', () => {
    const full = inFull('dsb_1', brief);
    expect(full).toMatchObject({
      id: 'dsb_1',
      state: 'succeeded',
      createdAt: String(ACCEPTED),
      updatedAt: String(ACCEPTED + 11_898),
      since: String(ACCEPTED + 11_898),
      amount: '500',
      reference: 'order-7',
    });
    expect(Object.keys(full).filter((name) => name.length === 1)).toEqual([]);
  });

  test('keeps when each line was heard, also of one that came after the end', () => {
    expect(readEvidence(inFull('dsb_1', brief)).lines).toEqual([
      { at: ACCEPTED + 5_000, operation: 'create', code: 'ok', httpStatus: 200 },
      { at: ACCEPTED + 11_898, operation: 'resolve', code: 'succeeded', detail: 'checker' },
      { at: ACCEPTED + 20_000, operation: 'callback', code: 'success' },
    ]);
  });

  test('a record that was never made brief is left as it is', () => {
    const open = { id: 'dsb_1', kind: 'disbursement', createdAt: String(ACCEPTED), e1: 'mwqomwg9|create|ok|200|' };
    expect(inFull('dsb_1', open)).toBe(open);
    expect(inFull('dsb_1', {})).toEqual({});
  });

  test('no two names are shortened to the same, and none to one that is in use', () => {
    const short = Object.values(BRIEF_NAMES);
    expect(new Set(short).size).toBe(short.length);
    expect(short).not.toContain('v');
    const words = Object.values(BRIEF_WORDS);
    expect(new Set(words).size).toBe(words.length);
    expect(GONE_AT_THE_END.filter((name) => name in BRIEF_NAMES)).toEqual([]);
  });

  test('a field is asked for by both of its names', () => {
    expect(storedNames('token')).toEqual(['token', 't']);
    expect(storedNames('state')).toEqual(['state']);
  });
});
