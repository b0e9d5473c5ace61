/** One operation for readers: request, answers, refusals. */
import { code, html, type Html, inline, prose } from '../../lib/html.ts';
import { typeName } from './page-schema.ts';
import type { JsonSchema } from './schemas.ts';

interface Operation extends JsonSchema {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly security: readonly JsonSchema[];
  readonly parameters?: readonly JsonSchema[];
  readonly requestBody?: { readonly description: string; readonly content: Content };
  readonly responses: Readonly<Record<string, { $ref?: string; description?: string; content?: Content }>>;
}

type Content = Readonly<
  Record<string, { schema: JsonSchema; examples?: Readonly<Record<string, { value: unknown }>> }>
>;
type Components = Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;

export function operationSection(method: string, path: string, given: JsonSchema, components: Components): Html {
  const operation = given as Operation;
  const { operationId, summary, description, requestBody } = operation;
  return html`<details class="operation"><summary><span class="method ${method}">${method.toUpperCase()}</span>
<code>${path}</code> <span class="says">${inline(summary)}</span></summary>
<div id="${operationId}">${prose(description)}</div>
${parameterTable(operation, components)}
${requestBody ? html`<h4>Body</h4>${prose(requestBody.description)}${contentOf(requestBody.content)}` : ''}
<h4>Try it</h4>${code(curlOf(method, path, operation))}
<h4>Answers</h4>${Object.entries(operation.responses).map(([status, response]) => answerRow(status, response, components))}
</details>`;
}

function parameterTable({ parameters = [] }: Operation, components: Components): Html | undefined {
  const resolved = parameters.map((one) => resolve(one, components));
  if (resolved.length === 0) return undefined;
  return html`<h4>Parameters</h4><table><tbody>${resolved.map(
    (
      one,
    ) => html`<tr><th scope="row"><code>${String(one['name'])}</code>${one['required'] ? html`<b> *</b>` : ''}</th>
<td>${String(one['in'])}</td><td>${typeName((one['schema'] ?? {}) as JsonSchema)}</td><td>${inline(one.description)}</td></tr>`,
  )}</tbody></table>`;
}

function contentOf(content: Content = {}): Html {
  return html`${Object.entries(content).map(
    ([
      type,
      { schema, examples = {} },
    ]) => html`<p><code>${type}</code> ${typeName(schema)} ${inline(schema.description)}</p>
${Object.values(examples).map(({ value }) => code(value))}`,
  )}`;
}

/** All refusals have one format, so only their types are listed. */
function answerRow(status: string, response: Operation['responses'][string], components: Components): Html {
  const { description, content = {} } = resolve(response, components) as Operation['responses'][string];
  const kinds = Object.keys(content['application/problem+json']?.examples ?? {});
  if (kinds.length > 0) {
    const types = kinds.map((kind) => html`<code>…/${kind}</code> `);
    return html`<p class="answer bad"><b>${status}</b> ${inline(description)} <small>${types}</small></p>`;
  }
  return html`<details class="answer good"><summary><b>${status}</b> ${inline(description)}</summary>${contentOf(content)}</details>`;
}

function resolve(value: JsonSchema, components: Components): JsonSchema {
  const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec(value.$ref ?? '') ?? [];
  return components[kind]?.[name] ?? value;
}

/** Ready to paste: key and address are those of `relais dev`. */
function curlOf(method: string, path: string, { security, requestBody }: Operation): string {
  const [type, body] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const value = Object.values(body?.examples ?? {})[0]?.value;
  const data = typeof value === 'string' ? value : JSON.stringify(value);
  const parts = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}http://127.0.0.1:3000${path}`,
    ...(security.length > 0 ? ["-H 'Authorization: Bearer dev'"] : []),
    ...(type === undefined ? [] : [`-H 'Content-Type: ${type}'`, `--data-binary $'${forShell(data)}'`]),
  ];
  return parts.join(' \\\n  ');
}

function forShell(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n').replaceAll('\r', '\\r');
}
