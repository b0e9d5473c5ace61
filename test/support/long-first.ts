import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest, so that the last of them does not run alone in the end. Their sizes tell nothing of it. */
const LONGEST = [
  'stories/console-making',
  'stories/package',
  'stories/console-looks',
  'stories/cluster',
  'stories/rolling',
  'stories/restored',
  'stories/pages',
  'stories/console-journeys',
  'stories/console-states',
  'stories/day',
  'stories/texts',
  'stories/people',
  'stories/console-campaigns',
  'stories/console-provider',
  'stories/examples',
  'stories/console-desk',
  'stories/console-slips',
  'stories/console-many',
  'stories/trimmed',
  'stories/demo',
  'stories/stop-flood',
  'stories/starting',
  'stories/console-attacks',
  'redis/sentinel.parts',
  'redis/conditions.parts',
  'app/late-redis.parts',
  'redis/named-faults.parts',
  'redis/cluster.parts',
  'history/trim-orders.parts',
  'producer/outages.parts',
  'api/bulk-outage.parts',
  'history/batch-orders.parts',
  'events/final-events.parts',
  'app/deployment.parts',
  'app/traces.parts',
  'api/limits.parts',
  'storm/console.parts',
  'webhooks/receiver.parts',
];

const placeOf = ({ moduleId }: TestSpecification): number => {
  const place = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return place < 0 ? LONGEST.length : place;
};

/** On a fresh clone as on one that remembers how long each file took: the same order, and whatever failed last. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
