/** A campaign's text to a few test recipients: as single messages, never part of the campaign. */
import type { CheckSummary } from '../campaigns/check/report.ts';
import { readInternationalNumber } from '../lib/written-number.ts';
import { CommandFailed } from './failure.ts';
import { wrongValue } from './flags.ts';
import type { ExitCode } from './io.ts';
import { printable } from './output.ts';
import type { Shell } from './shell.ts';

const MOST = 10;

/** `+221771234567,+22890123456` */
export function testNumbers(text: string): readonly string[] {
  const read = text.split(',').map((written) => ({ written, ...readInternationalNumber(written) }));
  const wrong = read.flatMap((one) => ('problem' in one ? [printable(one.written.trim())] : []));
  const numbers = read.flatMap((one) => ('number' in one ? [one.number] : []));
  if (wrong.length > 0) throw wrongValue('phones', { wrong: wrong.join(', ') });
  if (numbers.length > MOST) throw wrongValue('phonesMost', { most: MOST });
  return [...new Set(numbers)];
}

export interface TestSend {
  readonly numbers: readonly string[];
  readonly from?: string | undefined;
  readonly account?: string | undefined;
  readonly yes?: true | undefined;
}

/** Sends the text of the first recipient. Returns 1 if any message was not sent. */
export async function testSend(
  { preview }: CheckSummary,
  { numbers, from, account, yes }: TestSend,
  shell: Shell,
): Promise<ExitCode> {
  const first = preview?.find(({ why }) => why.includes('first'));
  if (!first) throw new CommandFailed(shell.words.campaign.noTest, { next: shell.words.campaign.noTestNext });
  const question = `\n${shell.words.campaign.testQuestion(first.row, printable(first.text), numbers.join(', '))}`;
  if (!(await shell.confirmed(question, yes))) return 1;
  // Sequential: after a refusal it is clear which were sent.
  for (const to of numbers) {
    const message = { to, text: first.text, ...(from && { from }), ...(account && { account }) };
    const { body } = await shell.api.post('/v1/messages', message);
    const [{ id, outcome } = {}] = (body['items'] ?? []) as readonly {
      readonly id?: string;
      readonly outcome?: string;
    }[];
    // A note: with --json, only the report is printed.
    await shell.output.note(shell.words.commands.testSent(to, printable(outcome), printable(id)));
  }
  return 0;
}
