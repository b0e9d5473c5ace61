import { expect, test } from 'vitest';
import { anEvent } from '../../src/events/catalogue.ts';
import { eventTypes, subjectOf, kindOf, subjects } from '../../src/kinds/index.ts';

const ofOperations = eventTypes.filter(
  (type) => subjectOf(type) in subjects && 'fields' in subjects[subjectOf(type)],
);

test.for(ofOperations)('the example of %s has an id such as its operations have', (type) => {
  expect(kindOf(anEvent(type).data.id)).toBe(subjectOf(type));
});

test('a subject that is no operation has its real name', () => {
  expect(anEvent('endpoint.disabled').data.id).toMatch(/^ep_/);
  expect(anEvent('account.held').data.id).toBe('main');
  expect(anEvent('system.recovered').data.id).toBe('system');
});
