import { expect, test } from 'vitest';
import { examineSettings } from '../../src/app/examine/service.ts';
import { roles } from '../../src/cli/io.ts';
import { message } from '../../src/messages/message.ts';

test('where no setting is set, that is said first, and how a file of them is made', () => {
  const { findings } = examineSettings({}, roles);
  expect(findings[0]).toMatchObject({
    is: 'fault',
    says: message('no_settings'),
    fix: message('run_with_settings'),
  });
  expect(findings.length).toBeGreaterThan(1);
});

test('where some are set, only what is wrong with them is said', () => {
  const { findings } = examineSettings({ API_PORT: 'many' }, roles);
  expect(findings.map(({ says }) => says)).not.toContainEqual(message('no_settings'));
});
