/** Ce qui est dit d’un lot de paiements. */
import type { Words } from './english.ts';

export const frenchBatch: Words['batch'] = {
  labels: {
    id: 'id',
    state: 'état',
    account: 'compte',
    file: 'fichier',
    retryOf: 'paie de nouveau',
    outcome: 'résultat',
    notify: 'SMS aux bénéficiaires',
    hash: 'empreinte',
    inAll: 'en tout',
    uploadedBy: 'déposé par',
    approvedBy: 'approuvé par',
    expires: 'expire',
    created: 'créé',
  },
  outcomes: {
    paid: (count, many) => `${count} ${many < 2 ? 'payé' : 'payés'}`,
    notPaid: (count, many) => `${count} ${many < 2 ? 'non payé' : 'non payés'}`,
    uncertain: (count, many) => `${count} ${many < 2 ? 'non confirmé' : 'non confirmés'}`,
    open: (count) => `${count} en cours`,
    elsewhere: (count, many) =>
      `${count} ${many < 2 ? 'accepté auparavant, non payé' : 'acceptés auparavant, non payés'} de nouveau`,
  },
  firstRows: 'Les premières lignes :',
  sum: (count, one, xof) => `${count} ${one ? 'ligne' : 'lignes'}, ${xof}`,
  row: (row) => `ligne ${row}`,
  theFile: 'le fichier',
  place: (parts) => `${parts} :`,
  more: (count) => `… et ${count} de plus`,
  dryRun: 'Essai à blanc : rien n’a été envoyé.',
  invalid: 'Rien dans ce fichier ne peut être payé. Corrigez le fichier et déposez-le de nouveau.',
  awaiting: (command) => `Rien n’est encore payé. Ensuite, par une autre personne : ${command}`,
  before: (command) => `Il a déjà été déposé et approuvé : ${command}`,
  anew: (state) =>
    `Il a déjà été déposé et son état est ${state}. Pour le déposer à nouveau, ajoutez une ligne vide au fichier.`,
  problemsAreIn: (file) => `La liste complète des erreurs est dans ${file}`,
  columnRead: (field, heading) => `${field} : colonne ${heading}`,
  walletUnknown: (name, rows) =>
    `${name} (lignes : ${rows}) : indiquez son mode de retrait avec --wallet-name "${name}:MODE"`,
  letBePaid: 'Autoriser le paiement de la totalité ?',
  goesOn: (command) => `Suivre son avancement : ${command}`,
};
