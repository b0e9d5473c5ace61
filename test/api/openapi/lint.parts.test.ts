import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { makeDocument } from '../../../src/api/openapi/document.ts';
import { routes } from '../../../src/api/routes.ts';

const LINTER = fileURLToPath(new URL('../../../node_modules/@redocly/cli/bin/cli.js', import.meta.url));
const RULES = fileURLToPath(new URL('redocly.yaml', import.meta.url));

interface Verdict {
  readonly totals: { readonly errors: number; readonly warnings: number };
  readonly problems: readonly { readonly ruleId: string; readonly message: string }[];
}

async function lint(document: object): Promise<Verdict> {
  const folder = await mkdtemp(join(tmpdir(), 'openapi-'));
  try {
    const file = join(folder, 'openapi.json');
    await writeFile(file, JSON.stringify(document));
    const env = { PATH: process.env['PATH'], REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const asked = [LINTER, 'lint', file, '--config', RULES, '--format', 'json'];
    // It exits with 1 and prints its complaints to stdout.
    const said = await new Promise<string>((resolve) => {
      execFile(process.execPath, asked, { env, maxBuffer: 1e8 }, (_error, stdout, stderr) =>
        resolve(stdout || stderr),
      );
    });
    return JSON.parse(said.slice(said.indexOf('{'))) as Verdict;
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('a linter that is not ours finds nothing to complain about', async () => {
  const { problems, totals } = await lint(makeDocument(routes));
  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  expect(totals).toMatchObject({ errors: 0, warnings: 0 });
});
