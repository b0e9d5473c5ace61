/** Erreurs d’une ligne de commande. In English, commander provides these texts. */
export const frenchUsage = {
  /** Ce qu’une option ou un argument prend. */
  names: {
    command: 'commande',
    roles: 'rôles',
    names: 'noms',
    path: 'chemin',
    'sentence:probability': 'phrase:probabilité',
    duration: 'durée',
    number: 'nombre',
    file: 'fichier',
    dir: 'dossier',
    words: 'mots',
    text: 'texte',
    time: 'heure',
    name: 'nom',
    countries: 'pays',
    reasons: 'raisons',
    numbers: 'numéros',
    sender: 'expéditeur',
    what: 'quoi',
    hours: 'heures',
    percent: 'pourcentage',
    state: 'état',
    key: 'clé',
    lane: 'voie',
    word: 'mot',
    value: 'valeur',
    url: 'adresse',
    cursor: 'endroit',
    count: 'nombre',
    accountNumber: 'compte',
  },
  /** Après ce que dit une option : `(default: 5s, choices: "a", "b")`. */
  extra: (described: string): string =>
    described
      .replace(/\(choices: /, '(au choix : ')
      .replace(/([(,] ?)default: /, (_all, before: string) => `${before}par défaut : `),
  said: {
    'commander.missingArgument': (name: string) => `erreur : il manque l’argument « ${name} »`,
    'commander.optionMissingArgument': (option: string) => `erreur : l’option « ${option} » attend une valeur`,
    'commander.missingMandatoryOptionValue': (option: string) => `erreur : il manque l’option « ${option} »`,
    'commander.unknownOption': (option: string) => `erreur : option inconnue « ${option} »`,
    'commander.unknownCommand': (name: string) => `erreur : commande inconnue « ${name} »`,
    'commander.excessArguments': () => 'erreur : trop d’arguments',
    'commander.invalidArgument': (what: string, value: string) =>
      `erreur : « ${value} » ne convient pas à « ${what} »`,
  },
  choices: (words: string): string => `Au choix : ${words}.`,
  didYouMean: (word: string): string => `(Vouliez-vous dire ${word} ?)`,
} as const;
