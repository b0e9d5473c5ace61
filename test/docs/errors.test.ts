import { expect, test } from 'vitest';
import { problemKinds } from '../../src/api/problem.ts';
import { rules } from '../../src/kinds/rules.ts';
import { expectPage, table } from './page.ts';

test('docs/errors.md has every problem type and every rule with its remedy', () => {
  const problems = Object.entries(problemKinds)
    .toSorted(([, a], [, b]) => a.status - b.status)
    .map(([kind, { status, title, next }]) => [String(status), `\`${kind}\``, title, next]);
  const remedies = Object.entries(rules).map(([rule, next]) => [`\`${rule}\``, next]);
  expect(problems.length).toBeGreaterThan(20);
  expectPage(
    'docs/errors.md',
    `# Errors: problem types and rules

This page is for developers who handle refusals of the HTTP API. A refusal is \`application/problem+json\` (RFC 9457). Compare the last
part of \`type\`, \`rule\` and \`code\`; the texts are for people, and follow \`Accept-Language\`.

| field | contains |
| --- | --- |
| \`type\`, \`status\`, \`title\` | the problem type of the first table |
| \`detail\` | the field, the value or the limit |
| \`rule\` | at 403 and 409: the rule of the second table |
| \`problems\` | at 422: each field, as \`pointer\` and \`message\` |
| \`next\` | what to do |

## Problem types

${table(['status', 'type ends in', 'title', 'what to do'], problems)}

## Rules of refusals

${table(['rule', 'what to do'], remedies)}
`,
  );
});
