import { test } from 'vitest';
import { expectPage } from '../docs/page.ts';
import { eventTypesPage, eventsPage } from './docs-page.ts';

test('docs/events.md has the waits and limits of deliveries', () => expectPage('docs/events.md', eventsPage()));

test('docs/event-types.md has the events of the catalogue', () =>
  expectPage('docs/event-types.md', eventTypesPage()));
