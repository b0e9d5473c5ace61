import { describe, expect, it } from 'vitest';
import { compileTemplate, renderText, UnusableTemplate } from '../../src/lib/wording.ts';

describe('a template', () => {
  it.each([
    ['Bonjour {{prenom}} !', { prenom: 'Awa' }, 'Bonjour Awa !'],
    ['{{ Prénom }}{{NOM complet}}', { prenom: 'Awa', nomcomplet: 'Ba' }, 'AwaBa'],
    ['{{a}} {{a}}', { a: '1' }, '1 1'],
    ['no variable, {one} brace', {}, 'no variable, {one} brace'],
    ['{{a}}', {}, ''],
    ['{{a}}', { a: '{{a}} $& $1' }, '{{a}} $& $1'],
    ['', {}, ''],
    ['Bonjour {{prenom|client}} !', { prenom: '' }, 'Bonjour client !'],
    ['Bonjour {{ Prénom | cher client }} !', {}, 'Bonjour cher client !'],
    ['{{a|x}} {{a|y}} {{a|}}', {}, 'x y '],
    ['{{a|x}}', { a: '1' }, '1'],
  ])('“%s” with %j reads “%s”', (text, vars, rendered) => {
    expect(renderText(compileTemplate(text), vars as Record<string, string>)).toBe(rendered);
  });

  it('names its variables once each', () => {
    expect(compileTemplate('{{B}} {{a}} {{ b }}').variables).toEqual(['b', 'a']);
  });

  it('has no need of a value where a default stands for it everywhere', () => {
    expect([...compileTemplate('{{a|x}} {{b|}} {{c}} {{a|y}} {{c|z}}').optional]).toEqual(['a', 'b']);
  });

  it.each(['{{a', 'a}}', '{{a}} {{b', '{{a{b}}', '{{}}', '{{ }}', '{{|x}}'])('“%s” is refused', (text) => {
    expect(() => compileTemplate(text)).toThrow(UnusableTemplate);
  });
});
