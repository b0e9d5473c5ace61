/** The request of an invoice. */
import { z } from 'zod';
import { readInternationalNumber, readNumber } from '../lib/written-number.ts';
import {
  accountName,
  amountXof,
  askedMetadata,
  email,
  askedReference,
  identityText,
  visible,
  webUrl,
} from './request-pieces.ts';
import { says, unsaid, written } from '../messages/schemas.ts';

/** Display only, never used for billing, so any format of a price is allowed (interface: Checkout invoice). */
const shownPrice = z.union([z.number(), z.string().max(40)], { error: says('number_or_string') });

const item = z.strictObject({
  name: visible(200).optional(),
  quantity: z.number().optional(),
  unitPrice: shownPrice.optional(),
  totalPrice: shownPrice.optional(),
  description: z.string().max(500).optional(),
});

const tax = z.strictObject({ name: visible(200).optional(), amount: z.number().optional() });

/** A list, or the map that the provider uses: `{item_0: …, item_1: …}`. */
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
  return z.preprocess(asList, z.array(entry, says('list_or_numbered', { word })).max(200));
}

const CUSTOM_DATA_MAX = 8_192;

/** Their names are compared in notifications, so each must be a valid identifier text. */
const customData = z
  .record(z.string().max(100), z.json())
  .refine((data) => JSON.stringify(data).length <= CUSTOM_DATA_MAX, says('json_at_most', { most: CUSTOM_DATA_MAX }))
  .transform((data, context) => {
    const named = new Map<string, z.core.util.JSONType>();
    for (const [asked, value] of Object.entries(data)) {
      const { data: name = asked, error } = dataName.safeParse(asked, { error: unsaid });
      const wrong = named.has(name) ? says('there_twice') : error?.issues[0]?.message;
      if (wrong !== undefined) context.addIssue({ code: 'custom', path: [name], message: wrong });
      named.set(name, value);
    }
    return Object.fromEntries(named);
  });
const dataName = identityText(100);

/** Phone number of the payer on the payment page, in national or international form. */
const payerPhone = z
  .string()
  .max(32)
  .transform((text, context) => {
    const international = readInternationalNumber(text);
    if ('number' in international) return international.number;
    const read = readNumber(text);
    if (read && !read.international) return read.digits;
    context.addIssue({ code: 'custom', message: written(international.problem) });
    return z.NEVER;
  });

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
      .strictObject({ name: visible(200).optional(), email: email.optional(), phone: payerPhone.optional() })
      .optional()
      .meta({ description: 'Pre-fills the payment page.' }),
    channels: z
      .union([visible(64), z.array(visible(64)).min(1).max(50)], {
        error: says('channels'),
      })
      .optional()
      .meta({ description: 'Restricts the ways to pay. The names are those of the provider.' }),
    customData: customData.optional(),
    returnUrl: webUrl.optional().meta({ description: 'The payer is sent here afterwards, with `?token=` appended.' }),
    cancelUrl: webUrl.optional(),
    account: accountName.default('main'),
    reference: askedReference.optional(),
    metadata: askedMetadata,
  })
  .meta({ id: 'InvoiceRequest' });
