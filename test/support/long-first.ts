import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest, so that the last of them does not run alone in the end. Their sizes tell nothing of it. */
const LONGEST = [
  'stories/package',
  'stories/console-looks',
  'stories/console-making',
  'stories/rolling',
  'stories/restored',
  'stories/pages',
  'stories/console-states',
  'stories/console-campaigns',
  'stories/console-provider',
  'stories/examples',
  'stories/console-desk',
  'stories/console-slips',
  'stories/console-many',
  'stories/demo',
  'stories/starting',
  'stories/console-attacks',
  'api/bulk-outage.parts',
  'app/traces.parts',
  'api/limits.parts',
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
