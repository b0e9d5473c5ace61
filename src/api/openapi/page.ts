/** The page at /docs: one file without scripts, so that it works wherever relais does. */
import type { OpenApiDocument } from './document.ts';
import { code, html, Html, inline, prose } from '../../lib/html.ts';
import { operationSection } from './page-operation.ts';
import { fieldTable } from './page-schema.ts';
import { STYLE } from './page-style.ts';
import type { JsonSchema } from './schemas.ts';

/** The id is inside the folded element, so that a link to it unfolds it. */
export function renderPage(document: OpenApiDocument): string {
  const { info, tags, components } = document;
  const schemas = components['schemas'] ?? {};
  const chapters = tags.map(({ name, description }) => chapter(document, name, description));
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>relais: HTTP</title><style>${new Html(STYLE)}</style></head><body>
<nav><h1>relais</h1><p><a href="/openapi.json">openapi.json</a><a href="/v1/schemas/intake">intake schema</a></p>
${tags.map(({ name }) => html`<a href="#${anchor(name)}">${name}</a>`)}
<a href="#events-posted">Events that are posted</a><a href="#schemas">Schemas</a></nav>
<main>${prose((info.description ?? '').replace(/(?<!\n)\n(?!\n)/g, ' '))}${chapters}
<h2 id="events-posted">Events that are posted</h2>
${Object.entries(document.webhooks).map(([type, { post }]) => eventSection(type, post as JsonSchema))}
<h2 id="schemas">Schemas</h2><p>Fields with <b>*</b> are always there. More may be added.</p>
${Object.entries(schemas).map(([name, schema]) => schemaSection(name, schema))}
</main></body></html>
`.text;
}

const anchor = (name: string): string => name.toLowerCase().replaceAll(' ', '-');

function chapter({ paths, components }: OpenApiDocument, tag: string, description: string): Html {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => (operation['tags'] as string[]).includes(tag))
      .map(([method, operation]) => operationSection(method, path, operation, components)),
  );
  return html`<h2 id="${anchor(tag)}">${tag}</h2>${prose(description)}${operations}`;
}

function eventSection(type: string, post: JsonSchema): Html {
  const { content } = post['requestBody'] as {
    content: Record<string, { examples: Record<string, { value: unknown }> }>;
  };
  const value = content['application/json']?.examples[type]?.value;
  return html`<details class="operation"><summary><span class="method event">EVENT</span>
<code>${type}</code> <span class="says">${inline(post.summary)}</span></summary><div id="event-${type}">${code(value)}</div></details>`;
}

function schemaSection(name: string, schema: JsonSchema): Html {
  return html`<details class="operation"><summary><code>${name}</code>
<span class="says">${inline(schema.description)}</span></summary><div id="schema-${name}">${fieldTable(schema)}</div></details>`;
}
