import { expect, expectTypeOf, test } from 'vitest';
import { eventTypes } from '../../src/kinds/index.ts';
import { anEvent, eventSchema, jsonSchemaOf, schemaOf } from '../../src/events/catalogue.ts';

test.for(eventTypes)('the example of %s is an event of its type, and of any', (type) => {
  const event = anEvent(type);
  expect(schemaOf(type).parse(event)).toEqual(event);
  expect(eventSchema.safeParse(event).success).toBe(true);
});

test.for(eventTypes)('%s has a JSON Schema that names its type', (type) => {
  expect(jsonSchemaOf(type)).toMatchObject({
    type: 'object',
    required: expect.arrayContaining(['id', 'timestamp', 'sequence', 'account', 'type', 'data']),
    properties: { type: { const: type }, data: { type: 'object' } },
  });
});

test('a field that is added later breaks no reader', () => {
  const event = { ...anEvent('message.sent'), more: 1, data: { ...anEvent('message.sent').data, more: 2 } };
  expect(schemaOf('message.sent').parse(event)).toEqual(event);
});

test('an event of another type is not taken for one of this', () => {
  expect(schemaOf('message.sent').safeParse(anEvent('message.failed')).success).toBe(false);
});

test('a test builds an event with the relevant fields, and the compiler knows them', () => {
  const event = anEvent('disbursement.failed', { sequence: 3, data: { id: 'dsb_1', reference: 'order-1' } });
  expect(event).toMatchObject({ id: 'dsb_1.3', type: 'disbursement.failed', data: { reference: 'order-1' } });
  expectTypeOf(event.data.amount).toEqualTypeOf<number>();
  expectTypeOf(event.type).toEqualTypeOf<'disbursement.failed'>();
  expectTypeOf(event.id).toEqualTypeOf<string>();
  expectTypeOf(event.timestamp).toEqualTypeOf<string>();
  expectTypeOf(event.account).toEqualTypeOf<string>();
  expectTypeOf(event.sequence).toEqualTypeOf<number>();
});

test('an impossible event is refused', () => {
  // A test without type checking may pass this.
  const details = JSON.parse('{"data":{"state":"lost"}}');
  expect(() => anEvent('disbursement.failed', details)).toThrow(/state/);
});
