/**
 * What commands, flags and arguments say of themselves. It is English where they are declared, with the route or the
 * command, and has its French here under the English: as in `told.ts`. Loaded only where somebody reads French.
 */
import { frenchFlags } from './french-flags.ts';
import { frenchHelp } from './french-help.ts';
import { frenchLabels } from './french-labels.ts';
import { frenchUsage } from './french-usage.ts';
import { typesetAll } from './typography.ts';

export const translatedHelp = typesetAll({ ...frenchHelp, ...frenchFlags });

export interface Spoken {
  /** A sentence of a declaration. */
  readonly sentence: (english: string) => string;
  /** The name of a field, as it is read: `created at`. */
  readonly label: (english: string) => string;
  /** Absent: in the words of commander. */
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
