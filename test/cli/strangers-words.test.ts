/** Untrusted text is shown on a terminal, and cannot control it. */
import { expect, test } from 'vitest';
import { relais } from './terminal.ts';

/** Clears the screen, turns the following text red, and moves back over the line. */
const ORDERS = '\u001b[2J\u001b[31m\r';
const COLUMNS = 'transactionId=Transaction,amount=Montant,date=Date';

/** Without colours, no control sequence is ours. */
const reconcile = async (file: string) =>
  relais(['reconcile', '-', '--columns', COLUMNS], { types: file, isTerminal: true, env: { NO_COLOR: '1' } });

test.each([
  ['the headings of a file without the column', `Date;"${ORDERS}Somme";Transaction\n2026-11-22;12;TX-1\n`, 'Somme'],
  ['the cell that is no amount', `Date;Montant;Transaction\n2026-11-22;"${ORDERS}douze";TX-1\n`, 'douze'],
])('%s', async (_what, file, said) => {
  const { code, stderr } = await reconcile(file);
  expect([code, stderr]).toEqual([1, expect.stringContaining(said)]);
  expect(stderr).not.toMatch(/[^\P{Cc}\n]/u);
});
