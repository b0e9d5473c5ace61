/** The tables of the page against those of the client and of the sandbox, and docs/dev/interface.md from all three. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { balanceCountries } from '../../src/sandbox/settings.ts';
import { softpayMethods } from '../../src/sandbox/softpay-methods.ts';
import { isWithdrawMode } from '../../src/sandbox/withdraw-modes.ts';
import { operations as sandboxOperations } from '../../src/sandbox/operations.ts';
import { countries } from '../../src/lib/countries.ts';
import { withdrawModes } from '../../src/provider/capabilities.ts';
import { failures } from '../../src/provider/verdict.ts';
import { softpayPaths } from '../../src/provider/payments/softpay-table.ts';
import { expectPage } from '../docs/page.ts';
import {
  askedBy,
  carriedOutBy,
  envelopes,
  leftAlone,
  limitsIn,
  readBy,
  silences,
  statesIn,
  tablesIn,
} from './handled-by.ts';
import { docsPage } from './interface-docs.ts';
import { type OperationName, answersOf, facts, operationNames, operations } from './interface-page.ts';

const ROOT = new URL('../../', import.meta.url);
const textOf = (file: string): string => readFileSync(new URL(file, ROOT), 'utf8');
const lastOf = (path: string): string => path.split('.').at(-1) ?? '';

describe.for(operationNames)('%s', (name) => {
  test('every sent field is at its documented position', () => {
    const text = textOf(askedBy[name]);
    const fields = Object.keys(operations[name].request).map(lastOf);
    expect(fields.filter((field) => !text.includes(field))).toEqual([]);
  });

  test('every field of its answer is read, or left alone for a reason', () => {
    const area = operations[name].area === 'crm' ? 'messaging' : 'payments';
    const text = textOf(readBy[name] ?? askedBy[name]) + textOf(envelopes[area]);
    const unread = operations[name].response.filter((path) => {
      const field = lastOf(path).replace(/^Balance [A-Z]{2}$/, 'Balance ');
      return !text.includes(field) && !(path in leftAlone);
    });
    expect(unread).toEqual([]);
  });
});

test('the endpoints of the sandbox are those of the page', () => {
  const own = sandboxOperations
    .filter(([operation]) => !operation.startsWith('softpay'))
    .map(([, { method, paths }]) => `${method} ${paths.test ?? ''} ${paths.live}`);
  const page = operationNames.map((name) => {
    const { method, paths } = operations[name];
    const star = (path: string): string => path.replace(/\{\w+\}$/, '*');
    return `${method} ${star(paths.test ?? '')} ${star(paths.live)}`;
  });
  expect(own.sort()).toEqual(page.sort());
});

test('the withdraw modes are those of the page, here and in the sandbox', () => {
  expect(Object.keys(withdrawModes).sort()).toEqual([...facts['withdraw modes']].sort());
  expect(facts['withdraw modes'].filter((mode) => !isWithdrawMode(mode))).toEqual([]);
  // Modes that only collect, and a name that only one of the two tables has.
  expect(['wallet-h-senegal', 'wallet-f-mali', 'wallet-f-burkina'].filter(isWithdrawMode)).toEqual([]);
});

test('the countries are those of the page, here and in the sandbox', () => {
  expect(Object.keys(countries).sort()).toEqual([...facts['balance countries']].sort());
  expect([...balanceCountries].sort()).toEqual([...facts['balance countries']].sort());
});

test('the twenty softpay paths and their fields are those of the page, here and in the sandbox', () => {
  const page = Object.entries(facts.softpay.methods).map(([suffix, { fields }]) => [suffix, fields]);
  expect(page).toHaveLength(20);
  expect(Object.entries(softpayPaths).map(([suffix, { fields }]) => [suffix, Object.keys(fields)])).toEqual(page);
  expect(Object.entries(softpayMethods)).toEqual(page);
});

test('every code of the page is known, and no code is that the page does not have', () => {
  const { payment, 'payment request': paymentRequest, sms } = facts.errors;
  const codes = [...payment.map(({ code }) => code), ...paymentRequest.map(({ code }) => code), ...Object.keys(sms)];
  const listed = Object.keys(failures).filter((code) => /^(\d{3,4}|ERROR_\d{3})$/.test(code));
  expect(listed.sort()).toEqual([...new Set(codes)].sort());
  expect(Object.keys(sms)).toHaveLength(24);
});

test('every row of an error table is asked of an operation', () => {
  const asked = operationNames.flatMap((name) => answersOf(name).map(({ name: row }) => row));
  for (const { code, text } of facts.errors.payment) expect(asked).toContain(`${code} ${text}`);
  for (const { code, text } of facts.errors['payment request']) expect(asked).toContain(`${code} ${text}`);
  for (const [code, { message }] of Object.entries(facts.errors.sms)) expect(asked).toContain(`${code} ${message}`);
});

test('every status word has an interpretation', () => {
  for (const [kind, words] of Object.entries(facts.states)) {
    const text = textOf(statesIn[kind] ?? '');
    expect(words.filter((word) => !text.includes(`'${word}'`))).toEqual([]);
  }
});

test.for(Object.keys(facts.limits))('the limit "%s" is applied', (limit) => {
  const [file, written] = limitsIn[limit] ?? ['', /^$/];
  expect(textOf(file)).toMatch(written);
});

test('every field of the disbursement notification is read', () => {
  const text = textOf(tablesIn['callback fields']);
  expect(facts.events['disbursement notification'].fields.filter((field) => !text.includes(`'${field}'`))).toEqual(
    [],
  );
});

test('every file that is named is there', () => {
  const files = [
    ...Object.values(askedBy),
    ...Object.values(carriedOutBy),
    ...Object.values(statesIn),
    ...Object.values(tablesIn),
    ...silences.map(([, , file]) => file),
  ];
  expect(files.filter((file) => !existsSync(new URL(file, ROOT)))).toEqual([]);
});

test('docs/dev/interface.md names the code of each row', () => {
  expectPage('docs/dev/interface.md', docsPage());
});

test('every operation of the page has its name in the client', () => {
  const names: readonly OperationName[] = operationNames;
  expect(names.filter((name) => !(name in askedBy))).toEqual([]);
});
