/** Ce que trouve `relais doctor`, phrase par phrase. A finding that is changed asks for its French again: a test says so. */
export const frenchChecks: Readonly<Record<string, string>> = {
  settings: 'paramètres',
  postgres: 'postgres',
  durability: 'durabilité',
  clock: 'horloge',
  logging: 'journaux',
  schema: 'schéma',
  permissions: 'droits',
  recovery: 'reprise',
  deployment: 'déploiement',
  limits: 'plafonds',
  state: 'état',
  storage: 'stockage',
  events: 'événements',
  audit: 'journal d’audit',
  redis: 'redis',
  intake: 'arrivées',
  keys: 'clés',
  'sms login': 'accès SMS',
  balance: 'solde',
  callbacks: 'rappels',
  console: 'console',
};

export const frenchFindings: Readonly<Record<string, string>> = {
  'a line is not valid: {id} ({why})': 'une ligne n’est pas valide : {id} ({why})',
  'a line was removed or inserted': 'une ligne a été retirée ou ajoutée',
  'Follow docs/runbook.md#relaisauditbroken. To verify every line again: relais audit verify.':
    'Suivez docs/runbook.md#relaisauditbroken. Pour vérifier de nouveau chaque ligne : relais audit verify.',
  'not verified yet': 'pas encore vérifié',
  'not verified since {at}': 'pas vérifié depuis {at}',
  'Start a process with the role api: it verifies the audit once a day.':
    'Démarrez un processus avec le rôle api : il vérifie l’audit une fois par jour.',
  'verified at {at}, {lines} lines': 'vérifié à {at}, {lines} lignes',
  'could not be looked at: {why}': 'n’a pas pu être examiné : {why}',
  'Fix it, then check again.': 'Corrigez cela, puis relancez.',
  'Fix it, then restart every process.': 'Corrigez-le, puis redémarrez chaque processus.',
  'TRIAL_NUMBERS: only its {count} numbers get payments and SMS':
    'TRIAL_NUMBERS : seuls ses {count} numéros reçoivent paiements et SMS',
  'no settings are set here': 'aucun n’est réglé ici',
  'Run this where `relais run` runs, with its settings; `relais init` writes a file of settings.':
    'Lancez-le là où tourne `relais run`, avec ses réglages ; `relais init` en fait un fichier.',
  '{count} are set, all can be read': '{count} réglés, tous lisibles',
  'not checked: the settings cannot be read': 'rien d’autre n’est examiné tant que les réglages sont illisibles',
  'not needed for {roles}': 'inutile pour {roles}',

  'DATABASE_URL is not set': 'DATABASE_URL n’est pas défini',
  'PostgreSQL cannot be used: {why}': 'PostgreSQL est inutilisable : {why}',
  'Start PostgreSQL, or correct DATABASE_URL.': 'Démarrez PostgreSQL, ou corrigez DATABASE_URL.',
  'PostgreSQL has version {version}': 'PostgreSQL est en version {version}',
  'Use version {oldest} or newer.': 'Utilisez la version {oldest} ou une plus récente.',
  'this PostgreSQL is a standby, which only follows its primary':
    'ce PostgreSQL est un serveur secondaire, qui ne fait que suivre son primaire',
  'Name the primary in DATABASE_URL.': 'Donnez le primaire dans DATABASE_URL.',
  'this PostgreSQL accepts reads only (default_transaction_read_only = on)':
    'ce PostgreSQL n’accepte que des lectures (default_transaction_read_only = on)',
  'Set default_transaction_read_only = off for the role of relais.':
    'Réglez default_transaction_read_only = off pour le rôle de relais.',
  '{connections} of {most} connections are in use': '{connections} connexions sur {most} sont utilisées',
  'Raise max_connections, or lower DATABASE_POOL.': 'Augmentez max_connections, ou réduisez DATABASE_POOL.',
  'version {version}, answers in {ms} ms, {connections} of {most} connections in use':
    'version {version}, répond en {ms} ms, {connections} connexions utilisées sur {most}',
  '{name} is off: PostgreSQL can lose what it has committed, so nothing leaves':
    '{name} est désactivé : PostgreSQL peut perdre ce qu’il a validé, donc rien ne part',
  'Set {name} = on.': 'Réglez {name} = on.',
  'the encoding of the database {database} is {encoding}': 'l’encodage de la base {database} est {encoding}',
  'Create the database with encoding UTF8.': 'Créez la base avec l’encodage UTF8.',
  'a committed transaction survives a power loss': 'une transaction validée survit à une coupure de courant',
  'the clocks of this machine and PostgreSQL are {apart} apart':
    'les horloges de cette machine et de PostgreSQL ont {apart} d’écart',
  'the clock of this machine is {apart} ahead of PostgreSQL':
    'l’horloge de cette machine avance de {apart} sur PostgreSQL',
  'the clock of this machine is {apart} behind PostgreSQL':
    'l’horloge de cette machine retarde de {apart} sur PostgreSQL',
  'Let NTP set both clocks.': 'Laissez NTP régler les deux horloges.',
  'the log of PostgreSQL contains no parameters and no rows':
    'les journaux de PostgreSQL ne contiennent ni paramètres ni lignes',
  'the log of PostgreSQL can contain phone numbers: {name} is not {value}':
    'les journaux de PostgreSQL peuvent contenir des numéros de téléphone : {name} ne vaut pas {value}',
  'alter role {role} set {name} = {value}, by a superuser.':
    'alter role {role} set {name} = {value}, par un superutilisateur.',
  'the schema {name} is up to date': 'le schéma {name} est à jour',
  'the schema {name} lacks {missing}': 'il manque au schéma {name} : {missing}',
  'Run relais migrate, or start a process with MIGRATE=on.':
    'Lancez relais migrate, ou démarrez un processus avec MIGRATE=on.',
  'the role of DATABASE_URL can read and write every table':
    'le rôle de DATABASE_URL peut lire et écrire chaque table',
  'the role of DATABASE_URL cannot read and write {tables}':
    'le rôle de DATABASE_URL ne peut pas lire et écrire {tables}',
  'Grant the role {role} to it.': 'Accordez-lui le rôle {role}.',
  'no process has started on the schema {name} yet': 'aucun processus n’a encore démarré sur le schéma {name}',
  'the schema {name} belongs to {environment}: {accounts}':
    'le schéma {name} appartient à {environment} : {accounts}',
  'since {since} nothing is accepted and nothing leaves: PostgreSQL may be restored to an earlier point ({because})':
    'depuis {since} rien n’est accepté et rien ne part : PostgreSQL a peut-être été restauré à un état antérieur ({because})',
  'Review the open operations, and end the recovery: relais recover.':
    'Vérifiez les opérations en cours, puis terminez la reprise : relais recover.',
  'since {since} no witness has confirmed this ledger: risky operations wait':
    'depuis {since} aucun témoin n’a confirmé ce registre : les opérations risquées attendent',
  'Run relais recover, or set WITNESS=none if PostgreSQL was not restored to an earlier point.':
    'Lancez relais recover, ou réglez WITNESS=none si PostgreSQL n’a pas été restauré à un état antérieur.',
  'no sign that PostgreSQL was restored to an earlier point':
    'rien n’indique que PostgreSQL ait été restauré à un état antérieur',
  'a transaction of {holder} has been open for {age}: dead rows stay, and work slows down':
    'une transaction de {holder} est ouverte depuis {age} : les lignes mortes restent, et le travail ralentit',
  'End that transaction.': 'Terminez cette transaction.',
  'there is no partition for the events of the next 30 days':
    'il n’y a pas de partition pour les événements des 30 prochains jours',
  'Start a process of relais: each one makes partitions three months ahead.':
    'Démarrez un processus de relais : chacun crée les partitions trois mois à l’avance.',
  'rows are in the default partition ({tables}), so retention is slower':
    'des lignes sont dans la partition par défaut ({tables}), donc leur suppression est plus lente',
  'See docs/runbook.md#relaispartitionsmissing.': 'Voir docs/runbook.md#relaispartitionsmissing.',
  'no old transaction is open, and partitions exist ahead':
    'aucune transaction ancienne n’est ouverte, et les partitions à venir existent',
  'the oldest event has waited {age} for its position': 'le plus ancien événement attend sa position depuis {age}',
  'Start a process with the role worker or api: one of them publishes events.':
    'Démarrez un processus avec le rôle worker ou api : l’un d’eux publie les événements.',
  '{count} events could not be published and are quarantined':
    '{count} événements n’ont pas pu être publiés et sont en quarantaine',
  'See docs/runbook.md#relaiseventsquarantined.': 'Voir docs/runbook.md#relaiseventsquarantined.',
  'events are published without delay': 'les événements sont publiés sans retard',
  'answers in {ms} ms': 'répond en {ms} ms',
  'Redis cannot be reached: work starts up to {interval} later, and the journal and the witness in Redis are missing':
    'Redis est injoignable : le travail commence jusqu’à {interval} plus tard, et il manque le journal et le témoin dans Redis',
  'Start Redis, or correct REDIS_URL. Payments and SMS continue meanwhile.':
    'Démarrez Redis, ou corrigez REDIS_URL. Les paiements et les SMS continuent entre-temps.',
  'Redis cannot be reached': 'Redis est injoignable',
  '{name} of this process is {own}, and {value} is in force, by {by}':
    '{name} de ce processus est {own}, et {value} est en vigueur, par {by}',
  '{name} of this process is {own}, and {value} is in force':
    '{name} de ce processus est {own}, et {value} est en vigueur',
  'Set it to that value or remove it. Or two people with the role approve run: {command}':
    'Réglez-le ainsi ou retirez-le ; ou faites dire par deux personnes qui ont le rôle approve : {command}',
  'no setting is looser than the limit in force': 'aucun réglage n’est plus large que ce qui est en vigueur',
  'no account is held, and no money has been in doubt for an hour':
    'aucun compte n’est retenu, et aucun montant n’est incertain depuis une heure',
  'no request waits outside the keys of relais': 'aucune demande n’attend hors de nos clés',
  '{waiting} jobs wait in {queue}, where no worker takes them':
    '{waiting} demandes attendent dans {queue}, où aucun processus ne les prend',
  'Add them with the prefix {prefix}: {code}.': 'Ajoutez-les avec le préfixe {prefix} : {code}.',
  'the account {account} is held ({area}: {reason}) since {since}; {count} recipients wait':
    'le compte {account} est retenu ({area} : {reason}) depuis {since} ; {count} destinataires attendent',
  'the account {account} is held ({area}: {reason}) since {since}; {count} payments, {xof}, wait':
    'le compte {account} est retenu ({area} : {reason}) depuis {since} ; {count} paiements, {xof}, attendent',
  'Instead of an answer to {operation} came: {came}. See: relais explain {reason}.':
    'Au lieu d’une réponse à {operation} est arrivé : {came}. Voyez : relais explain {reason}.',
  'See its meaning, and what ends it: relais explain {reason}.':
    'Ce que cela veut dire et ce qui y met fin : relais explain {reason}.',
  '{xof} ({count}) have been in doubt for more than a day': '{xof} ({count}) sont incertains depuis plus d’un jour',
  '{xof} ({count}) have been in doubt for more than an hour':
    '{xof} ({count}) sont incertains depuis plus d’une heure',
  'See which: relais review list, relais status.': 'Voyez lesquels : relais review list, relais status.',

  'main: has no keys, so only the accounts of ACCOUNTS_FILE are used':
    'main : aucune clé, seuls les comptes de ACCOUNTS_FILE servent',
  '{account}: has no keys': '{account} : aucune clé',
  'Set {names}.': 'Réglez {names}.',
  '{account}: no payment keys, so it cannot move money':
    '{account} : pas de clés de paiement, donc aucun paiement possible',
  '{account}: no messaging keys, so it cannot send SMS': '{account} : pas de clés SMS, donc aucun SMS possible',
  '{account}: all payment keys are set (fingerprint {fingerprint})':
    '{account} : toutes les clés de paiement sont là (empreinte {fingerprint})',
  '{account}: all messaging keys are set': '{account} : toutes les clés SMS sont là',
  '{account}: some payment keys are missing, so it cannot move money':
    '{account} : il manque des clés de paiement, donc aucun paiement possible',
  '{account}: some messaging keys are missing, so it cannot send SMS':
    '{account} : il manque des clés SMS, donc aucun SMS possible',
  '{account}: keys are missing': '{account} : il manque des clés',
  '{account}: logged in, for another {span}': '{account} : connecté, encore {span}',
  '{account}: the keys are accepted; no balance is reported':
    '{account} : les clés sont acceptées ; aucun solde donné',
  '{account}: about {sums}': '{account} : environ {sums}',
  '{account}: no answer within {span}': '{account} : pas de réponse en {span}',
  'Is {names} right, and reachable?': '{names} : l’adresse est-elle juste, et joignable ?',
  '{account}: in test mode there is no path for it': '{account} : en mode test il n’y a pas de chemin pour cela',
  '{account}: {sentence} ({answer})': '{account} : {sentence} ({answer})',
  'Check {names}.': 'Vérifiez {names}.',
  'Is {names} right, and reachable from here? Else try again.':
    '{names} : l’adresse est-elle juste, et joignable d’ici ? Sinon, réessayez.',

  'SERVICE_BASE_URL is not set': 'SERVICE_BASE_URL n’est pas réglé',
  'PUBLIC_URL is not set, and the webhooks listener takes a free port that is not known here: disbursements wait':
    'PUBLIC_URL n’est pas réglé, et le serveur des rappels prend un port libre inconnu d’ici : les décaissements attendent',
  'PUBLIC_URL is not set: disbursements wait': 'PUBLIC_URL n’est pas réglé : les décaissements attendent',
  'Set PUBLIC_URL to the address at which the provider reaches relais.':
    'Réglez PUBLIC_URL sur l’adresse où le service nous joint.',
  'CALLBACK_SECRET is not set': 'CALLBACK_SECRET n’est pas réglé',
  '{url} does not answer ({why})': '{url} ne répond pas ({why})',
  'Start a process with the role webhooks, and route PUBLIC_URL to it.':
    'Démarrez un processus avec le rôle webhooks, et faites-y arriver PUBLIC_URL.',
  '{url} answers, and only to signed addresses': '{url} répond, et seulement aux adresses signées',
  '{url} answers {unsigned} to an unsigned address: something else listens there':
    '{url} répond {unsigned} à une adresse non signée : autre chose répond là',
  'Route PUBLIC_URL, with its path, to the webhooks listener.':
    'Faites arriver PUBLIC_URL au serveur des rappels, chemin compris.',
  '{url} answers {signed} to a signed address': '{url} répond {signed} à une adresse signée',
  'Give all processes the same CALLBACK_SECRET, and route PUBLIC_URL, with its path, to the webhooks listener.':
    'Donnez à tous les processus le même CALLBACK_SECRET, et faites arriver PUBLIC_URL au serveur des rappels, chemin compris.',

  'CONSOLE=off': 'CONSOLE=off',
  'has not been built: npm run build': 'n’a pas été construite : npm run build',
  'http://{host}:{port}/console, on this machine; other machines need HTTPS in front of it (docs/console-sessions.md)':
    'http://{host}:{port}/console, depuis cette machine ; depuis d’autres, il faut https devant elle (docs/console-sessions.md)',
  'at /console on port {port}; it needs HTTPS in front of it (docs/console-sessions.md)':
    'à /console sur le port {port} ; il faut https devant elle (docs/console-sessions.md)',
};
