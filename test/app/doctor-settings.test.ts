import { expect, test } from 'vitest';
import { examineSettings } from '../../src/app/examine/service.ts';
import { roles } from '../../src/cli/io.ts';
import { message } from '../../src/messages/message.ts';

test('without any setting, that is reported first, with how to create a file of them', () => {
  const { findings } = examineSettings({}, roles);
  expect(findings[0]).toMatchObject({
    is: 'fault',
    says: message('no_settings'),
    fix: message('run_with_settings'),
  });
  expect(findings.length).toBeGreaterThan(1);
});

test('with some settings, only their errors are reported', () => {
  const { findings } = examineSettings({ API_PORT: 'many' }, roles);
  expect(findings.map(({ says }) => says)).not.toContainEqual(message('no_settings'));
});
