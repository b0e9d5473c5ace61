/** The text of a campaign to a few people who know that it comes: as single messages, never part of the campaign. */
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

/** Sends what the first recipient would read. Answers 1 when nothing was sent, or not to all. */
export async function testSend(
  { preview }: CheckSummary,
  { numbers, from, account, yes }: TestSend,
  shell: Shell,
): Promise<ExitCode> {
  const first = preview?.find(({ why }) => why.includes('first'));
  if (!first) throw new CommandFailed(shell.words.campaign.noTest, { next: shell.words.campaign.noTestNext });
  const question = `\n${shell.words.campaign.testQuestion(first.row, printable(first.text), numbers.join(', '))}`;
  if (!(await shell.confirmed(question, yes))) return 1;
  // One after the other: where one is refused, it is plain which were sent to before.
  for (const to of numbers) {
    const message = { to, text: first.text, ...(from && { from }), ...(account && { account }) };
    const { body } = await shell.api.post('/v1/messages', message);
    const [{ id, outcome } = {}] = (body['items'] ?? []) as readonly {
      readonly id?: string;
      readonly outcome?: string;
    }[];
    // A note: with --json, what is printed is the report alone.
    await shell.output.note(shell.words.commands.testSent(to, printable(outcome), printable(id)));
  }
  return 0;
}
