/** Ce que disent les commandes qui montrent, listent et demandent une chose. */
import type { Words } from './english.ts';

/** 1 234 F CFA, le 23/11/2026. */
export const frenchFigures: Words['figures'] = {
  space: '\u202f',
  money: (figure) => `${figure}\u00a0F\u00a0CFA`,
  time: ({ year, month, day, clock }) => `${day}/${month}/${year} ${clock} UTC`,
};

export const frenchShell: Words['shell'] = {
  none: 'Rien.',
  more: (command, after) => `Il y en a peut-être d’autres : ${command} --after ${after}`,
  dryRun: 'Essai à blanc : rien n’a été envoyé.',
  askedBefore: (state, id) => `Déjà demandé, état : ${state} ; cela ne serait pas refait : ${id}`,
  replayed: 'Déjà demandé sous cette référence, ou avec cette clé ; rien de nouveau n’a été fait.',
  giveIdentity: 'Donnez --reference (ou --idempotency-key) : sans cela, un nouvel essai serait une deuxième demande.',
  inputIsRequest: 'L’entrée standard est la demande : aucune question ne peut être posée.',
  addYes: 'Ajoutez --yes.',
  stopped: 'Arrêté.',
  unasked: (code) => `La question n’a pas pu être écrite (${code}). Rien n’a été fait.`,
  unwritten: (code) =>
    `Tout ce qui était à écrire n’a pas pu l’être (${code}). La commande elle-même n’en a pas été interrompue.`,
  showsExample: '(--help montre un exemple)',
  settings: `
Réglages des commandes qui interrogent l’API :
  RELAIS_URL      son adresse (http://127.0.0.1:3000)
  RELAIS_API_KEY  l’une de ses clés (dev)
En anglais : --lang en.`,
  itIsBack: 'La connexion est revenue.',
  stillTrying: (why) => `${why} Nouvel essai en cours.`,
  file: {
    missing: (file) => `${file} : ce fichier n’existe pas.`,
    folder: (file) => `${file} : c’est un dossier.`,
    forbidden: (file) => `${file} : sa lecture n’est pas permise.`,
    noJson: (file) => `${file} n’est pas du JSON.`,
    noObject: (file) => `${file} n’est pas un seul objet JSON.`,
    next: {
      missing: 'Vérifiez son nom, et le dossier où vous êtes.',
      folder: 'Nommez un fichier de ce dossier.',
      forbidden: 'Permettez sa lecture à l’utilisateur de cette commande.',
      noJson: '--help montre un exemple.',
    },
  },
  payThem: (file) => `Payer toutes les personnes de ${file} ?`,
  textThem: (file) => `Envoyer un SMS à toutes les personnes de ${file} ?`,
  noLine: 'Il n’y avait aucune ligne.',
  line: (number) => `ligne ${number}`,
  outcomes: {
    accepted: 'accepté',
    duplicate: 'déjà demandé',
    valid: 'valide',
    conflict: 'en conflit',
    invalid: 'non valable',
  },
  brokeOff: 'La réponse s’est interrompue.',
  sendFileAgain:
    'Renvoyez le fichier : avec des références, ou avec la même --idempotency-key, rien n’est fait deux fois.',
  letBePaid: (amount, to) => `Autoriser le paiement de ${amount} à ${to} ?`,
  batchNeedsHash: 'Un lot de paiements s’approuve avec son empreinte.',
  seeBatch: (id) => `Pour le voir : relais disburse batch-show ${id}`,
  review: {
    succeeded: (what) => `Noter que ${what} : payé ?`,
    failed: (what) => `Noter que ${what} : non payé ?`,
    reversed: (what) => `Noter que ${what} : revenu après avoir été payé ?`,
    cancelled: (what) => `Annuler ${what} ?`,
    resubmit: (what) => `Payer ${what} maintenant, si le prestataire dit encore que ce n’a jamais été exécuté ?`,
    idOrWhere: 'Nommez-en un par son identifiant, ou dites --where.',
    transactionOfOne: 'Une transaction est celle d’un seul : nommez-le par son identifiant.',
    one: (amount, to) => `${amount} à ${to}`,
    many: (count, xof) => `${count} décaissements de ${xof}`,
    nothingYet: (token) =>
      `Rien n’a été décidé. Pour statuer exactement sur ceux-ci : la même commande avec --confirm ${token}`,
    type: (question, count) => `${question} Tapez ${count} pour le faire :`,
    nothing: 'Rien n’a été décidé.',
    inAll: 'en tout',
    refused: 'refusé',
    brokeOff: 'Relancez la commande sans --confirm : elle affiche le reste. Aucun paiement n’est décidé deux fois.',
    done: (decided, xof, refused) => `${decided} décidés, ${xof} ; ${refused} refusés.`,
  },
  explanation: {
    next: 'À faire',
    lookedAtAgain: (time) => `Prochaine vérification : ${time}.`,
  },
  accounts: {
    open: 'ouvert',
    meaning: (reason) => `Ce que veut dire une raison : relais explain ${reason}`,
  },
  refused: {
    nobodyThere: (url, code) => `Aucun relais ne répond à ${url} (${code}).`,
    startOne:
      'Démarrez-en un : `relais dev` ne demande rien, `relais run` demande ses réglages. Ou réglez RELAIS_URL sur son adresse.',
    answerLost: (url, code) => `La réponse de ${url} s’est perdue (${code}).`,
    maybeDone: 'C’est peut-être fait, et peut-être pas.',
    againOnce: 'Relancez la même commande : ce qui est déjà fait est retrouvé, pas refait.',
    lookFirst:
      'Regardez d’abord si c’est fait. Seul ce qui a une référence ou une --idempotency-key est retrouvé à coup sûr : le reste peut être fait une seconde fois.',
    again: 'Relancez la même commande.',
    tooLarge: (url) => `La réponse de ${url} est plus grande que ce qu’une commande accepte (64 Mio).`,
    lessAtOnce: 'Demandez-en moins à la fois : moins de jours, par exemple, ou un seul compte.',
    notRelais: (url, status) =>
      `Ce qui répond à ${url} n’est pas l’API de relais (HTTP ${status}, une autre réponse que la sienne).`,
    setUrl: 'Réglez RELAIS_URL sur l’adresse de l’API.',
    noAddress: (text) => `RELAIS_URL n’est pas une adresse : « ${text} »`,
    writeAs: (example) => `Écrivez-la ainsi : ${example}`,
    answered: (status) => `L’API a répondu HTTP ${status}.`,
    theRequest: 'la demande',
    itIs: (id) => `C’est ${id}.`,
    seeIt: (command, id) => `Pour le voir : relais ${command} ${id}`,
    notTheSame: (names) => `Ce qui diffère : ${names}.`,
    anotherReference: 'Pour autre chose, donnez une autre --reference.',
    byRule: (help, rule) => `${help} (RELAIS_API_KEY ; règle : ${rule})`,
    steps: {
      401: 'Réglez RELAIS_API_KEY sur une clé de API_KEYS, ou une clé créée avec `relais keys create`. `relais dev` accepte la clé dev.',
      404: 'L’identifiant est-il entier ? Une clé liée à un compte ne voit pas les autres (RELAIS_API_KEY).',
      429: 'Attendez un instant, ou relevez API_RATE.',
      501: 'Ce relais est plus ancien que la commande. Déployez la même version.',
      503: 'Réessayez dans un instant : la même commande n’est jamais faite deux fois. Si cela dure, lancez relais doctor.',
    },
    seeLog: 'Le journal de `relais run` en dit plus.',
  },
};
