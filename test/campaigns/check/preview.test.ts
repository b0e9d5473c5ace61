import { describe, expect, it } from 'vitest';
import { checkFile } from './read-file.ts';

const FILE = [
  'to;nom',
  '+221770000001;Awa',
  'nobody;Personne',
  '+221770000002;Ndèye Françoise',
  '+22890000001;Yao',
  `+221770000003;${'Marie '.repeat(30)}Fin`,
  '+22890000001;The same again',
].join('\n');
const options = { text: 'Bonjour {{nom}}', prices: { SN: 20, TG: 100 }, preview: 2 };

describe('a preview', () => {
  it('shows the first texts, the longest and the most expensive, as they are sent', async () => {
    const { summary } = await checkFile(FILE, options);
    expect(summary.preview?.map(({ why, row, text }) => [row, why, text.slice(0, 23)])).toEqual([
      [2, ['first'], 'Bonjour Awa'],
      [4, ['first'], 'Bonjour Ndèye Françoise'],
      [6, ['longest'], 'Bonjour Marie Marie Mar'],
      [5, ['dearest'], 'Bonjour Yao'],
    ]);
    expect(summary.preview?.[1]).toMatchObject({
      to: '+221770000002',
      characters: 23,
      encoding: 'UCS-2',
      segments: 1,
      estimatedXof: 20,
    });
  });

  it('shows the sent text when costly characters are replaced', async () => {
    const { summary } = await checkFile(FILE, { ...options, replaceCostly: true });
    expect(summary.preview?.[1]).toMatchObject({ text: 'Bonjour Ndèye Francoise', encoding: 'GSM-7' });
  });

  it('shows a row once, with every reason for it', async () => {
    const { summary } = await checkFile('to\n+221770000001\n', { text: 'Bonjour', preview: 3 });
    expect(summary.preview).toEqual([
      {
        why: ['first', 'longest', 'dearest'],
        row: 2,
        to: '+221770000001',
        text: 'Bonjour',
        characters: 7,
        encoding: 'GSM-7',
        segments: 1,
      },
    ]);
  });

  it('without prices uses the most segments as the most expensive', async () => {
    // Longer, and yet cheaper: 150 letters of the alphabet are one segment, 80 with an ê are two.
    const file = `to;n\n+221770000001;${'a'.repeat(150)}\n+221770000002;ê${'a'.repeat(79)}\n`;
    const { summary } = await checkFile(file, { text: '{{n}}', preview: 1 });
    expect(summary.preview?.map(({ row, why }) => [row, why])).toEqual([
      [2, ['first', 'longest']],
      [3, ['dearest']],
    ]);
  });

  it('is not there unless it was asked for', async () => {
    expect((await checkFile(FILE, { text: 'x' })).summary.preview).toBeUndefined();
    expect((await checkFile(FILE, { preview: 3 })).summary.preview).toBeUndefined();
  });
});
