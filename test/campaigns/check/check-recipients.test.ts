import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkRecipients } from '../../../src/campaigns/check/check-recipients.ts';
import { NumberIndex } from '../../../src/campaigns/check/tally.ts';
import { UnusableTemplate } from '../../../src/lib/wording.ts';
import { checkFile, checkPieces, pieces, problemsOf } from './read-file.ts';

const text = 'Bonjour {{prenom}}';

describe('every data row comes out exactly once', () => {
  it('as a recipient or with its reason', async () => {
    const file = 'to;prenom\n770000001;Awa\n+221 77 000 00 01;Koffi\n77;x\n770000002;\n770000003;Yao\n';
    const { rows, summary } = await checkFile(file, { country: 'SN', text, seen: seenOnly('+221770000003') });
    expect(rows).toEqual([
      { is: 'recipient', row: 2, to: '+221770000001', country: 'SN', vars: { prenom: 'Awa' } },
      {
        is: 'skipped',
        row: 3,
        to: '+221 77 000 00 01',
        reason: 'duplicate',
        detail: { code: 'same_as_row', values: { row: 2 }, message: 'same number as row 2' },
        cells: ['+221 77 000 00 01', 'Koffi'],
        own: '\tKoffi',
      },
      { is: 'skipped', row: 4, to: '77', reason: 'too_short', cells: ['77', 'x'], own: '\tx' },
      {
        is: 'skipped',
        row: 5,
        to: '770000002',
        reason: 'empty_variable',
        column: 'prenom',
        cells: ['770000002', ''],
      },
      {
        is: 'skipped',
        row: 6,
        to: '770000003',
        reason: 'already_in_campaign',
        cells: ['770000003', 'Yao'],
        own: '\tYao',
      },
    ]);
    expect(summary).toMatchObject({ total: 5, recipients: 1, skipped: 4, blank: 0 });
  });

  it('and a row left out does not take the place of a good one', async () => {
    const { rows } = await checkFile('to;prenom\n+221770000001;\n+221770000001;Awa\n', { text });
    expect(rows.map(({ is }) => is)).toEqual(['skipped', 'recipient']);
  });

  it('with at most 64 characters of the original', async () => {
    const { rows } = await checkFile(`to\n${'x'.repeat(500)}\n`);
    expect(rows[0]?.to).toHaveLength(64);
  });
});

describe('variables', () => {
  it('are only those of the text, under their canonical names', async () => {
    const { rows } = await checkFile('to;Prénom;Solde;note\n+221770000001;Awa;5;x\n', {
      text: '{{PRENOM}} {{ solde }}',
    });
    expect(rows).toMatchObject([{ vars: { prenom: 'Awa', solde: '5' } }]);
  });

  it('may be the number itself', async () => {
    const { rows } = await checkFile('to\n77 000 00 01\n', { text: 'Votre compte {{to}}', country: 'SN' });
    expect(rows).toMatchObject([{ vars: { to: '77 000 00 01' } }]);
  });

  it('cannot reach the prototype', async () => {
    const { rows } = await checkFile('to;__proto__;constructor\n+221770000001;x;y\n');
    expect(Object.getPrototypeOf((rows[0] as { vars: object }).vars)).toBe(Object.prototype);
    expect(rows).toMatchObject([{ vars: { constructor: 'y' } }]);
    // Reported by name, not as missing in every row.
    expect(await problemsOf('to;__proto__\n+221770000001;x\n', { text: '{{__proto__}}' })).toEqual([
      'missing_column',
    ]);
  });

  it('with braces that do not match stop the check at once', () => {
    expect(() => checkRecipients(pieces(''), { text: '{{a' })).toThrow(UnusableTemplate);
  });
});

