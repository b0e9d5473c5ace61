/** Textes des pages des lots de paiements et de leur approbation. */
import { countedInFrench } from './counted.ts';
import type { Words } from './words.ts';

export const frenchPaying: Words['paying'] = {
  outcomes: {
    paid: (count) => countedInFrench(count, 'payé', 'payés'),
    notPaid: (count) => countedInFrench(count, 'non payé', 'non payés'),
    uncertain: (count) => countedInFrench(count, 'non confirmé', 'non confirmés'),
    open: (count) => `${count} en cours`,
    elsewhere: (count) => countedInFrench(count, 'déjà accepté', 'déjà acceptés'),
  },
  finished: {
    notPaid: (count) => `Terminé\u00a0: ${countedInFrench(count, 'non payé', 'non payés')}`,
    uncertain: (count) => `Terminé\u00a0: ${countedInFrench(count, 'non confirmé', 'non confirmés')}`,
  },
  rowStates: { waiting: 'Pas commencé', elsewhere: 'Déjà accepté', expired: 'Non approuvé à temps' },
  advice: {
    invalid: 'Le fichier a des erreurs\u00a0: rien n’en est payé. Corrigez le fichier et déposez-le de nouveau.',
    awaiting_approval: 'Rien n’est encore payé. Une autre personne doit l’approuver.',
    running: 'Les paiements sont en cours. Il n’y a rien à faire.',
    needs_review: 'relais a été restauré d’une sauvegarde. Une personne doit approuver les lignes qui restent.',
    finished: 'Toutes les lignes sont payées. Il n’y a rien à faire.',
    notPaid: 'Les personnes ci-dessous n’ont pas reçu leur argent, et relais ne réessaie pas de lui-même.',
    uncertain:
      'On ne sait pas si certaines personnes sont payées. Ne les payez pas autrement\u00a0: statuez d’abord sur ces paiements.',
    cancelled: 'Il est annulé. Plus rien n’en est payé.',
    expired: 'Il n’a pas été approuvé à temps\u00a0: rien n’en est payé.',
  },
  payments: (count) => countedInFrench(count, 'paiement', 'paiements'),
  payAgain: (count) => `Payer de nouveau ${countedInFrench(count, 'ligne non payée', 'lignes non payées')}`,
  payAgainSays: (amount) =>
    `Un nouveau lot de ${amount} est créé, avec de nouvelles références. Rien n’en est payé avant l’approbation d’une autre personne.`,
  problems: 'Erreurs dans le fichier',
  rows: 'Lignes',
  all: 'Toutes',
  showAll: 'Afficher toutes les lignes',
  noRows: 'Aucune ligne ne correspond.',
  report: 'Rapport (CSV)',
  reportName: 'rapport',
  today: 'Lots de paiements',
  file: 'Fichier',
  noFile: 'sans nom',
  retryOf: 'Paie de nouveau les lignes non payées de',
  wallet: (letter, country) => `Mobile Money ${letter}, ${country}`,
  ofProvider: 'Compte chez le prestataire',
  funds: {
    title: 'Le solde suffit-il\u202f?',
    ofCountry: (country, says) => `${country}\u00a0: ${says}`,
    notRead: 'Le solde n’a pas pu être lu pour le moment.',
    enough: (left, rest) =>
      `oui. Environ ${left} peuvent être payés maintenant, et il en reste ensuite environ ${rest}.`,
    short: (left, missing) =>
      `non. Environ ${left} peuvent être payés maintenant\u00a0: il manque ${missing}. Les paiements sans provision attendent.`,
  },
  recent: {
    title: 'Payé aux mêmes personnes ces 30 derniers jours',
    titleOfPerson: 'Payé à la même personne ces 30 derniers jours',
    none: 'Rien n’a été payé à ces personnes ces 30 derniers jours.',
    noneOfPerson: 'Rien n’a été payé à cette personne ces 30 derniers jours.',
    ofPeople: (people, amount) =>
      `${countedInFrench(people, 'personne a reçu', 'personnes ont reçu')} ${amount} ces 30 derniers jours. Les lignes montrent lesquelles.`,
    ofRow: (payments, amount) =>
      `Ces 30 derniers jours\u00a0: ${countedInFrench(payments, 'paiement', 'paiements')}, ${amount}. Le dernier\u00a0:`,
  },
};
