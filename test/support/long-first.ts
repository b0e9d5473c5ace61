import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest, so that the last of them does not run alone in the end. Their sizes tell nothing of it. */
const LONGEST = [
  'stories/package',
  'stories/pages',
  'stories/console-looks',
  'stories/rolling',
  'stories/console-making',
  'stories/restored',
  'stories/console-many',
  'stories/console-states',
  'stories/examples',
  'stories/console-slips',
  'stories/console-long',
  'stories/console-provider',
  'stories/console-desk',
  'stories/console-campaigns',
  'stories/processes',
  'ops/troubles.parts',
  'api/bulk.parts',
  'webhooks/receiver.parts',
  'files/bounds.parts',
  'ops/promtool.parts',
  'ledger/uploads.parts',
  'app/late-postgres.parts',
  'app/traces.parts',
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
