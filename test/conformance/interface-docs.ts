/** docs/dev/interface.md: each row of the interface, and the code that handles it. */
import { failures } from '../../src/provider/verdict.ts';
import { table } from '../docs/page.ts';
import { askedBy, carriedOutBy, leftAlone, limitsIn, readBy, silences, statesIn, tablesIn } from './handled-by.ts';
import { facts, operationNames, operations } from './interface-page.ts';

const code = (text: string): string => `\`${text}\``;
const link = (file: string): string => `[${file}](../../${file})`;

export function docsPage(): string {
  const sections = [
    ['Operations', operationsTable()],
    ['Fields that are sent', requestTable()],
    ['Fields that are read', responseTable()],
    ['Softpay', softpayTable()],
    ['States', statesTable()],
    ['Error codes', errorsTable()],
    ['Limits', limitsTable()],
    ['Values', valuesTable()],
    ['Where the interface is silent, or says two things', silenceTable()],
  ];
  return `# Provider interface: which code handles which row

This page is for people who change the code. \`test/conformance\` prints it. The facts of the interface are in interface.json, and each was
compared with the interface by hand. Tests ask the client about each fact, and the sandbox, which was written separately from
the same interface.

${sections.map(([title, body]) => `## ${title}\n\n${body}`).join('\n\n')}
`;
}

function operationsTable(): string {
  const rows = operationNames.map((name) => {
    const { method, paths } = operations[name];
    const where = [paths.live, paths.test]
      .filter((path) => path !== undefined)
      .map((path) => code(`${method} ${path}`));
    return [code(name), where.join(', '), link(askedBy[name]), link(carriedOutBy[name])];
  });
  return table(['operation', 'request', 'asked by', 'carried out by'], rows);
}

function requestTable(): string {
  const rows = operationNames.map((name) => {
    const fields = Object.entries(operations[name].request).map(([path, type]) => `${code(path)} ${type}`);
    return [code(name), fields.join(', '), link(askedBy[name])];
  });
  return table(['operation', 'fields', 'written by'], rows);
}

function responseTable(): string {
  const rows = operationNames.map((name) => {
    const [read, unread] = [true, false].map((isRead) =>
      operations[name].response
        .filter((path) => (leftAlone[path] === undefined) === isRead)
        .map(code)
        .join(' '),
    );
    return [code(name), read ?? '', unread ?? '', link(readBy[name] ?? askedBy[name])];
  });
  const reasons = Object.entries(leftAlone).map(([path, why]) => `- ${code(path)}: ${why}`);
  const head = table(['operation', 'fields', 'not read', 'read by'], rows);
  return `${head}\n\nReasons why relais does not read a field:\n\n${reasons.join('\n')}`;
}

function softpayTable(): string {
  const rows = Object.entries(facts.softpay.methods).map(([suffix, { fields, extra }]) => [
    code(suffix),
    fields.map(code).join(' '),
    extra.map(code).join(' '),
  ]);
  const by = `${link(tablesIn.softpay)}, called by ${link('src/api/softpay.ts')}.`;
  return `${by}\n\n${table(['path', 'fields', 'a success carries besides'], rows)}`;
}

function statesTable(): string {
  const states = Object.entries(facts.states).map(([kind, words]) => [
    kind,
    words.map(code).join(' '),
    link(statesIn[kind] ?? ''),
  ]);
  const arrows = facts.transitions.map(([kind = '', from = '', trigger = '', to = '']) => [kind, from, trigger, to]);
  const recovery = Object.entries(facts['recovery after a submit']).map(([status, what]) => [code(status), what]);
  return [
    table(['of', 'words', 'decided upon by'], states),
    table(['of', 'from', 'trigger', 'to'], arrows),
    `After a submit that was not answered with ${code('00')}, ${link('src/processors/disbursement/judge.ts')}:`,
    table(['status', 'what is done'], recovery),
  ].join('\n\n');
}

function errorsTable(): string {
  const { payment, 'payment request': paymentRequest, balance, sms } = facts.errors;
  const rows = [
    ...payment.map(({ operation, http, code: word, text, is }) => [
      code(operation),
      code(word),
      `${text} (HTTP ${http})`,
      is,
    ]),
    ...paymentRequest.flatMap(({ code: word, text, is }) =>
      Object.entries(is).map(([operation, verdict]) => [code(operation), code(word), text, verdict]),
    ),
    ...balance.map(({ message, is }) => [code('balance'), '', message, is]),
    ...Object.entries(sms).map(([word, { description, is }]) => [
      Object.keys(is).map(code).join(' '),
      code(word),
      description,
      Object.values(is).join(', '),
    ]),
  ];
  const by = `All in ${link(tablesIn.errors)}, with what we find out ourselves: ${Object.keys(failures).length} rows.`;
  return `${by}\n\n${table(['operation', 'code', 'meaning', 'verdict'], rows)}`;
}

function limitsTable(): string {
  const rows = Object.entries(facts.limits).map(([limit, value]) => [
    limit,
    Array.isArray(value) ? value.join(' to ') : String(value),
    link(limitsIn[limit]?.[0] ?? ''),
  ]);
  return table(['limit', 'value', 'kept by'], rows);
}

function valuesTable(): string {
  const { authentication } = facts;
  const rows = [
    ['withdraw modes', facts['withdraw modes'].map(code).join(' '), link(tablesIn['withdraw modes'])],
    ['countries of balances', facts['balance countries'].map(code).join(' '), link(tablesIn['balance countries'])],
    ['payment headers', authentication['payment headers'].map(code).join(' '), link(tablesIn['payment headers'])],
    ['Accept of every SMS call', code(authentication['sms accept']), link(askedBy.sms_login)],
    ['callbacks', 'invoices and disbursements', link(tablesIn.callbacks)],
    [
      'fields of callbacks',
      facts.events['disbursement notification'].fields.map(code).join(' '),
      link(tablesIn['callback fields']),
    ],
  ];
  return table(['what', 'values', 'known to'], rows);
}

function silenceTable(): string {
  return table(
    ['what', 'what is done', 'by'],
    silences.map(([what, done, file]) => [what, done, link(file)]),
  );
}