describe('segments and cost', () => {
  const long = 'x'.repeat(150);

  it('are added up by country, with prices where they are known', async () => {
    const file = `to;n\n+221770000001;a\n+221770000002;${long}${long}\n+22890000001;a\n`;
    const { summary } = await checkFile(file, { text: '{{n}}', prices: { SN: 20 } });
    expect(summary.countries).toEqual({
      SN: { recipients: 2, segments: 3, estimatedXof: 60 },
      TG: { recipients: 1, segments: 1 },
    });
    expect(summary.cost).toEqual({ estimated: true, xof: 60, unpriced: ['TG'] });
    expect(summary.segments).toMatchObject({ estimated: true, total: 4, textsBySegments: { 1: 2, 2: 1 } });
  });

  it('contain nothing about segments without a text', async () => {
    const { summary } = await checkFile('to\n+221770000001\n', { prices: { SN: 20 } });
    expect(summary.segments).toBeUndefined();
    expect(summary.cost).toBeUndefined();
  });

  it('refuse a text beyond the limit and report a long one', async () => {
    const file = `to;n\n+221770000001;${'x'.repeat(1_531)}\n+221770000002;${'x'.repeat(1_530)}\n`;
    const { rows, summary } = await checkFile(file, { text: '{{n}}' });
    expect(rows).toMatchObject([
      { reason: 'text_too_long', detail: { message: '11 segments' } },
      { is: 'recipient' },
    ]);
    expect(summary.segments?.long).toBe(1);
  });

  it('name the characters that make it expensive, where they are and what replacing them saves', async () => {
    const file = `to;n\n+221770000001;Françoise\n+221770000002;Awa 😀\n`;
    const { summary } = await checkFile(file, { text: `Bonne fête {{n}} ${'x'.repeat(80)}`, prices: { SN: 20 } });
    expect(summary.segments?.costly).toEqual({
      texts: 2,
      characters: [
        { character: 'ê', codePoint: 'U+00EA', replacement: 'e', texts: 2, inTemplate: true },
        { character: 'ç', codePoint: 'U+00E7', replacement: 'c', texts: 1, inTemplate: false },
        { character: '😀', codePoint: 'U+1F600', texts: 1, inTemplate: false },
      ],
      segmentsSaved: 1,
      estimatedXofSaved: 20,
    });
  });

  it('count the cheaper text on request', async () => {
    const { summary } = await checkFile(`to\n+221770000001\n`, {
      text: `fête ${'x'.repeat(80)}`,
      replaceCostly: true,
    });
    expect(summary.segments).toMatchObject({ total: 1, costly: { texts: 0 } });
  });
});

describe('the summary', () => {
  it('carries the fingerprint of the bytes as they came', async () => {
    const file = '\ufeffto\r\n+221770000001\r\n';
    const { summary } = await checkPieces(pieces(file.slice(0, 5), file.slice(5)));
    expect(summary.contentHash).toBe(createHash('sha256').update(file).digest('hex'));
    expect(summary.bytes).toBe(Buffer.byteLength(file));
  });

  it('gives the first twenty examples of each reason', async () => {
    const { summary } = await checkFile(`to\n${'abc\n'.repeat(50)}`);
    expect(summary.reasons.not_a_number?.count).toBe(50);
    expect(summary.reasons.not_a_number?.examples.map(({ row }) => row)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 2),
    );
  });

  it('lists renewed numbers before and after', async () => {
    const { rows, summary } = await checkFile('to\n+225 07 00 00 01\n', { repair: ['CI'] });
    expect(rows).toMatchObject([{ to: '+2250707000001', repairedFrom: '+225 07 00 00 01' }]);
    expect(summary.repaired).toEqual({
      count: 1,
      examples: [{ row: 2, before: '+225 07 00 00 01', after: '+2250707000001' }],
    });
  });

  it('is not known before the last row', () => {
    expect(() => checkRecipients(pieces('to\n')).summary()).toThrow('once all rows were read');
  });

  it('survives JSON', async () => {
    const { summary } = await checkFile('to;n\n+221770000001;ç\nx;\n', { text: '{{n}}', prices: { SN: 20 } });
    expect(JSON.parse(JSON.stringify(summary))).toEqual(summary);
  });
});

describe('a reader who stops early', () => {
  it('closes the source', async () => {
    let closed = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        yield Buffer.from('to\n');
        for (let index = 0; ; index += 1) yield Buffer.from(`+22177${String(index).padStart(7, '0')}\n`);
      } finally {
        closed = true;
      }
    }
    for await (const row of checkRecipients(endless())) if (row.row > 100) break;
    expect(closed).toBe(true);
  });
});

describe('examples/recipients.csv', () => {
  it('matches the documentation', async () => {
    const example = new URL('../../../examples/recipients.csv', import.meta.url);
    const { summary } = await checkPieces(createReadStream(example), {
      country: 'SN',
      text: 'Bonjour {{prenom}}, votre solde est de {{montant}} F.',
    });
    expect(summary).toMatchObject({ total: 2_000, recipients: 1_955, skipped: 45 });
    expect(summary.reasons.duplicate?.count).toBe(20);
    expect(Object.keys(summary.countries).sort()).toEqual(['BF', 'BJ', 'CI', 'ML', 'SN', 'TG']);
  });
});

function seenOnly(number: string): NumberIndex {
  const seen = new NumberIndex();
  seen.add(number, 1);
  return seen;
}
