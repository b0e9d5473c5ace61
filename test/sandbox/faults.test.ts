import { describe, expect, test } from 'vitest';
import { Faults } from '../../src/sandbox/faults.ts';

const submit = { operation: 'disbursement.submit', url: '/submit', text: '{"disburse_id":"abc"}' };

describe('an active fault', () => {
  test('strikes only its operation, its family or everything', () => {
    const faults = new Faults();
    faults.add({ fault: 'answers empty', operation: 'disbursement' });
    expect(faults.first('after', submit)?.fault).toBe('answers empty');
    expect(faults.first('after', { ...submit, operation: 'disbursements.submit' })).toBeUndefined();
    expect(faults.first('after', { ...submit, operation: 'sms.send' })).toBeUndefined();
    expect(faults.first('before', submit)).toBeUndefined();
  });

  test('affects only requests whose path or body contains its text', () => {
    const faults = new Faults();
    faults.add({ fault: 'answers empty', match: 'abc' });
    faults.add({ fault: 'answers HTML', match: '/submit' });
    expect(faults.first('after', { ...submit, text: '' })?.fault).toBe('answers HTML');
    expect(faults.first('after', submit)?.fault).toBe('answers empty');
  });

  test('makes the same choices for the same seed, about as often as ordered', () => {
    const choices = (seed: number) => {
      const faults = new Faults();
      faults.add({ fault: 'answers empty', probability: 0.3, seed });
      return Array.from({ length: 1_000 }, () => faults.first('after', submit) !== undefined);
    };
    expect(choices(7)).toEqual(choices(7));
    expect(choices(7)).not.toEqual(choices(8));
    const struck = choices(7).filter(Boolean).length;
    expect(struck).toBeGreaterThan(200);
    expect(struck).toBeLessThan(400);
  });

  test('closes the host its operation lives on', () => {
    const closes = (operation?: string) => {
      const faults = new Faults();
      faults.add({ fault: 'refuses the connection', ...(operation === undefined ? {} : { operation }) });
      return [faults.closes('base'), faults.closes('crm')];
    };
    expect(closes()).toEqual([true, true]);
    expect(closes('sms.send')).toEqual([false, true]);
    expect(closes('disbursement')).toEqual([true, false]);
    expect(new Faults().closes('base')).toBe(false);
  });
});
