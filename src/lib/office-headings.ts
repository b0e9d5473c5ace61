/** Meanings of usual headings in tables that offices make for themselves. */
import { canonicalName } from './wording.ts';

/** Letters and digits alone: `N° de téléphone` → `ndetelephone`. */
function plainHeading(name: string): string {
  return canonicalName(name)
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** Common names of a number column: `Tél. portable`, `N° WhatsApp`, `Phone 1 - Value` as Google exports it. */
const KINDS =
  'tel|telephone|telephonique|phone|mobile|portable|gsm|whatsapp|cell|cellphone|cellulaire|msisdn|contact';
const PHONE = new RegExp(
  `^(?:n|no|num|numeros?)?(?:de|du)?(?:(?:${KINDS})(?:de|du)?){1,2}(?:number|numero|no|num|n|s)?1?(?:value)?$`,
);
/** These may also name a person, or a sequence number; used only without a better name. */
const WEAK = new Set(['contact', 'contacts', 'num']);

/** 0: no number column; higher is better. */
export function phoneRank(name: string): number {
  const plain = plainHeading(name);
  if (plain === 'to') return 3;
  if (WEAK.has(plain)) return 1;
  return plain === 'numero' || plain === 'numeros' || PHONE.test(plain) ? 2 : 0;
}

/** By field of a payment, the best headings first. A later heading counts only without an earlier one. */
const PAYMENT_HEADINGS = {
  amount: [
    /^net(?:a)?(?:payer|paye|verser|pay|percevoir)?(?:f?cfa|xof|fcfa)?$/,
    /^montant(?:net)?(?:a)?(?:payer|verser|paye)?(?:en)?(?:f?cfa|xof|francs)?$|^amount(?:xof|cfa)?$|^netpay$/,
    /^salaire(?:net)?$|^somme$|^bourse$|^prime$/,
  ],
  withdrawMode: [
    /^operat(?:eur|or)(?:mobile|momo|mobilemoney)?$|^reseau$|^network$|^wallet$|^mobilemoney$|^portefeuille$/,
    /^(?:mode|moyen|canal)(?:de|du)?(?:paiement|payement|versement)$|^paymentmethod$/,
  ],
  reference: [/^(?:n|no|numero)?(?:de)?(?:matricule|reference)$|^ref$/, /^identifiant$|^code(?:agent|employe)$/],
  payeeName: [
    /^noms?(?:et|&)?prenoms?$|^prenoms?(?:et|&)?noms?$|^nomcomplet$|^fullname$|^beneficiaire$|^payee(?:name)?$/,
    /^noms?$|^name$|^employee?$|^agent$/,
  ],
  purpose: [/^motif$|^objet$|^purpose$|^libelle$/],
} as const;

export type OfficeField = 'accountAlias' | keyof typeof PAYMENT_HEADINGS;

/** 0: no such column; higher is better. */
export function paymentRank(field: OfficeField, name: string): number {
  return field === 'accountAlias' ? phoneRank(name) : rankAmong(PAYMENT_HEADINGS[field], name);
}

/** Headings in a statement of the provider or of a bank. */
const STATEMENT_HEADINGS = {
  transactionId: [
    /^transaction(?:id)?$|^id(?:de)?(?:la)?transaction$|^(?:n|no|numero)(?:de)?transaction$/,
    /^(?:ref|reference)(?:de)?(?:la)?(?:transaction|operation)?$/,
  ],
  amount: [/^montant(?:en)?(?:f?cfa|xof)?$|^amount(?:xof)?$/, /^debit$|^somme$/],
  date: [/^date(?:de)?(?:l)?(?:a)?(?:operation|transaction|paiement)?$/, /^date(?:de)?valeur$|^jour$/],
} as const;

/** 0: no such column; higher is better. */
export function statementRank(field: keyof typeof STATEMENT_HEADINGS, name: string): number {
  return rankAmong(STATEMENT_HEADINGS[field], name);
}

function rankAmong(names: readonly RegExp[], name: string): number {
  const at = names.findIndex((one) => one.test(plainHeading(name)));
  return at === -1 ? 0 : names.length - at;
}
