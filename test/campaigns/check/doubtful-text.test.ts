/** Parts of a text that would probably look wrong on a phone. */
import { expect, test } from 'vitest';
import { doubtsInText } from '../../../src/campaigns/check/doubtful-text.ts';

const COLUMNS = ['to', 'Prénom', 'solde'];
const ofReason = (text: string, reason: string) =>
  doubtsInText(text, COLUMNS)
    .filter((one) => one.reason === reason)
    .map(({ written, meant }) => [written, meant]);

test.for([
  ['((prenom))', '{{prenom}}'],
  ['((x))', '{{x}}'],
  ['*|FNAME|*', '{{FNAME}}'],
  ['#x#', '{{x}}'],
  ['#prenom#', '{{prenom}}'],
  ['{$x}', '{{x}}'],
  ['${prenom}', '{{prenom}}'],
  ['{{{x}}}', '{{x}}'],
  ['{x}', '{{x}}'],
  ['{Nom de famille}', '{{Nom de famille}}'],
  ['« Prénom »', '{{Prénom}}'],
  ['%x%', '{{x}}'],
  ['%%x%%', '{{x}}'],
  ['%first_name%', '{{first_name}}'],
  ['[prenom]', '{{prenom}}'],
  ['[first_name]', '{{first_name}}'],
  ['[NOM]', '{{NOM}}'],
  ['[[x]]', '{{x}}'],
  ['<<nom>>', '{{nom}}'],
  ['<solde>', '{{solde}}'],
  ['«Prénom»', '{{Prénom}}'],
  ['<%= x %>', '{{x}}'],
  ['{% x %}', '{{x}}'],
  ['[% x %]', '{{x}}'],
  ['%(x)s', '{{x}}'],
  ['$prenom', '{{prenom}}'],
  ['@solde', '{{solde}}'],
  ['__prenom__', '{{prenom}}'],
] as const)('%s is asked about as the placeholder of another tool', ([written, meant]) => {
  expect(ofReason(`Bonjour ${written}, bonne fête`, 'not_a_variable')).toEqual([[written, meant]]);
});

test.for([
  ['[ACME] Bonjour'],
  ['[1] {50 F}'],
  ['Appelez #144# ou *144#'],
  ['Lot #1, #2#'],
  ['10%de remise et 20%'],
  ['-50% sur tout, -20% samedi'],
  ['(promo) ((10 %))'],
  ['5$ ou 10$'],
  ['«promo» du mois'],
  ['contact@acme.sn'],
  ['<3'],
  ['{{prenom}} et {{ Solde | 0 }}'],
  ['*promo*'],
  ['https://x.sn/?a=%41%42'],
] as const)('%s is no placeholder', ([text]) => {
  expect(ofReason(text, 'not_a_variable')).toEqual([]);
});

test.for([
  ['STOP : {{stop}}.', '{{stop}}.', '{{stop}} .'],
  ['STOP:{{stop}}', 'STOP:{{stop}}', 'STOP: {{stop}}'],
  ['({{stop}})', '({{stop}})', '( {{stop}} )'],
  ['{{stop}}Merci', '{{stop}}Merci', '{{stop}} Merci'],
  ['ici{{ stop }} ok', 'ici{{ stop }}', 'ici {{ stop }}'],
  ['{{prenom}}{{stop}}', '{{prenom}}{{stop}}', '{{prenom}} {{stop}}'],
  ['{{stop}}/', '{{stop}}/', '{{stop}} /'],
  ['Voir https://acme.sn/promo.', 'https://acme.sn/promo.', 'https://acme.sn/promo .'],
  ['Voir https://acme.sn, merci', 'https://acme.sn,', 'https://acme.sn ,'],
  ['Voir www.acme.sn/a).', 'www.acme.sn/a).', 'www.acme.sn/a ).'],
  ['Lien:https://acme.sn/a', 'Lien:https://acme.sn/a', 'Lien: https://acme.sn/a'],
  ['(https://acme.sn/a)', '(https://acme.sn/a)', '( https://acme.sn/a )'],
  ['bit.ly/abc!', 'bit.ly/abc!', 'bit.ly/abc !'],
  ['https://acme.sn/c/{{solde}}.', 'https://acme.sn/c/{{solde}}.', 'https://acme.sn/c/{{solde}} .'],
] as const)('%s: text that touches a link needs a decision', ([text, written, meant]) => {
  expect(ofReason(text, 'touched_link')).toEqual([[written, meant]]);
});

test.for([
  ['STOP : {{stop}}'],
  ['{{stop}} Merci'],
  ['a\n{{stop}}\nb'],
  ['{{stop|}}'],
  ['Voir https://acme.sn/promo?a=1&b=2 .'],
  ['https://acme.sn/'],
  ['https://acme.sn/c/{{solde}}'],
  ['https://{{solde}}.acme.sn/x'],
  ['Le 3.5 et 1/2. Merci, M.Ba'],
] as const)('%s: no link is touched', ([text]) => {
  expect(ofReason(text, 'touched_link')).toEqual([]);
});

test.for([
  ['Bonjour\\nMerci', '\\n', '\n'],
  ['Bonjour &amp; merci', '&amp;', '&'],
  ['N&#039;oubliez pas', '&#039;', "'"],
  ['FÃªte', 'Ãª', 'ê'],
  ['Fï¿½te', 'ï¿½', undefined],
  ['F\ufffdte', '\ufffd', undefined],
  ['<b>Promo</b>', '<b>', ''],
] as const)('%j: damaged text needs a decision', ([text, written, meant]) => {
  expect(ofReason(text, 'damaged_text')[0]).toEqual([written, meant]);
});

test('each position of a text needs one decision', () => {
  expect(doubtsInText('Bonjour <b>{prenom}</b> &nbsp; {prenom}', COLUMNS)).toEqual([
    { reason: 'not_a_variable', written: '{prenom}', meant: '{{prenom}}' },
    { reason: 'damaged_text', written: '<b>', meant: '' },
    { reason: 'damaged_text', written: '</b>', meant: '' },
    { reason: 'damaged_text', written: '&nbsp;', meant: ' ' },
  ]);
});
