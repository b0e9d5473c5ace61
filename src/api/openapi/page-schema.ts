/** Schemas for readers: fields, types and meanings. */
import { html, type Html, inline } from '../../lib/html.ts';
import type { JsonSchema } from './schemas.ts';

export function fieldTable(schema: JsonSchema): Html {
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return html`<p>${typeName(schema)} ${inline(schema.description)}</p>`;
  const always = Array.isArray(schema.required) ? schema.required : [];
  return html`<table><tbody>${fields.map(([name, field]) => row(name, field, always.includes(name)))}</tbody></table>`;
}

function row(name: string, field: JsonSchema, always: boolean): Html {
  const inner = nested(field);
  const star = always ? html`<b title="always there"> *</b>` : '';
  const fields = inner ? html`<details><summary>fields</summary>${fieldTable(inner)}</details>` : '';
  return html`<tr><th scope="row"><code>${name}</code>${star}</th>
<td>${typeName(field)}</td><td>${inline(field.description)} ${limits(field)}${fields}</td></tr>`;
}

/** The nested object of a field, a list or a map. */
function nested(field: JsonSchema): JsonSchema | undefined {
  const inner = field.items ?? (field['additionalProperties'] as JsonSchema | boolean | undefined) ?? field;
  if (field.properties) return field;
  return typeof inner === 'object' && inner.properties ? inner : undefined;
}

export function typeName({ $ref, anyOf, oneOf, type, format, items = {} }: JsonSchema): Html {
  const choices = anyOf ?? oneOf;
  if ($ref !== undefined) return link($ref.split('/').at(-1) ?? '');
  if (choices) return html`${choices.map((choice, index) => html`${index > 0 ? ' or ' : ''}${typeName(choice)}`)}`;
  if (type === 'array') return html`list of ${typeName(items)}`;
  const names = typeof type === 'object' ? type.join(' or ') : (type ?? 'anything');
  return html`${names}${format ? html` (${format})` : ''}`;
}

function link(name: string): Html {
  return html`<a href="#schema-${name}">${name}</a>`;
}

function limits(field: JsonSchema): Html {
  const { enum: words, minimum, maximum, maxLength, examples } = field;
  const example: unknown = Array.isArray(examples) ? examples[0] : undefined;
  const facts = [
    ...(words ? [html`One of ${words.map((word) => html`<code>${String(word)}</code> `)}`] : []),
    ...('default' in field ? [html`Default <code>${JSON.stringify(field['default'])}</code>.`] : []),
    ...(minimum === undefined ? [] : [html`At least ${minimum}.`]),
    ...(maximum === undefined ? [] : [html`At most ${maximum}.`]),
    ...(maxLength === undefined ? [] : [html`At most ${maxLength} characters.`]),
    ...(example === undefined ? [] : [html`Such as <code>${JSON.stringify(example)}</code>.`]),
  ];
  return html`<small>${facts.map((fact) => html`${fact} `)}</small>`;
}
