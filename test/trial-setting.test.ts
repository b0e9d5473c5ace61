import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { WrongSettings, describeConfig, loadConfig } from '../src/config.ts';

test('the numbers of a trial are read, and shown nowhere', () => {
  const config = loadConfig({ TRIAL_NUMBERS: '+221771234567, +2250701020304' });
  expect(config.TRIAL_NUMBERS?.items).toEqual(['+221771234567', '+2250701020304']);
  expect(JSON.stringify(describeConfig(config)) + inspect(config)).not.toContain('1234567');
});

test('a number of a trial without a country code is refused, and not repeated', () => {
  const load = () => loadConfig({ TRIAL_NUMBERS: '+221771234567,771234567' });
  expect(load).toThrow(WrongSettings);
  expect(load).toThrow('TRIAL_NUMBERS: number 2 must be in international form, such as +221771234567');
  expect(load).not.toThrow('771234567,');
});

test('approvers are read with their numbers, which are shown nowhere', () => {
  const config = loadConfig({ NOTIFY_APPROVERS: 'fatou=+221771234567, Moussa Ba = +2250701020304' });
  expect(config.NOTIFY_APPROVERS?.items).toEqual([
    { person: 'fatou', phone: '+221771234567' },
    { person: 'Moussa Ba', phone: '+2250701020304' },
  ]);
  expect(JSON.stringify(describeConfig(config)) + inspect(config)).not.toContain('1234567');
});

test.each([
  ['fatou=779876543', 'entry 1 must be a name and a number in international form'],
  ['fatou=+221779876543,moussa', 'entry 2 must be a name'],
  ['fatou=+221779876543,fatou=+221781234567', 'names fatou twice'],
])('NOTIFY_APPROVERS=%s is refused, and no number is repeated', (text, says) => {
  const load = () => loadConfig({ NOTIFY_APPROVERS: text });
  expect(load).toThrow(says);
  expect(load).not.toThrow('9876543');
});
