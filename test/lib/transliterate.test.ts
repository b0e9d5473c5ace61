import { describe, expect, it } from 'vitest';
import { costlyIn, transliterate, replacementFor, countSegments } from '../../src/lib/segments.ts';

describe('costly characters', () => {
  it.each(Array.from('êçœ«»’âîôûëïÀÈÊ…–“”\u00a0'))('%s forces UCS-2 and has a look-alike that does not', (char) => {
    expect(countSegments(char).encoding).toBe('UCS-2');
    expect(countSegments(transliterate(char)).encoding).toBe('GSM-7');
  });

  it('are named once each', () => {
    expect([...costlyIn('Fête de l’été, fête 😀')]).toEqual(['ê', '’', '😀']);
    expect(costlyIn('é à ù Ç € are cheap').size).toBe(0);
  });

  it('are replaced by readable look-alikes', () => {
    expect(transliterate('Sœur Françoise, « fête » – l’été…')).toBe('Soeur Francoise, " fete " - l\'été...');
  });

  it('keep the accents GSM-7 has, even when typed as two characters', () => {
    expect(transliterate('e\u0301te\u0301 c\u0327a')).toBe('été ca');
  });

  it('are left out when they show nothing of their own', () => {
    expect(transliterate('a\u200bb\u0301c')).toBe('abc');
  });

  it('stay where nothing reads the same', () => {
    expect(replacementFor('😀')).toBeUndefined();
    expect(replacementFor('日')).toBeUndefined();
    expect(replacementFor('й')).toBeUndefined();
    expect(transliterate('ok 😀 日')).toBe('ok 😀 日');
  });
});
