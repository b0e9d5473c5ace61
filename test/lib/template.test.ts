import { describe, expect, it } from 'vitest';
import { compileTemplate, renderText, requireUsable, UnusableTemplate } from '../../src/lib/wording.ts';

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
    ['{{ a | default("cher client") }}', {}, 'cher client'],
    ["{{a|default('')}}.", {}, '.'],
    ['{{ a | default: "client" }}', {}, 'client'],
    ['{{ a | default “client” }}', {}, 'client'],
    ['{{ a | "client" }}', {}, 'client'],
    ["{{a|' x '}}", {}, ' x '],
    ['{{a|« client »}}', {}, 'client'],
    ['{{a|"upper"}}', {}, 'upper'],
    ["{{a|l'ami d'Awa}}", {}, "l'ami d'Awa"],
    ['{{a|client(e)}}', {}, 'client(e)'],
    ['{{a|Cher: client}}', {}, 'Cher: client'],
    ['{{a|x|y}}', {}, 'x|y'],
  ])('“%s” with %j reads “%s”', (text, vars, rendered) => {
    expect(renderText(compileTemplate(text), vars as Record<string, string>)).toBe(rendered);
  });

  it('names its variables once each', () => {
    expect(compileTemplate('{{B}} {{a}} {{ b }}').variables).toEqual(['b', 'a']);
  });

  it('needs no value if every use has a default', () => {
    expect([...compileTemplate('{{a|x}} {{b|}} {{c}} {{a|y}} {{c|z}}').optional]).toEqual(['a', 'b']);
  });

  it.each([
    '{{ a | upper }}',
    '{{a|Capitalize}}',
    '{{ a | default }}',
    '{{ a | default(b) }}',
    '{{ a | default: b }}',
    '{{ a | default("x") | upper }}',
    '{{ a | x | trim }}',
    '{{ a || "x" }}',
    '{{ a | replace("x", "y") }}',
    '{{ a | date: "%d/%m" }}',
    '{{ a | date:"%d/%m" }}',
    '{{ a | "x }}',
    '{{ a | "x" + "y }}',
  ])('“%s” is code of another template language: refused in a new text', (text) => {
    const refused = expect(() => requireUsable(`Bonjour ${text}`));
    refused.toThrow(expect.objectContaining({ name: 'UnusableTemplate', code: 'filter', about: text }));
    // A campaign accepted earlier is still sent.
    expect(() => compileTemplate(text)).not.toThrow();
  });

  it.each([
    ['   ', 'blank'],
    ['Bonjour \u001b', 'controls'],
    ['Bonjour \ud83d', 'half'],
    ['{{a', 'braces'],
  ])('%j is refused in a new text: %s', (text, code) => {
    expect(() => requireUsable(text)).toThrow(expect.objectContaining({ code }));
  });

  it.each(['', 'Bonjour {{a|client}}', 'Bonjour {{ a | default("client") }}'])('“%s” is usable', (text) => {
    expect(() => requireUsable(text)).not.toThrow();
  });

  it.each(['{{a', 'a}}', '{{a}} {{b', '{{a{b}}', '{{}}', '{{ }}', '{{|x}}'])('“%s” is refused', (text) => {
    expect(() => compileTemplate(text)).toThrow(UnusableTemplate);
  });
});
