/**
 * Writes examples/recipients.csv: two thousand rows as an office would have them, with the mistakes an office makes.
 * The same file every time. Every number is made of a mobile prefix and a visible pattern, so that it is nobody's.
 *
 *   node script/make-example-recipients.mjs
 */
import { writeFileSync } from 'node:fs';

const ROWS = 2_000;
const SEED = 20_240_101;

const countries = [
  { code: '221', prefixes: ['70', '75', '76', '77', '78'], length: 9, weight: 10, local: true },
  { code: '225', prefixes: ['01', '05', '07'], length: 10, weight: 4 },
  { code: '229', prefixes: ['0161', '0166', '0197'], length: 10, weight: 2 },
  { code: '228', prefixes: ['70', '90', '93'], length: 8, weight: 2 },
  { code: '223', prefixes: ['66', '76', '90'], length: 8, weight: 2 },
  { code: '226', prefixes: ['55', '70', '76'], length: 8, weight: 2 },
];

const names =
  'Awa Aïcha Fatou Moussa Ousmane Mariama Sékou Koffi Adjoa Kouamé Yao Akossiwa Zénab Désiré Françoise Cœurise François ' +
  'Raïssa Noël Hélène Benoît Gaëlle Issa Salif Rokia Bakary Ndèye Mamadou Astou Séverin Prudence Innocent Œdora';

/** mulberry32: chance that a seed repeats. */
function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = seeded(SEED);
const pick = (list) => list[Math.floor(random() * list.length)];
const weighted = countries.flatMap((country) => Array.from({ length: country.weight }, () => country));
const firstNames = names.split(' ');

/** `index` in the last digits, behind zeros: plain to see that no operator gave this number to anyone. */
function nationalOf({ prefixes, length }, index) {
  const prefix = prefixes[index % prefixes.length];
  return prefix + String(index).padStart(length - prefix.length, '0');
}

/** In pairs, after a first group of two or three: 77 123 45 67. */
const spaced = (digits) =>
  digits.length % 2 === 0
    ? digits.replace(/\d\d(?=\d)/g, '$& ')
    : `${digits.slice(0, 2)} ${digits.slice(2, 5)} ${spaced(digits.slice(5))}`;

function writingsOf({ code, local }, national) {
  const writings = [
    `+${code}${national}`,
    `+${code} ${spaced(national)}`,
    `00${code}${national}`,
    `${code}${national}`,
  ];
  if (!local) return writings;
  return [...writings, national, spaced(national)];
}

function goodRow(index) {
  const country = pick(weighted);
  const amount = String(500 + Math.floor(random() * 400) * 250);
  return { numero: pick(writingsOf(country, nationalOf(country, index))), prenom: pick(firstNames), montant: amount };
}

const mistakes = [
  { numero: '2,21771E+11' },
  { numero: '2,25070E+11' },
  { numero: '2.22677E+11' },
  { numero: '' },
  { numero: '', prenom: 'Sans numéro' },
  { numero: 'à demander' },
  { numero: 'voir avec Awa' },
  { numero: '#N/A' },
  { numero: '+221 77 000' },
  { numero: '77 000 01' },
  { numero: '+221 77 000 00 00 99' },
  { numero: '+221 33 800 00 00' },
  { numero: '33 800 00 01' },
  { numero: '+225 27 20 00 00 00' },
  { numero: '+999 70 00 00 00' },
  { numero: '+221 79 900 00 01' },
  { numero: '+225 07 00 00 01' },
  { numero: '+225 05 00 00 02' },
  { numero: '+229 97 00 00 03' },
  { numero: '77 000 00 91 / 76 000 00 92' },
  { numero: '78 000 00 93 ou 70 000 00 94' },
  { prenom: '' },
  { prenom: '   ' },
  { montant: '' },
  { montant: '1;500' },
];

const rows = Array.from({ length: ROWS }, (_, index) => goodRow(index + 1));
for (const [at, mistake] of mistakes.entries()) Object.assign(rows[61 + at * 77], mistake);
for (let at = 0; at < 20; at += 1) rows[140 + at * 90].numero = rows[30 + at * 41].numero;

const lines = rows.map(({ numero, prenom, montant }) => `${numero};${prenom};${montant}`);
writeFileSync(
  new URL('../examples/recipients.csv', import.meta.url),
  ['numero;prenom;montant', ...lines, ''].join('\r\n'),
);
