import { expect, test } from 'vitest';
import { relais } from './terminal.ts';

test.each([
  [['disburse', 'show', ''], 'id'],
  [['invoice', 'show', ''], 'id'],
  [['campaign', 'start', ''], 'id'],
  [['review', 'resolve', '', '--outcome', 'failed', '--note', 'seen'], 'id'],
  [['opt-outs', 'add', ''], 'file'],
])('%j asks for nothing and is wrong usage', async (argv, name) => {
  // A request to this address would fail otherwise, with exit code 1.
  const { code, stderr } = await relais(argv, { env: { RELAIS_URL: 'http://127.0.0.1:1' } });
  expect([code, stderr]).toEqual([2, expect.stringContaining(`<${name}> is empty.`)]);
});
