import { expect, test } from 'vitest';
import { Followers } from '../../src/events/followers.ts';
import type { Placed } from '../../src/ledger/event-stream.ts';
import { systemClock } from '../../src/lib/clock.ts';

const AN_HOUR_MS = 3_600_000;

test('an event between a reader’s own read and the shared read is delivered at once', async () => {
  const event = { place: '1-0' } as Placed;
  const stream: Placed[] = [];
  let looked = (): void => undefined;
  const hasLooked = new Promise<void>((resolve) => (looked = resolve));
  const followers = new Followers({
    events: {
      entries: async (after) => {
        looked();
        return stream.filter(({ place }) => place > after);
      },
      end: async () => {
        await hasLooked;
        // Its empty result is being returned.
        await Promise.resolve();
        stream.push(event);
        return event.place;
      },
    },
    clock: systemClock,
    onError: (error) => {
      throw error;
    },
  });
  for await (const page of followers.after('0-0', AN_HOUR_MS, new AbortController().signal)) {
    if (page.length === 0) continue;
    expect(page).toEqual([event]);
    break;
  }
  followers.end();
});
