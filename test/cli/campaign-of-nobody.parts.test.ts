import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { apiThat } from './api-double.ts';
import { relais } from './terminal.ts';

test.each([[[]], [['--json']]])(
  'a file without recipients creates no campaign, with the reason: %j',
  async (flags) => {
    const folder = mkdtempSync(join(tmpdir(), 'relais-cli-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'nobody.csv');
    writeFileSync(file, 'to\n12\n13\n');
    const { asked, env } = await apiThat(() => ({ status: 201, body: { id: 'cmp_1', name: 'n', state: 'draft' } }));
    const create = ['campaign', 'create', '--name', 'n', '--text', 't', '--country', 'SN', file, ...flags];
    const { code, stdout, stderr } = await relais(create, { env });
    expect([code, asked]).toEqual([1, []]);
    expect(stdout).toContain('too_short');
    expect(stderr).toContain('No recipient would get an SMS');
  },
);
