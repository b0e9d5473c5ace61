/** The French help of every command, and of command-line errors. */
import { type Argument, type Command, type CommanderError, Help, type Option } from 'commander';
import { english } from '../messages/english.ts';
import type { Spoken } from '../messages/help.ts';
import { filled, readBack } from '../messages/said.ts';
import { lineOf } from './flags.ts';
import type { Speech } from './speech.ts';

/** Descriptions, flags and arguments are declared in English. */
export function translate(program: Command, { sentence, usage }: Spoken): void {
  if (usage === undefined) return;
  const named = (term: string): string => namedIn(usage.names, term);
  const plain = new Help();
  program.configureHelp({
    subcommandDescription: lineOf,
    styleTitle: sentence,
    styleUsage: named,
    styleOptionTerm: named,
    styleArgumentTerm: named,
    styleSubcommandTerm: named,
    optionDescription: (option: Option) => usage.extra(plain.optionDescription(option)),
    argumentDescription: (argument: Argument) => usage.extra(plain.argumentDescription(argument)),
  });
  const each = (command: Command): void => {
    const help = sentence('display help for command');
    command.description(sentence(command.description()));
    command.helpOption('-h, --help', help);
    for (const option of command.options) option.description = sentence(option.description);
    for (const argument of command.registeredArguments) argument.description = sentence(argument.description);
    if (command.commands.length > 0) command.helpCommand('help [command]', help);
    for (const one of command.commands) {
      one.copyInheritedSettings(program);
      each(one);
    }
  };
  each(program);
}

/** `--amount <number>` → `--amount <nombre>` */
function namedIn(names: Readonly<Record<string, string>>, term: string): string {
  return term.replace(/([<[])([\w:-]+)(?=\.*[>\]])/g, (written, open: string, name: string) =>
    Object.hasOwn(names, name) ? `${open}${names[name] ?? name}` : written,
  );
}

/** Commander quotes the subject in its own sentence. Empty: no error. */
export function describeUsage({ code, message }: CommanderError, { spoken: { usage }, words }: Speech): string {
  const said: Readonly<Record<string, (first: string, second: string) => string>> = usage?.said ?? {};
  const [first = '', second = ''] = [...message.matchAll(/'([^']*)'/g)].map(([, name = '']) =>
    namedIn(usage?.names ?? {}, name),
  );
  const meant = /\(Did you mean (.+?)\?\)/.exec(message)?.[1];
  const why = /is invalid(?: for argument '[^']*')?\. (.*)$/s.exec(message)?.[1] ?? '';
  const choices = /^Allowed choices are (.*)\.$/.exec(why)?.[1];
  const because = choices === undefined ? formIn(words.commands.flags, why) : (usage?.choices(choices) ?? '');
  if (!Object.hasOwn(said, code)) return '';
  return [
    said[code]?.(first, second),
    ...(because === '' ? [] : [because]),
    ...(meant === undefined || !usage ? [] : [usage.didYouMean(meant)]),
  ].join('\n');
}

/** Commander returns the English text of a format (`wrongValue`) with its values. */
function formIn(forms: Readonly<Record<string, string>>, said: string): string {
  for (const [form, sentence] of Object.entries(english.commands.flags)) {
    const values = readBack(sentence, said);
    if (values !== undefined) return filled(forms[form] ?? sentence, values);
  }
  return said;
}
