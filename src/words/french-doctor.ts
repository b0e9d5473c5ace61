/** Ce que trouve `relais doctor`, phrase par phrase. A finding that is changed asks for its French again: a test says so. */
export const frenchChecks: Readonly<Record<string, string>> = {
  settings: 'réglages',
  redis: 'redis',
  durability: 'durabilité',
  memory: 'mémoire',
  clock: 'horloge',
  permissions: 'droits',
  recovery: 'reprise',
  deployment: 'déploiement',
  limits: 'plafonds',
  records: 'fiches',
  state: 'état',
  audit: 'journal d’audit',
  history: 'historique',
  intake: 'arrivées',
  keys: 'clés',
  'sms login': 'accès SMS',
  balance: 'solde',
  callbacks: 'rappels',
  console: 'console',
};

export const frenchFindings: Readonly<Record<string, string>> = {
  'a line does not fit: {id} ({why})': 'une ligne ne correspond pas : {id} ({why})',
  'a line was taken out or put in': 'une ligne a été retirée ou ajoutée',
  'docs/runbook.md#relaisauditbroken says what to do; relais audit verify reads every line again.':
    'docs/runbook.md#relaisauditbroken dit quoi faire ; relais audit verify relit chaque ligne.',
  'not verified yet': 'pas encore vérifié',
  'no line is written yet': 'aucune ligne pour le moment',
  'not verified since {at}': 'pas vérifié depuis {at}',
  'Start a process with the role api: it verifies the audit once a day.':
    'Démarrez un processus avec le rôle api : il vérifie l’audit une fois par jour.',
  'verified at {at}, {lines} lines': 'vérifié à {at}, {lines} lignes',
  'could not be looked at: {why}': 'n’a pas pu être examiné : {why}',
  'Set it where the role history is.': 'Réglez-le là où se trouve le rôle history.',
  'what left Redis cannot be read here: no HISTORY_URL':
    'ce qui a quitté Redis ne peut pas être lu ici : pas de HISTORY_URL',
  'Set it where the roles api and webhooks are.': 'Réglez-le là où se trouvent les rôles api et webhooks.',
  'Nothing stops meanwhile.': 'Rien ne s’arrête entre-temps.',
  'Start a process with the role history; see its log.':
    'Démarrez un processus qui a le rôle history ; voyez son journal.',
  'no HISTORY_URL here; {count} wait for it, the first for {time}':
    'pas de HISTORY_URL ici ; {count} l’attendent, la première depuis {time}',
  'PostgreSQL is away ({why}); {count} wait for it, the first for {time}':
    'PostgreSQL est injoignable ({why}) ; {count} l’attendent, la première depuis {time}',
  'PostgreSQL answers; {count} wait for it, the first for {time}':
    'PostgreSQL répond ; {count} l’attendent, la première depuis {time}',
  'PostgreSQL is an older copy: it lacks up to {many} that left Redis and changed last between {from} and {to}':
    'PostgreSQL est une copie plus ancienne : il y manque jusqu’à {many} qui ont quitté Redis, changés pour la dernière fois entre {from} et {to}',
  'Put a newer copy in its place; if there is none: relais recover --without-missing.':
    'Mettez à sa place une copie plus récente ; s’il n’y en a pas : relais recover --without-missing.',
  'PostgreSQL did not take {count}, which stay in Redis: {named}':
    'PostgreSQL en a refusé {count}, qui restent dans Redis : {named}',
  'docs/runbook.md#relaishistorysetaside says what to do; then start the process with the role history again.':
    'docs/runbook.md#relaishistorysetaside dit quoi faire ; redémarrez ensuite le processus qui a le rôle history.',
  'PostgreSQL answers; nothing waits for it': 'PostgreSQL répond ; rien ne l’attend',
  'Mend that, and look again.': 'Corrigez cela, puis relancez.',
  'Mend it, and start every process again.': 'Corrigez-le, puis redémarrez chaque processus.',
  'none is set here': 'aucun n’est réglé ici',
  'Look where `relais run` runs, with its settings; `relais init` makes a file of them.':
    'Lancez-le là où tourne `relais run`, avec ses réglages ; `relais init` en fait un fichier.',
  '{count} are set, all can be read': '{count} réglés, tous lisibles',
  'nothing else is looked at before the settings can be read':
    'rien d’autre n’est examiné tant que les réglages sont illisibles',
  'not needed for {roles}': 'inutile pour {roles}',

  'it is version {version}': 'c’est la version {version}',
  'Use {oldest} or newer.': 'Prenez {oldest} ou plus récent.',
  'version {version}, answers in {ms} ms': 'version {version}, répond en {ms} ms',
  'what it answered survives a power loss': 'ce qu’il a confirmé survit à une coupure de courant',
  'what it answered survives a power loss; should it then refuse to start, copy its folder and use redis-check-aof --fix on the manifest':
    'ce qu’il a confirmé survit à une coupure de courant ; s’il refuse ensuite de démarrer, copiez son dossier et lancez redis-check-aof --fix sur le manifeste',
  'asserted by DURABILITY, though {reasons}': 'affirmé par DURABILITY, bien que : {reasons}',
  'no maxmemory is set: the machine is the limit': 'maxmemory n’est pas réglé : la machine est la limite',
  '{percent} % of maxmemory is used': '{percent} % de maxmemory sont utilisés',
  '{percent} % of maxmemory is used, so nothing new is accepted':
    '{percent} % de maxmemory sont utilisés : rien de nouveau n’est accepté',
  'Give Redis more memory, or wait.': 'Donnez plus de mémoire à Redis, ou attendez.',
  'this machine and Redis are {apart} apart': 'cette machine et Redis ont {apart} d’écart',
  'this machine is {apart} ahead of Redis': 'cette machine avance de {apart} sur Redis',
  'this machine is {apart} behind Redis': 'cette machine retarde de {apart} sur Redis',
  'Let NTP set both clocks.': 'Laissez NTP régler les deux horloges.',
  'the user {user} may not use keys that begin with {prefix}':
    'l’utilisateur {user} ne peut pas utiliser les clés qui commencent par {prefix}',
  'the user {user} may do all that relais does': 'l’utilisateur {user} peut faire tout ce que fait relais',
  'the user {user} may not run {commands}': 'l’utilisateur {user} ne peut pas lancer {commands}',
  'no process has started on the keys {prefix}:* yet': 'aucun processus n’a encore démarré sur les clés {prefix}:*',
  'the keys {prefix}:* are of {environment}: {accounts}': 'les clés {prefix}:* sont à {environment} : {accounts}',
  '{name} of this process is {own}, and {value} holds, by {by}':
    '{name} de ce processus est {own}, et {value} est en vigueur, par {by}',
  '{name} of this process is {own}, and {value} holds': '{name} de ce processus est {own}, et {value} est en vigueur',
  'Set it to that or leave it out; or have two people with the role approve give the command: {command}':
    'Réglez-le ainsi ou retirez-le ; ou faites dire par deux personnes qui ont le rôle approve : {command}',
  'no setting is looser than what holds': 'aucun réglage n’est plus large que ce qui est en vigueur',
  'none was met that cannot be read': 'aucune fiche illisible n’a été rencontrée',
  'Run the version that wrote it, or restore the field from a copy of Redis.':
    'Lancez la version qui l’a écrite, ou restaurez le champ depuis une copie de Redis.',
  'Redis is not known to have lost anything': 'rien n’indique que Redis ait perdu quelque chose',
  'since {since} nothing is accepted and nothing leaves: Redis may have lost something ({because})':
    'depuis {since} rien n’est accepté et rien ne part : Redis a peut-être perdu quelque chose ({because})',
  'See what is open, and say what became of it: relais recover.':
    'Voyez ce qui est ouvert, et dites ce que c’est devenu : relais recover.',

  'no account is held, and no money has been in doubt for an hour':
    'aucun compte n’est retenu, et aucun montant n’est incertain depuis une heure',
  'no request waits outside of our keys': 'aucune demande n’attend hors de nos clés',
  '{waiting} jobs wait in {queue}, where nobody takes them':
    '{waiting} demandes attendent dans {queue}, où aucun processus ne les prend',
  'Add them with the prefix {prefix}: {code}.': 'Ajoutez-les avec le préfixe {prefix} : {code}.',
  'the account {account} is held ({area}: {reason}) since {since}; {count} recipients wait':
    'le compte {account} est retenu ({area} : {reason}) depuis {since} ; {count} destinataires attendent',
  'the account {account} is held ({area}: {reason}) since {since}; {count} payments, {xof}, wait':
    'le compte {account} est retenu ({area} : {reason}) depuis {since} ; {count} paiements, {xof}, attendent',
  'Instead of an answer to {operation} came: {came}. See: relais explain {reason}.':
    'Au lieu d’une réponse à {operation} est arrivé : {came}. Voyez : relais explain {reason}.',
  'What it means and what ends it: relais explain {reason}.':
    'Ce que cela veut dire et ce qui y met fin : relais explain {reason}.',
  '{xof} ({count}) have been in doubt for more than a day': '{xof} ({count}) sont incertains depuis plus d’un jour',
  '{xof} ({count}) have been in doubt for more than an hour':
    '{xof} ({count}) sont incertains depuis plus d’une heure',
  'See which: relais review list, relais status.': 'Voyez lesquels : relais review list, relais status.',

  'main: has no keys, so only the accounts of ACCOUNTS_FILE are used':
    'main : aucune clé, seuls les comptes de ACCOUNTS_FILE servent',
  '{account}: has no keys at all': '{account} : aucune clé',
  'Set {names}.': 'Réglez {names}.',
  '{account}: no payments keys, so it cannot move money':
    '{account} : pas de clés de paiement, donc aucun paiement possible',
  '{account}: no messaging keys, so it cannot send texts': '{account} : pas de clés SMS, donc aucun SMS possible',
  '{account}: all payments keys are there (fingerprint {fingerprint})':
    '{account} : toutes les clés de paiement sont là (empreinte {fingerprint})',
  '{account}: all messaging keys are there': '{account} : toutes les clés SMS sont là',
  '{account}: some payments keys are missing, so it cannot move money':
    '{account} : il manque des clés de paiement, donc aucun paiement possible',
  '{account}: some messaging keys are missing, so it cannot send texts':
    '{account} : il manque des clés SMS, donc aucun SMS possible',
  '{account}: keys are missing': '{account} : il manque des clés',
  '{account}: logged in, for another {span}': '{account} : connecté, encore {span}',
  '{account}: the keys are accepted; no balance is told': '{account} : les clés sont acceptées ; aucun solde donné',
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
  'Set PUBLIC_URL to where the service reaches us.': 'Réglez PUBLIC_URL sur l’adresse où le service nous joint.',
  'CALLBACK_SECRET is not set': 'CALLBACK_SECRET n’est pas réglé',
  '{url} does not answer ({why})': '{url} ne répond pas ({why})',
  'Start a process with the role webhooks, and lead PUBLIC_URL to it.':
    'Démarrez un processus avec le rôle webhooks, et faites-y arriver PUBLIC_URL.',
  '{url} answers, and only to signed addresses': '{url} répond, et seulement aux adresses signées',
  '{url} says {unsigned} to an address that is not signed: something else answers there':
    '{url} répond {unsigned} à une adresse non signée : autre chose répond là',
  'Lead PUBLIC_URL to the webhooks listener, path and all.':
    'Faites arriver PUBLIC_URL au serveur des rappels, chemin compris.',
  '{url} says {signed} to a signed address': '{url} répond {signed} à une adresse signée',
  'Give all processes the same CALLBACK_SECRET, and lead PUBLIC_URL to the webhooks listener, path and all.':
    'Donnez à tous les processus le même CALLBACK_SECRET, et faites arriver PUBLIC_URL au serveur des rappels, chemin compris.',

  'CONSOLE=off': 'CONSOLE=off',
  'has not been built: npm run build': 'n’a pas été construite : npm run build',
  'http://{host}:{port}/console, from this machine; from others it needs https before it (docs/console-sessions.md)':
    'http://{host}:{port}/console, depuis cette machine ; depuis d’autres, il faut https devant elle (docs/console-sessions.md)',
  'at /console on port {port}; it needs https before it (docs/console-sessions.md)':
    'à /console sur le port {port} ; il faut https devant elle (docs/console-sessions.md)',
};
