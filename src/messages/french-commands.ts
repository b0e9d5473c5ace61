/** Ce que disent, quand elles travaillent, les commandes qui ont leur propre déroulement. */
import { someInFrench as some } from './counts.ts';
import type { Words } from './english.ts';

export const frenchCommands: Words['commands'] = {
  flags: {
    francs: 'Écrivez des francs entiers, en chiffres : 25000.',
    whole: 'Écrivez un nombre entier.',
    wholeFromOne: 'Écrivez un nombre entier à partir de 1.',
    digits: 'Écrivez un nombre entier en chiffres.',
    digitsFrom: 'Écrivez un nombre entier en chiffres, à partir de {least}.',
    digitsBetween: 'Écrivez un nombre entier en chiffres, de {least} à {most}.',
    charactersFrom: 'Écrivez au moins {least} caractères.',
    charactersBetween: 'Écrivez {least} à {most} caractères.',
    identity: 'Écrivez 1 à 255 caractères ASCII visibles, sans espace.',
    percent: 'Écrivez un pourcentage de 1 à 100.',
    entry: 'Écrivez CLÉ=VALEUR, et chaque clé une seule fois.',
    time: 'Écrivez une heure comme 2026-11-21T08:00:00Z.',
    duration: 'Écrivez-la comme 20ms, 2s ou 1m.',
    country: 'Écrivez deux lettres, comme SN.',
    columns: 'Écrivez : transactionId=Transaction,amount=Montant,date=Date.',
    unknown: 'Inconnu : {wrong}. Il y a : {known}.',
    fault: '« {name} » n’est pas une panne connue. `relais sandbox --help` en donne la liste.',
    faultCode: 'Cette panne demande un code : commandez-la avec POST /faults de l’API de contrôle.',
    probability: 'Une probabilité est entre 0 et 1.',
    phones: 'Écrivez-les comme +221771234567 ; ce numéro ne va pas : {wrong}.',
    phonesMost: '{most} numéros au plus.',
  },
  usage: {
    overwrites: '--csv écraserait le fichier lui-même.',
    emptyArgument: (name) => `<${name}> est vide.`,
    isItSet: 'Une variable du shell n’est-elle pas définie ?',
    anotherName: 'Donnez un autre nom à --csv.',
    needsText: (flag) => `${flag} demande un texte à montrer (--text), ou une campagne (--campaign).`,
    needsFile: (flag) => `${flag} demande un fichier.`,
    testAsks: '--test-send pose une question sur l’entrée standard, qui est ici le fichier : ajoutez --yes.',
    testOrDry: '--dry-run n’envoie rien et --test-send envoie : choisissez l’un des deux.',
    nothingToChange: 'Dites ce qu’il faut changer.',
    fileSaysAll: 'Le fichier contient déjà tout : retirez les autres options.',
    toAndText: 'Donnez --to et --text, ou un fichier.',
    csvOfJson: '--csv demande un fichier avec des colonnes ; le JSON n’en a pas.',
    where: (given) => `--where ${given} : écrivez par exemple reason=restored.`,
    token: '--confirm prend ce qui a été annoncé, par exemple 412:5f70bf18a0860070.',
    text: {
      braces: (about) => `--text : les accolades ne vont pas ensemble : « ${about} »`,
      noName: (about) => `--text : une variable n’a pas de nom : « ${about} »`,
      filter: (about) =>
        `--text : « ${about} » n’a pas de valeur par défaut ; écrivez {{nom|mot}}, ou le mot entre guillemets`,
      blank: () => '--text : rien n’y est visible ; écrivez au moins un caractère visible',
      controls: (about) => `--text : supprimez les caractères de contrôle : « ${about} »`,
      half: (about) => `--text : supprimez la moitié de caractère : « ${about} »`,
    },
    country: '--country : ce n’est pas un pays (écrivez deux lettres, comme SN)',
    fileOrPhones: 'Nommez un fichier, ou des numéros avec --phone.',
  },
  goesOn: (command) => `Suivre son avancement : ${command}`,
  next: (command) => `La suite : ${command}`,
  textOne: (to) => `Envoyer un SMS à ${to} ?`,
  askPayer: (id) => `Demander le paiement de ${id} au payeur ?`,
  testSent: (to, outcome, id) => `Test à ${to} : ${outcome}  ${id}`,
  standardInput: 'l’entrée standard',
  noCampaign: 'La réponse de l’API n’est pas une campagne.',
  sameVersion: 'Ce programme et l’API ont-ils la même version ?',
  tooLarge: (file, bytes, most) =>
    `${file} fait ${bytes} octets ; un lot de paiements peut en faire ${most} au plus.`,
  inParts: 'Envoyez-le en plusieurs parties.',
  unreadableFile: {
    missing: 'ce fichier n’existe pas',
    folder: 'c’est un dossier',
    forbidden: 'vous n’avez pas le droit de le lire ou d’y écrire',
    other: 'il est illisible',
  },
  aboutFile: (file, why) => `${file} : ${why}.`,
  prices: {
    form: 'Écrivez {"SN": 20, "CI": 22.5} : le prix d’un segment en F CFA, par pays.',
  },
  plainLetters: 'lettres, chiffres et . : / @ % + , = ~ - _',
  audit: { lines: 'lignes', sealedTo: 'scellé jusqu’à', noneYet: 'rien encore', fault: 'ne concorde pas' },
  limits: {
    question: (name, value) => `Régler ${name} sur ${value}, pour tous les processus ?`,
    waits: (command) => `Une autre personne avec le rôle approve doit dire la même chose d’ici un jour : ${command}`,
    holds: 'C’est en vigueur.',
    nobody: 'personne : le réglage par défaut',
    wrong: {
      xof: (name) => `${name} : écrivez des francs entiers, en chiffres, ou off.`,
      recipients: (name) => `${name} : écrivez un nombre entier de destinataires, ou off.`,
      ms: (name) => `${name} : écrivez par exemple 10m ou 24h, ou off.`,
    },
  },
  optOuts: {
    labels: {
      account: 'compte',
      sender: 'expéditeur',
      added: 'ajoutés',
      already: 'déjà présents',
      removed: 'retirés',
      absent: 'n’y étaient pas',
      refused: 'refusés',
    },
    everySender: 'tous',
    forgotten: (count) =>
      `${some(count, 'autre n’est gardé que comme empreinte : la personne a été oubliée', 'autres ne sont gardés que comme empreintes : les personnes ont été oubliées')}.`,
  },
  purge: {
    question: 'Oublier cette personne ? C’est définitif.',
    looked: (count) => `${count} clés examinées`,
    labels: {
      number: 'numéro',
      messages: 'SMS',
      recipients: 'destinataires',
      files: 'fichiers de brouillons supprimés',
      requests: 'demandes',
      events: 'événements',
      optOut: 'désinscription',
    },
    kept: 'gardée, comme empreinte',
    none: 'aucune',
    open: (count) =>
      `${some(count, 'opération est', 'opérations sont')} encore en route, en suspens ou liées à de l’argent : relancez la commande quand ce sera fini.`,
  },
  migrate: {
    missing: (name) => `manque : ${name}`,
    applied: (name) => `appliquée : ${name}`,
    upToDate: (schema) => `Le schéma ${schema} est à jour.`,
    roles: (schema) => `Rôles : ${schema}_app, ${schema}_reader, ${schema}_enqueue.`,
  },
  recover: {
    help: `
Ce qui s’est passé : PostgreSQL en sait moins qu’un processus ou un témoin ne s’en souvient, ou c’est une copie. Une
sauvegarde a été restaurée, ou une réplique en retard a pris le relais. Tant que personne ne décide, rien n’est accepté
et rien ne part.

Exemple :
  relais recover                       ce qui est ouvert, ce que le fournisseur en dit, ce qui serait fait
  relais recover --apply               régler ce qui est prouvé, confier le reste à une personne, reprendre le travail
  relais recover --nothing-was-lost    rien n’a été perdu : deux personnes le confirment en un jour
  relais recover --new-stamp           SERVICE_BASE_URL et SERVICE_CRM_URL sont les nouvelles adresses du même fournisseur`,
    moved: (settings) => `${settings} : autre adresse qu’avant. Est-ce le même fournisseur, qui a déménagé ?`,
    nothingDiffers: 'Rien ne diffère : les processus avec ces réglages démarrent.',
    nothingLost: 'Est-il sûr que rien n’a été restauré, remplacé ni perdu, et que tout peut continuer ?',
    asBefore: 'Tout continue comme avant.',
    first: (person) =>
      `${person} l’a confirmé. Une autre personne doit le confirmer en un jour : relais recover --nothing-was-lost.`,
    apply: 'Reprendre tout ce qui est ouvert ? Sur la foi de cette copie, aucun SMS ne part et rien n’est payé.',
    progress: (done, of) => `${done} sur ${of}`,
    applied: 'ce que fait --apply',
    would: {
      review: 'confié à une personne',
      ask: 'question au prestataire, sinon confié à une personne',
      hold: 'retenu jusqu’à la reprise',
      doubt: 'recherché, pas renvoyé',
      look: 'vérifié comme d’habitude',
      nothing: 'reste tel quel',
    },
    none: 'Aucune reprise n’est en cours.',
    labels: {
      state: 'état',
      because: 'cause',
      since: 'depuis',
      lastBeat: 'dernier travail',
      lost: 'quelque chose a été perdu',
    },
    lost: { yes: 'oui', no: 'pas prouvé' },
    says: (asked, kind, told) => `Le prestataire dit de ${asked} (${kind}) : ${told}`,
    steps: {
      copyMade: 'la copie',
      restored: (count) =>
        `Le journal a fait réinscrire ${some(count, 'opération', 'opérations')} du temps perdu : redemandées, elles ne se font pas deux fois.`,
      broken: (why, since) =>
        `Le journal ne prouve pas ce qui n’est jamais parti (${why}). Ce qui a été accepté depuis ${since} peut être inconnu ici : comparez avec le tableau de bord avant toute répétition.`,
      lostActions: (count, names) =>
        `Le journal connaît ${some(count, 'acte', 'actes')} de personnes qui ne se rejouent pas (${names}) : refaites ceux qui valent encore.`,
      keys: (since) =>
        `Les clés révoquées depuis ${since} sont de nouveau valables, sauf si le journal le savait, et celles créées depuis ont disparu : relais keys list, puis relais keys revoke ID.`,
      optOuts: (since) =>
        `Les désinscriptions depuis ${since} sont perdues : apportez-les de nouveau (relais opt-outs add) avant de reprendre une campagne.`,
      stops: (since) =>
        `Les arrêts de comptes, les pauses de files et les plafonds réglés depuis ${since} ont disparu : réglez-les de nouveau.`,
      lifted: 'Ceux qui ont été levés depuis sont revenus : relais account list, GET /v1/queues, relais limits list.',
      endpoints: (since) =>
        `Les adresses des événements sont celles d’avant ${since}. Les personnes oubliées depuis sont de nouveau connues : relais purge.`,
      unreadable: (count, ids) =>
        `${some(count, 'enregistrement illisible', 'enregistrements illisibles')} (${ids}) : laissés tels quels, sans rien à faire. relais doctor dit pourquoi.`,
      review: (count) =>
        `${count} à vérifier : relais review list. Cherchez chacun dans le tableau de bord du prestataire, y compris ceux qui attendaient déjà : ils ont pu être réglés depuis.`,
      campaigns: (count) =>
        `${some(count, 'campagne attend sa reprise', 'campagnes attendent leur reprise')} : relais campaign resume ID.`,
      texts:
        'Les SMS qui sont peut-être partis sont recherchés dans les statistiques. Ce qui n’y est pas reste incertain : relais campaign retry ID --include-unknown les renvoie.',
    },
    todo: `À faire : relais recover --apply, ou relais recover --nothing-was-lost. Seul le prestataire
sait ce qui a été fait depuis ; docs/restore.md décrit les étapes.`,
  },
  reconcile: {
    noRow: (file) => `${file} n’a aucune ligne lisible.`,
    because: (row, problem) => `ligne ${row} : ${problem}`,
    otherSheet:
      'Exportez de nouveau les jours avec leurs lignes, ou indiquez la feuille qui les contient avec --sheet.',
    noColumn: (file, name) => `${file} n’a pas de colonne « ${name} ».`,
    itHas: (names) => `Ses colonnes : ${names}`,
    days: (from, to) => `du ${from} au ${to}`,
    labels: {
      days: 'jours',
      matched: 'concordent',
      onlyOurs: 'seulement chez nous',
      onlyTheirs: 'seulement chez eux',
      different: 'montant différent',
      unreadable: 'lignes illisibles',
    },
    titles: {
      onlyOurs: 'Seulement chez nous',
      onlyTheirs: 'Seulement chez eux',
      different: 'Montant différent',
      unreadable: 'Illisibles',
    },
    problems: {
      empty: '{column} : vide',
      amount: '{column} : pas un nombre entier de francs : « {cell} »',
      date: '{column} : pas une date : « {cell} »',
    },
  },
  events: {
    ahead: (cursor) => `Les événements jusqu’à ${cursor} ne sont pas, ou plus, dans le flux.`,
    aheadNext:
      'PostgreSQL a été restauré à un point antérieur. Relisez l’état de vos opérations, puis les événements sans --after.',
    forgotten: (cursor) => `Une partie des événements après ${cursor} est oubliée : ce lecteur les a perdus.`,
    forgottenNext: (oldest) =>
      `Faites le point, puis relisez sans --after, à partir du plus ancien encore gardé (${oldest}).`,
  },
};
