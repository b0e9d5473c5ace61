import { controlRoutes } from '../../src/sandbox/control.ts';
import { faultTable } from '../../src/sandbox/fault-table.ts';
import { amountMagic, disbursementMagic, type MagicRow, messageMagic, payerMagic } from '../../src/sandbox/magic.ts';
import { hostOf, operations } from '../../src/sandbox/operations.ts';
import { defaultCredentials } from '../../src/sandbox/sandbox.ts';
import { describeSettings } from '../../src/sandbox/settings.ts';
import { cardOutcomes } from '../../src/sandbox/softpay.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const row = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;

function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  return [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
}

const magic = (head: string, rows: Record<string, MagicRow<string>>): string =>
  table(
    [head, 'outcome', 'what happens'],
    Object.entries(rows).map(([ending, { outcome, says }]) => [`…${ending}`, outcome, says]),
  );

/** The tables between `<!-- name -->` and `<!-- /name -->` in docs/sandbox.md and docs/sandbox-reference.md. */
export const generated: Readonly<Record<string, string>> = {
  credentials: table(
    ['key', 'value'],
    Object.entries(defaultCredentials).map(([name, value]) => [`\`${name}\``, `\`${value}\``]),
  ),
  endpoints: table(
    ['operation', 'host', 'request'],
    operations.map(([name, operation]) => [
      `\`${name}\``,
      hostOf(operation),
      [operation.paths.test, operation.paths.live]
        .filter((path) => path !== undefined)
        .map((path) => `\`${operation.method} ${path}\``)
        .join(', '),
    ]),
  ),
  control: table(
    ['request', 'what it does'],
    Object.entries(controlRoutes).map(([route, { does }]) => [`\`${route}\``, does]),
  ),
  faults: table(
    ['fault', 'where', 'what happens', 'strikes'],
    Object.entries(faultTable).map(([name, { stage, does, on }]) => [
      name,
      stage,
      does,
      on.map((pattern) => (pattern === '*' ? 'every request' : `\`${pattern}\``)).join(', '),
    ]),
  ),
  'magic-disbursements': magic('`account_alias` ends in', disbursementMagic),
  'magic-messages': magic('`to` ends in', messageMagic),
  'magic-payers': magic('the payer’s number ends in', payerMagic),
  'magic-amounts': magic('the amount ends in', amountMagic),
  'magic-cards': table(
    ['`card_number`', 'outcome'],
    [...cardOutcomes].map(([number, outcome]) => [`\`${number}\``, outcome]),
  ),
  settings: table(
    ['setting', 'at the start', 'meaning'],
    describeSettings().map(({ name, initial, says }) => [`\`${name}\``, `\`${JSON.stringify(initial)}\``, says]),
  ),
};

/** The page with each of its generated tables brought up to date. */
export function withGeneratedParts(page: string): string {
  return Object.entries(generated).reduce(
    (text, [name, part]) =>
      text.replace(
        new RegExp(`(<!-- ${name} -->\\n)[^]*?(<!-- /${name} -->)`),
        (_all, open: string, close: string) => `${open}${part}\n${close}`,
      ),
    page,
  );
}
