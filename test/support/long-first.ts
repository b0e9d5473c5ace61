import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest files, so that none of them runs alone at the end. Their sizes do not show it. */
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

/** The same order on a fresh clone and with recorded durations; the last failures first. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
