/** What is done before anything is sent: reading and checking a file of recipients, counting segments. */
import type { CheckRates } from '../../../script/bench-parts/check.ts';
import { startHand } from '../programs.ts';
import type { RowMaker } from '../rows.ts';

const TEXTS = 2_000_000;

export const readingRows: RowMaker = async (stage, { rowsToCheck: rows, rounds, share }) => {
  const hand = await startHand('reader', stage.dir);
  try {
    const rates = await hand.do<CheckRates>('measureCheck', { rows, rounds });
    const counted = await hand.do<number>('segments', { count: TEXTS * share });
    return [
      {
        title: `check a file of ${rows.toLocaleString('en')} recipients`,
        figures: [
          { label: 'relais', values: [rates.check], unit: 'rows/s' },
          { label: 'csv-parse alone', values: [rates.csvParse], unit: 'rows/s' },
          { label: 'memory at most, relais', values: [rates.peakMb], unit: 'MB' },
        ],
        aims: [
          { text: 'rows a second', value: rates.check, least: 100_000 },
          { text: 'MB at most', value: rates.peakMb, most: 200 },
        ],
      },
      {
        title: 'count the segments of a text',
        figures: [{ label: 'relais', values: [counted], unit: 'texts/s' }],
        aims: [],
      },
    ];
  } finally {
    await hand.stop();
  }
};
