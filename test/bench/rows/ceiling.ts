/** The sandbox's own ceiling, so that nobody takes it for that of a contender. */
import { startHand } from '../programs.ts';
import type { RowMaker } from '../rows.ts';

const REQUESTS = 5_000;

export const ceilingRows: RowMaker = async (stage, { rounds, share }) => {
  const hand = await startHand('press', stage.dir);
  try {
    const [chunks, tokens]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      await stage.freshBooks();
      const count = REQUESTS * share;
      chunks.push(await hand.do<number>('press', { what: 'chunks', url: stage.crm, first: 0, count }));
      tokens.push(await hand.do<number>('press', { what: 'tokens', url: stage.base, first: 0, count }));
    }
    return [
      {
        title: 'the sandbox itself, pressed with requests written beforehand',
        figures: [
          { label: 'chunks of 50', values: chunks, unit: 'requests/s' },
          { label: 'tokens of disbursements', values: tokens, unit: 'requests/s' },
        ],
        aims: [],
      },
    ];
  } finally {
    await hand.stop();
  }
};
