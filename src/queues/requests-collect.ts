/** What a caller may ask for besides disbursements and texts: invoices, payment requests, direct credits. */
import { z } from 'zod';
import { accountName, amountXof, phone, reference, visible } from './requests.ts';

const webUrl = z
  .url({ protocol: /^https?$/, error: 'must be an address such as https://shop.example/thanks' })
  .max(2_000);
const email = z
  .string()
  .trim()
  .max(254)
  .regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address');

/** Shown on the invoice and never used to bill, so any way to write a price will do (interface: Checkout invoice). */
const shownPrice = z.union([z.number(), z.string().max(40)], { error: 'must be a number or a text' });

const item = z.strictObject({
  name: visible(200).optional(),
  quantity: z.number().optional(),
  unitPrice: shownPrice.optional(),
  totalPrice: shownPrice.optional(),
  description: z.string().max(500).optional(),
});

const tax = z.strictObject({ name: visible(200).optional(), amount: z.number().optional() });

/** A list, or the map that upstream itself asks for: `{item_0: …, item_1: …}`. */
function listOrMap<T extends z.ZodType>(word: string, entry: T) {
  const numbered = new RegExp(`^${word}_\\d{1,4}$`);
  const asList = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const entries = Object.entries(value);
    if (!entries.every(([name]) => numbered.test(name))) return value;
    return entries
      .sort(([a], [b]) => Number(a.slice(word.length + 1)) - Number(b.slice(word.length + 1)))
      .map(([, one]) => one);
  };
  return z.preprocess(asList, z.array(entry, `must be a list, or ${word}_0, ${word}_1, …`).max(200));
}

const CUSTOM_DATA_MAX = 8_192;

export const invoiceRequest = z
  .strictObject({
    totalAmount: amountXof.meta({ description: 'What is billed, in XOF.', example: 15_000 }),
    store: z.strictObject({
      name: visible(200).meta({ example: 'La Boutique' }),
      tagline: visible(200).optional(),
      postalAddress: visible(300).optional(),
      phone: visible(32).optional(),
      logoUrl: webUrl.optional(),
      websiteUrl: webUrl.optional(),
    }),
    description: z.string().max(1_000).optional(),
    items: listOrMap('item', item).optional(),
    taxes: listOrMap('tax', tax).optional(),
    customer: z
      .strictObject({ name: visible(200).optional(), email: email.optional(), phone: visible(32).optional() })
      .optional()
      .meta({ description: 'Pre-fills the payment page.' }),
    channels: z
      .union([visible(64), z.array(visible(64)).min(1).max(50)], {
        error: 'must be a channel name, or a list of them',
      })
      .optional()
      .meta({ description: 'Restricts the ways to pay. The names are those of the service.' }),
    customData: z
      .record(z.string().max(100), z.json())
      .refine(
        (data) => JSON.stringify(data).length <= CUSTOM_DATA_MAX,
        `must not be longer than ${CUSTOM_DATA_MAX} as JSON`,
      )
      .optional(),
    returnUrl: webUrl.optional().meta({ description: 'The payer is sent here afterwards, with `?token=` appended.' }),
    cancelUrl: webUrl.optional(),
    account: accountName.default('main'),
    reference: reference.optional(),
  })
  .meta({ id: 'InvoiceRequest' });

export const paymentRequestRequest = z
  .strictObject({
    amount: z
      .int('must be a whole number of XOF, written without quotes or decimals')
      .min(200, 'must be 200 to 3000000')
      .max(3_000_000, 'must be 200 to 3000000')
      .meta({ example: 5_000 }),
    email: email.optional(),
    phone: phone.optional().meta({ description: 'In international form.', example: '+221771234567' }),
    feesPaidBy: z.enum(['customer', 'merchant']),
    notify: z.boolean().default(false).meta({
      description: 'true: the service sends SMS and e-mail itself, and the request can never be looked at again.',
    }),
    account: accountName.default('main'),
    reference: reference.optional(),
  })
  .meta({ id: 'PaymentRequestRequest' });

export const directCreditRequest = z
  .strictObject({
    accountAlias: visible(64).meta({
      description: 'The account of the service that is credited.',
      example: 'shop-account',
    }),
    amount: amountXof.meta({ example: 10_000 }),
    account: accountName.default('main'),
    reference: reference.optional(),
    allowDuplicate: z
      .boolean()
      .optional()
      .meta({ description: 'The same amount to the same account within DUPLICATE_WINDOW is meant.' }),
  })
  .meta({ id: 'DirectCreditRequest' });

export type InvoiceRequest = z.output<typeof invoiceRequest>;
