/** Parsers of flag values. Each refuses with the expected format; commander adds the flag. */
import { type Command, InvalidArgumentError } from 'commander';
import { type Encoding, encodingOf, encodings } from '../files/encodings.ts';
import { toMs } from '../lib/clock.ts';
import { english } from '../messages/english.ts';
import { type Values, type ValuesOf, filled } from '../messages/said.ts';
import { MessageError } from '../messages/texts.ts';

type Forms = typeof english.commands.flags;

/** An invalid value, with the expected format; in French the message is printed where it is caught. */
export function wrongValue<F extends keyof Forms>(
  form: F,
  values: Values & ValuesOf<Forms[F]>,
): InvalidArgumentError {
  return new InvalidArgumentError(filled(english.commands.flags[form], values));
}

/** XOF has no minor unit; a decimal would be rounded somewhere. */
export function xof(text: string): number {
  const amount = /^\d{1,13}$/.test(text) ? Number(text) : 0;
  if (amount <= 0) throw wrongValue('francs', {});
  return amount;
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw wrongValue('whole', {});
  return Number(text);
}

export function atLeastOne(text: string): number {
  const count = wholeNumber(text);
  if (count === 0) throw wrongValue('wholeFromOne', {});
  return count;
}

export function durationMs(text: string): number {
  try {
    return toMs(text);
  } catch (error) {
    if (!(error instanceof MessageError)) throw error;
    throw wrongValue('duration', {});
  }
}

/** `a,b` of known words; unknown ones are refused with the list. */
export function listOf<const Word extends string>(words: readonly Word[]): (text: string) => readonly Word[] {
  return (text) => {
    const asked = text.split(',').map((part) => part.trim());
    const wrong = asked.filter((part) => !words.some((word) => word === part));
    if (wrong.length > 0) throw wrongValue('unknown', { wrong: wrong.join(', '), known: words.join(', ') });
    return [...new Set(asked)] as Word[];
  };
}

export function encoding(text: string): Encoding {
  const known = encodingOf(text);
  if (!known) throw wrongValue('unknown', { wrong: text, known: encodings.join(', ') });
  return known;
}

export function withEncoding(command: Command): Command {
  return command.option('--encoding <name>', 'encoding of a text file, if it is not recognised: cp850', encoding);
}

/** A repeatable flag. */
export function repeated(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** Two letters, as in SN. */
export function country(text: string): string {
  if (!/^[a-z]{2}$/i.test(text)) throw wrongValue('country', {});
  return text.toUpperCase();
}

/** Lists of commands show the first sentence of each description; the help of a command shows all of it. */
export const lineOf = (command: Command): string => command.description().split('. ')[0] ?? '';

/** A command whose help ends with an example to copy. */
export function withExample(command: Command, example: string): Command {
  return command.addHelpText('after', ({ command: asked }) => {
    return `\n${asked.createHelp().styleTitle('Example:')}\n  ${example}`;
  });
}
