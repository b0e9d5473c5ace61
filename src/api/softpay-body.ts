/** Reads a softpay request: each method asks for its own words, and a word that it does not ask for is not taken. */
import { z } from 'zod';
import type { Problem } from '../producer/problems.ts';
import { readAccountAlias, type Country } from '../upstream/capabilities.ts';
import {
  softpayPaths,
  type SoftpayConfirmation,
  type SoftpayMethod,
  type SoftpayRequest,
  type SoftpayWord,
} from '../upstream/payments/softpay-table.ts';
import { invalid } from './problem.ts';

const word = (max: number) => z.string().trim().min(1).max(max);

const methods = Object.keys(softpayPaths).filter((path) => path !== 'wallet-h-senegal/confirm') as SoftpayMethod[];

/** No message of these repeats the value. */
export const softpayBody = z
  .strictObject({
    method: word(64).meta({ description: `One of ${methods.join(', ')}.`, example: 'wallet-d-senegal' }),
    customer: z.strictObject({
      name: word(200).optional().meta({ example: 'Awa Diop' }),
      email: word(254).optional().meta({ example: 'awa@mail.example' }),
      phone: word(32).optional().meta({ example: '771234567' }),
      address: word(300).optional(),
    }),
    otp: word(32).optional().meta({ description: 'The code that the payer generated. Used once, kept nowhere.' }),
    provider: word(64).optional(),
    password: z.string().min(1).max(200).optional(),
    card: z
      .strictObject({
        number: z.string().regex(/^\d(?: ?\d){11,18}$/, 'must be 12 to 19 digits'),
        cvv: z.string().regex(/^\d{3,4}$/, 'must be 3 or 4 digits'),
        expiryYear: z.string().regex(/^\d{2}$/, 'must be 2 digits'),
        expiryMonth: z.string().regex(/^(0[1-9]|1[0-2])$/, 'must be 01 to 12'),
      })
      .optional(),
    omit: z.array(word(64)).max(10).optional().meta({ description: 'Fields of the service to leave out.' }),
  })
  .meta({ id: 'SoftpayRequest' });

export const confirmationBody = z
  .strictObject({ authorizationCode: word(64), phone: word(32), transactionId: word(128) })
  .meta({ id: 'SoftpayConfirmation' });

type Body = z.output<typeof softpayBody>;
type PayerWord = Exclude<SoftpayWord, 'token' | 'authorizationCode' | 'transactionId'>;

const places = {
  name: ['/customer/name', ({ customer }) => customer.name],
  email: ['/customer/email', ({ customer }) => customer.email],
  phone: ['/customer/phone', ({ customer }) => customer.phone],
  address: ['/customer/address', ({ customer }) => customer.address],
  otp: ['/otp', ({ otp }) => otp],
  provider: ['/provider', ({ provider }) => provider],
  password: ['/password', ({ password }) => password],
  cardNumber: ['/card/number', ({ card }) => card?.number],
  cardCvv: ['/card/cvv', ({ card }) => card?.cvv],
  cardYear: ['/card/expiryYear', ({ card }) => card?.expiryYear],
  cardMonth: ['/card/expiryMonth', ({ card }) => card?.expiryMonth],
} as const satisfies Record<PayerWord, readonly [pointer: string, of: (body: Body) => string | undefined]>;

/** Throws a problem that names everything that is wrong, and no value. */
export function readSoftpay(body: Body): { method: SoftpayMethod; words: Omit<SoftpayRequest, 'token'> } {
  const method = methods.find((name) => name === body.method);
  if (!method) throw invalid([{ pointer: '/method', message: explainMethod(body.method) }]);
  const problems = [...wordProblems(method, body), ...phoneProblems(method, body)];
  if (problems.length > 0) throw invalid(problems);
  const { customer, otp, provider, password, card, omit } = body;
  const cardNumber = card && { ...card, number: card.number.replaceAll(' ', '') };
  return { method, words: { ...customer, otp, provider, password, card: cardNumber, omit } };
}

export function requireConfirmation({ phone }: SoftpayConfirmation): void {
  const problem = phoneProblem('SN', phone, '/phone');
  if (problem) throw invalid([problem]);
}

function wordProblems(method: SoftpayMethod, body: Body): Problem[] {
  const wanted = Object.entries<SoftpayWord>(softpayPaths[method].fields).filter(
    ([field]) => !body.omit?.includes(field),
  );
  const asked = new Set(wanted.map(([, name]) => name));
  return Object.entries(places).flatMap(([name, [pointer, of]]) => {
    const given = of(body) !== undefined;
    if (asked.has(name as PayerWord) && !given) return [{ pointer, message: `is required by the method ${method}` }];
    // A name or an e-mail too many harms nobody; a secret that is not needed should not be sent around.
    const surplus = given && !asked.has(name as PayerWord) && !pointer.startsWith('/customer/');
    return surplus ? [{ pointer, message: `is not asked for by the method ${method}: do not send it` }] : [];
  });
}

function phoneProblems(method: SoftpayMethod, { customer }: Body): Problem[] {
  const { country }: { readonly country?: Country; readonly fields: object } = softpayPaths[method];
  const problem = customer.phone && phoneProblem(country, customer.phone, '/customer/phone');
  return problem ? [problem] : [];
}

function phoneProblem(country: Country | undefined, phone: string, pointer: string): Problem | undefined {
  const read = country ? readAccountAlias(phone, country) : { alias: phone };
  if (!('problem' in read)) return undefined;
  return {
    pointer,
    message: read.problem.replace(/^account alias: /, '').replace('this mode pays', 'this method asks'),
  };
}

/** The wallets are called differently where money is paid out, so a look-alike is the likeliest mistake. */
function explainMethod(given: string): string {
  const [, wallet = '', country = ''] = /wallet-?([a-h])-([a-z]+)/i.exec(given) ?? [];
  const alike = methods.find((name) => name.includes(`wallet-${wallet.toLowerCase()}-${country.toLowerCase()}`));
  if (wallet && alike) return `is not a method; did you mean "${alike}"?`;
  return `must be one of ${methods.join(', ')}`;
}
