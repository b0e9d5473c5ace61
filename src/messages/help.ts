/**
 * Help of commands, flags and arguments. English is declared with the route or the command, and its French is here,
 * keyed by the English (see `told.ts`). Loaded only for French users.
 */
import { frenchFlags } from './french-flags.ts';
import { frenchHelp } from './french-help.ts';
import { frenchLabels } from './french-labels.ts';
import { frenchUsage } from './french-usage.ts';
import { typesetAll } from './typography.ts';

export const translatedHelp = typesetAll({ ...frenchHelp, ...frenchFlags });

export interface Spoken {
  /** A declared sentence. */
  readonly sentence: (english: string) => string;
  /** The displayed name of a field: `created at`. */
  readonly label: (english: string) => string;
  /** Absent: commander's own texts. */
  readonly usage?: typeof frenchUsage;
}

export const inFrench: Spoken = {
  sentence: (said) => {
    // A closed list of names follows: `only these queues, of intake,batch`.
    const [, head = said, names] = /^(.+), of (\S+)$/.exec(said) ?? [];
    const french = own(translatedHelp, head);
    return names === undefined ? french : `${french}, parmi ${names}`;
  },
  label: (label) => own(frenchLabels, label),
  usage: frenchUsage,
};

function own(table: Readonly<Record<string, string>>, key: string): string {
  return Object.hasOwn(table, key) ? (table[key] ?? key) : key;
}
