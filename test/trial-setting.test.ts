import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { WrongSettings, describeConfig, loadConfig } from '../src/config.ts';

test('the numbers of a trial are read, and shown nowhere', () => {
  const config = loadConfig({ TRIAL_NUMBERS: '+221771234567, +2250701020304' });
  expect(config.TRIAL_NUMBERS?.numbers).toEqual(['+221771234567', '+2250701020304']);
  expect(JSON.stringify(describeConfig(config)) + inspect(config)).not.toContain('1234567');
});

test('a number of a trial without a country code is refused, and not repeated', () => {
  const load = () => loadConfig({ TRIAL_NUMBERS: '+221771234567,771234567' });
  expect(load).toThrow(WrongSettings);
  expect(load).toThrow('TRIAL_NUMBERS: number 2 must be in international form, such as +221771234567');
  expect(load).not.toThrow('771234567,');
});
