import { describe, expect, it } from 'vitest';
import { compileTemplate, renderText, UnusableTemplate } from '../../src/lib/template.ts';

describe('a template', () => {
  it.each([
    ['Bonjour {{prenom}} !', { prenom: 'Awa' }, 'Bonjour Awa !'],
    ['{{ Prénom }}{{NOM complet}}', { prenom: 'Awa', nomcomplet: 'Ba' }, 'AwaBa'],
    ['{{a}} {{a}}', { a: '1' }, '1 1'],
    ['no variable, {one} brace', {}, 'no variable, {one} brace'],
    ['{{a}}', {}, ''],
    ['{{a}}', { a: '{{a}} $& $1' }, '{{a}} $& $1'],
    ['', {}, ''],
  ])('“%s” with %j reads “%s”', (text, vars, rendered) => {
    expect(renderText(compileTemplate(text), vars as Record<string, string>)).toBe(rendered);
  });

  it('names its variables once each', () => {
    expect(compileTemplate('{{B}} {{a}} {{ b }}').variables).toEqual(['b', 'a']);
  });

  it.each(['{{a', 'a}}', '{{a}} {{b', '{{a{b}}', '{{}}', '{{ }}'])('“%s” is refused', (text) => {
    expect(() => compileTemplate(text)).toThrow(UnusableTemplate);
  });
});
