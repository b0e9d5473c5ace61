/**
 * Ce que l’API refuse, et pourquoi, phrase par phrase; as in `told.ts`. What stands in a sentence is {a}, {b}, {c} here, in
 * the order of the English. What is said of a field goes on from its name: “--amount doit être …”.
 */
export const frenchRefusals: Readonly<Record<string, string>> = {
  // De quel genre est le refus.
  'The request cannot be read': 'La demande est illisible',
  'The request needs an Idempotency-Key header or a reference':
    'La demande n’a ni référence ni en-tête Idempotency-Key',
  'An API key is needed': 'Il faut une clé de l’API',
  'This key may not do that': 'Cette clé ne permet pas cela',
  'This needs a sign-in of the last five minutes': 'Il faut s’être connecté dans les cinq dernières minutes',
  'There is no such thing': 'Introuvable',
  'There is no such method here': 'Cette méthode n’existe pas ici',
  'This identity already stands for another request': 'Cette référence désigne déjà une autre demande',
  'Not possible in this state': 'Ce n’est pas possible dans cet état',
  'This record cannot be read by this version; nobody acts on it':
    'Cette version ne peut pas lire cette fiche ; personne n’y touche',
  'These events are no longer kept': 'Ces événements ne sont plus gardés',
  'This cursor is of events that are not, or no longer, there':
    'Ce curseur désigne des événements qui ne sont pas, ou plus, là',
  'The body is too large': 'L’envoi est trop gros',
  'The body is of a type that is not taken here': 'Ce type de contenu n’est pas accepté ici',
  'The request is not valid; nothing was done': 'La demande n’est pas valable ; rien n’a été fait',
  'Too many requests with this key': 'Trop de demandes avec cette clé',
  'The service did not answer; nothing was changed': 'Le service n’a pas répondu ; rien n’a changé',
  'The provider of identities did not answer; nobody was signed in':
    'Le fournisseur d’identités n’a pas répondu ; personne n’a été connecté',
  'Redis is not available, or did not answer in time': 'Redis n’est pas disponible, ou n’a pas répondu à temps',
  'Redis would not survive a power loss; nothing was accepted':
    'Redis ne survivrait pas à une coupure de courant ; rien n’a été accepté',
  'Redis is nearly full; nothing was accepted': 'Redis est presque plein ; rien n’a été accepté',
  'Redis may have lost something; nothing was done': 'Redis a peut-être perdu quelque chose ; rien n’a été fait',
  'The service refused, or answered unreadably': 'Le service a refusé, ou sa réponse est illisible',
  'The service did not answer in time': 'Le service n’a pas répondu à temps',
  'Something went wrong on our side': 'Une erreur s’est produite dans relais',

  // Clés, sessions, comptes.
  'There is no session here, or it is over: sign in.':
    'Il n’y a pas de session ici, ou elle est finie : connectez-vous.',
  'The session is over: sign in.': 'La session est finie : connectez-vous.',
  'This key was revoked, or the session ended, while the request was under way.':
    'Cette clé a été révoquée, ou la session a pris fin, pendant que la demande était en cours.',
  'This key was shown too often within a minute.': 'Cette clé a été présentée trop souvent en une minute.',
  'Too many requests came with a wrong key. A right key is heard at once.':
    'Trop de demandes sont venues avec une clé fausse. Une clé juste est entendue aussitôt.',
  'This key is not known here, or no longer; the keys are in API_KEYS, or made with `relais keys create`.':
    'Cette clé n’est pas connue ici, ou ne l’est plus ; les clés sont dans API_KEYS, ou créées par `relais keys create`.',
  'Send `Authorization: Bearer <key>`; the keys are in API_KEYS (`relais dev` knows the key `dev`).':
    'Envoyez `Authorization: Bearer <clé>` ; les clés sont dans API_KEYS (`relais dev` connaît la clé `dev`).',
  'The key "{a}" does not have the role {b}; ask for one that has it.':
    'La clé « {a} » n’a pas le rôle {b} ; demandez-en une qui l’a.',
  'The key "{a}" is for {b}, and {c}.': 'La clé « {a} » n’est que pour {b}, et ceci concerne tous les comptes.',
  'The key "{a}" may not use the account "{b}".': 'La clé « {a} » ne peut pas utiliser le compte « {b} ».',
  'The key was last shown more than five minutes ago. {a}':
    'La clé a été présentée pour la dernière fois il y a plus de cinq minutes. Présentez-la de nouveau.',
  'This is about a session of the console, and the key "{a}" was sent.':
    'Il s’agit d’une session de la console, et la clé « {a} » a été envoyée.',
  'This key may ask {a} times a second (API_RATE).': 'Cette clé peut demander {a} fois par seconde (API_RATE).',
  'This key follows the events as often as one may in a process.':
    'Cette clé suit déjà les événements autant de fois qu’il est permis dans un processus.',
  'There are a thousand keys already; revoke some.': 'Il y a déjà mille clés ; révoquez-en.',
  'There is no key {a}; those of API_KEYS end there.':
    'La clé {a} n’existe pas ; celles de API_KEYS se retirent de ce réglage.',
  'There is no account {a}.': 'Le compte {a} n’existe pas.',
  'The account "{a}" is not configured here.': 'Le compte « {a} » n’est pas réglé ici.',
  'is not the key of this session': 'n’est pas la clé de cette session',
  'is not one of the accounts here: {a}': 'n’est pas l’un des comptes d’ici : {a}',
  'was accepted before as {a}, in a time that was lost, and may have been done: look at the service, and ask under another one if it was not':
    'a été acceptée comme {a} pendant un temps perdu, et est peut-être faite : voyez le service, et demandez sous une autre si elle ne l’est pas',
  'must be the name of an account, such as main': 'doit être le nom d’un compte, comme main',

  // Ce qui n’existe pas, n’est pas lisible, ou n’est pas possible maintenant.
  'There is no {a} {b}; here is {c}.': 'Il n’y a pas de {a} {b} ; ici : {c}.',
  'There is no {a}; here is {b}.': 'Il n’y a pas de {a} ; ici : {b}.',
  'There is no problem {a}.': 'Le problème {a} n’existe pas.',
  'There is no operation {a}.': 'L’opération {a} n’existe pas.',
  'There is no limit {a}; there are {b}.': 'Le plafond {a} n’existe pas ; il y a : {b}.',
  'There is no queue {a}; there are {b}.': 'La file {a} n’existe pas ; il y a : {b}.',
  'There is no event endpoint {a}.': 'L’adresse d’événements {a} n’existe pas.',
  'There is no event {a} that {b} wants, or no longer.':
    'L’événement {a} n’existe pas, ou plus, ou {b} ne le demande pas.',
  '{a} Nothing was changed.': '{a} Rien n’a changé.',
  'there is no limit {a}': 'le plafond {a} n’existe pas',
  'There is no {a} {b}.': 'Introuvable : {b}.',
  'The console has no such file.': 'La console n’a pas ce fichier.',
  'It was written by another version, or is damaged; `relais doctor` names it.':
    'Elle a été écrite par une autre version, ou est abîmée ; `relais doctor` la nomme.',
  'Too many workbooks are being read at this moment; send it again in a minute.':
    'Trop de classeurs sont en cours de lecture ; renvoyez-le dans une minute.',
  'The path cannot be read.': 'Le chemin est illisible.',
  'It may be done: with the same identity it is safe to try again.':
    'La demande a peut-être été exécutée : avec la même référence, réessayer est sans danger.',
  'It was written to the log under this X-Request-Id; with the same identity it is safe to try again.':
    'C’est noté au journal sous ce X-Request-Id ; avec la même référence, réessayer est sans danger.',
  'The service is asked as often as UPSTREAM_RATE allows; try again.':
    'Le service est interrogé aussi souvent que UPSTREAM_RATE le permet ; réessayez.',
  'A batch may have {a} bytes; send it in parts.':
    'Un fichier de paiements peut faire {a} octets ; envoyez-le en plusieurs parties.',
  'This JSON body may have {a} bytes.': 'Cette demande JSON peut faire {a} octets.',
  'It has {a} uploads, as many as a campaign may have: put its recipients in fewer files.':
    'Elle a {a} fichiers, autant qu’une campagne peut en avoir : mettez ses destinataires dans moins de fichiers.',
  'It is {a}: recipients are added before the start.':
    'Son état est {a} : les destinataires s’ajoutent avant le démarrage.',
  'It is {a}: nothing is sent any more.': 'Son état est {a} : plus rien ne part.',
  'It is {a}, so there is nothing to {b}.': 'Son état est {a} : il n’y a rien à faire ({b}).',
  'It is {a}: there is nothing to ask about.': 'Son état est {a} : il n’y a rien à demander.',
  'It is {a}: it does not wait for a person.': 'Son état est {a} : une personne n’a rien à trancher.',
  'It is {a}: only a pending invoice can be paid.':
    'Son état est {a} : seule une facture en attente peut être payée.',
  'It is {a}: {b}.': 'Son état est {a} : {b}.',
  'It has no recipients to send to: upload some first.': 'Elle n’a pas de destinataires : ajoutez-en d’abord.',
  'It waits for the quiet hours to end, and goes on by itself. To send all the same: PATCH {"quietHours": false}.':
    'Elle attend la fin des heures calmes et reprend d’elle-même. Pour envoyer quand même : PATCH {"quietHours": false}.',
  'It was deleted at this moment.': 'Elle vient d’être supprimée.',
  'The campaign was changed meanwhile; nothing was added. Send it again.':
    'La campagne a changé entre-temps ; rien n’a été ajouté. Renvoyez le fichier.',
  'The campaign was changed meanwhile; nothing was added. Look at it again.':
    'La campagne a changé entre-temps ; rien n’a été ajouté. Regardez-la de nouveau.',
  'No file of it is kept, or no longer: send it again.':
    'Son fichier n’est pas gardé, ou ne l’est plus : envoyez-le de nouveau.',
  'Still to be decided: {a}.': 'Reste à décider : {a}.',
  'Nobody would get a text.': 'Personne ne recevrait de SMS.',
  'It has recipients, whose values were taken for this text: cancel it and make another.':
    'Elle a des destinataires, dont les valeurs ont été prises pour ce texte : annulez-la et faites-en une autre.',
  'may have at most 50 MB': 'peut faire au plus 50 Mo',
  'The body broke off.': 'L’envoi s’est interrompu.',
  'The replicas did not confirm it in time; send it again, which is harmless.':
    'Les répliques n’ont pas confirmé à temps ; renvoyez la demande, c’est sans danger.',
  'The replicas did not confirm it in time, and its secret is lost: look, and remove it before you ask again.':
    'Les répliques n’ont pas confirmé à temps, et son secret est perdu : regardez, et supprimez-le avant de redemander.',
  'The same key or reference stands for {a}. Repeat that request as it was, or name this one anew.':
    'La même clé ou référence désigne déjà {a}. Répétez cette demande telle quelle, ou donnez un autre nom à celle-ci.',
  'It stands for {a}, whose bytes were others; send another Idempotency-Key.':
    'Elle désigne {a}, dont le contenu était autre ; envoyez une autre Idempotency-Key.',
  'The service could not be asked ({a}); nothing was changed. Try again.':
    'Le service n’a pas pu être interrogé ({a}) ; rien n’a changé. Réessayez.',
  'Nothing that was posted to us about {a} is kept. A body is kept for 30 days, and only where it does not agree with a success; whether we were called back is in its story: GET /v1/explain/{b}.':
    'Rien de ce qui nous a été envoyé sur {a} n’est gardé. Un message est gardé 30 jours, et seulement s’il contredit une réussite ; l’histoire dit si nous avons été rappelés : relais explain {b}.',
  'History lacks nothing that left Redis.': 'Il ne manque rien à l’historique de ce qui a quitté Redis.',
  'Something was lost ({a}): this can be no mere silence. See what is open, then {"apply": true}.':
    'Quelque chose a été perdu ({a}) : ce n’est pas un simple arrêt. Voyez ce qui est ouvert, puis relais recover --apply.',
  'Redis uses {a} % of its maxmemory; give it more, or wait.':
    'Redis utilise {a} % de sa maxmemory ; donnez-lui-en plus, ou attendez.',

  // Ce qu’une autre personne, ou le service, doit dire.
  'The key "{a}" is of {b}, and {c}; another key must decide, of another person.':
    'La clé « {a} » est à {b}, qui y a pris part ; une autre clé, d’une autre personne, doit décider.',
  'The key "{a}" is of {b} too, and does not have the role {c}.':
    'La clé « {a} » est aussi à {b}, et n’a pas le rôle {c}.',
  'A key of {a} is called {b}; give this one another name.':
    'Une clé de {a} s’appelle déjà {b} ; donnez un autre nom à celle-ci.',
  'the key "{a}" may not use this account': 'la clé « {a} » ne peut pas utiliser ce compte',
  '{a} had a hand in it; another key must approve it, of another person.':
    '{a} y a pris part ; une autre clé, d’une autre personne, doit l’approuver.',
  'It is above CAMPAIGN_APPROVAL_ABOVE and was never approved, so one key alone cannot send it again: make a campaign of those who failed.':
    'Elle dépasse CAMPAIGN_APPROVAL_ABOVE et n’a jamais été approuvée : une seule clé ne peut pas la renvoyer. Faites une campagne de ceux qui sont en échec.',
  'The same bytes are {a}, which is still open: approve or cancel that one.':
    'Le même fichier est déjà {a}, encore ouvert : approuvez ou abandonnez celui-là.',
  'These are not the bytes that were uploaded: look at the batch again before you approve it.':
    'Ce n’est pas le fichier qui a été déposé : regardez-le de nouveau avant d’approuver.',
  'It was changed since: look at the campaign again before you approve it.':
    'Elle a changé depuis : regardez la campagne de nouveau avant d’approuver.',
  'It was approved with its hours, and they stay as they were approved; cancel it and make another.':
    'Elle a été approuvée avec ses heures, qui ne changent plus ; annulez-la et faites-en une autre.',
  'Something came between since the upload: {a} problem(s). Nothing was approved.':
    'Quelque chose a changé depuis le dépôt : {a} problème(s). Rien n’a été approuvé.',
  'These are no longer the {a} that were looked at: it chooses {b}. Nothing was decided.':
    'Ce ne sont plus les {a} qui ont été regardés : il y en a {b}. Rien n’a été tranché.',
  'may have been accepted; with the same identity it is safe to send it again':
    'a peut-être été accepté ; avec la même référence, le renvoyer est sans danger',
  'neither this line nor any after it was taken: send the whole body again in a while':
    'ni cette ligne ni les suivantes n’ont été prises : renvoyez le tout dans un moment',
  'Nobody {a}, so there is nothing to retry.': 'Personne n’est en échec ni incertain : il n’y a rien à renvoyer.',
  'It is {a}: only a finished campaign is retried.': 'Son état est {a} : seule une campagne terminée se renvoie.',
  'it was changed at this moment': 'elle vient de changer',
  'there is nothing to approve': 'il n’y a rien à approuver',
  'upload it again under another Idempotency-Key': 'déposez-le de nouveau sous une autre Idempotency-Key',
  'a batch is cancelled before it is approved; its rows can be cancelled one by one':
    'un fichier s’abandonne avant son approbation ; ses lignes s’annulent une par une',
  'it does not wait for a person, or somebody is at it': 'une personne n’a rien à trancher, ou quelqu’un s’en occupe',
  'only what was never submitted can be cancelled': 'seul ce qui n’a jamais été transmis peut être annulé',
  'Not now: the service could not be asked about it ({a}). Nothing was changed; try again.':
    'Pas maintenant : le service n’a pas pu être interrogé ({a}). Rien n’a changé ; réessayez.',
  'The service says: {a}. Its word is stronger; nothing else was changed.':
    'Le service dit : {a}. Sa parole est plus forte ; rien d’autre n’a changé.',
  'That is said of the token that we know. Where the dashboard shows the disburse_id as paid all the same, say so with its transactionId.':
    'Cela vaut pour le jeton que nous connaissons. Si le tableau de bord montre quand même le disburse_id comme payé, dites-le avec sa transaction.',
  'The service says: {a}. Its word is stronger; nothing was changed.{b}':
    'Le service dit : {a}. Sa parole est plus forte ; rien n’a changé.{b}',
  'The transaction is that of {a}. Nothing was changed.': 'Cette transaction est celle de {a}. Rien n’a changé.',
  'Callers were told that it was paid: settle it as succeeded or, where the money came back, as reversed.':
    'Le paiement a été annoncé : tranchez par succeeded ou, si l’argent est revenu, par reversed.',
  'Callers were never told that it was paid: what was not paid is settled as failed.':
    'Le paiement n’a jamais été annoncé : ce qui n’a pas été payé se tranche par failed.',
  'Its amount {a}.': 'Son montant {a}.',
  'Events up to here are forgotten, and none is kept. Take stock, then read on without a cursor.':
    'Les événements jusqu’ici sont oubliés, et aucun n’est gardé. Faites le point, puis relisez sans curseur.',
  'Events up to here are forgotten; the oldest kept is {a}. Take stock, then read on without a cursor.':
    'Les événements jusqu’ici sont oubliés ; le plus ancien gardé est {a}. Faites le point, puis relisez sans curseur.',

  // Comment une demande s’écrit.
  'Send UTF-8, as it is or in one of the encodings gzip, deflate, br.':
    'Envoyez de l’UTF-8, tel quel ou compressé par gzip, deflate ou br.',
  'Send the body as `Content-Type: {a}`.': 'Envoyez le contenu avec `Content-Type: {a}`.',
  'Send UTF-8, not encoded.': 'Envoyez de l’UTF-8, sans compression.',
  'Send the file as it is, not encoded.': 'Envoyez le fichier tel quel, sans compression.',
  'The body is not compressed as it says, or is cut.':
    'Le contenu n’est pas compressé comme il le dit, ou est coupé.',
  'The body is not UTF-8.': 'Le contenu n’est pas en UTF-8.',
  'The body is not JSON.': 'Le contenu n’est pas du JSON.',
  'The body {a}.': 'Le contenu est illisible.',
  'The charset {a} is not known here; send UTF-8.': 'L’encodage {a} n’est pas connu ici ; envoyez de l’UTF-8.',
  'An upload whose text has {{stop}} has too many recipients.':
    'Ce fichier a trop de destinataires pour un texte avec {{stop}}.',

  // Ce qui ne va pas dans un champ.
  'is required': 'est obligatoire',
  'is not a field here': 'n’est pas un champ connu ici',
  'is given twice': 'est donné deux fois',
  'is of none of the forms that are taken here': 'n’a aucune des formes acceptées ici',
  'is not of the form that is expected': 'n’a pas la forme attendue',
  'must be a text': 'doit être un texte',
  'must be a number': 'doit être un nombre',
  'must be a whole number': 'doit être un nombre entier',
  'must be true or false': 'doit être true ou false',
  'must be true': 'doit être true',
  'must be a list': 'doit être une liste',
  'must be an object': 'doit être un objet',
  'must be one of {a}': 'doit être l’un de : {a}',
  'must be at most {a}': 'doit être au plus {a}',
  'must be at least {a}': 'doit être au moins {a}',
  'must be less than {a}': 'doit être moins que {a}',
  'must be more than {a}': 'doit être plus que {a}',
  'may have at most {a} characters': 'peut avoir au plus {a} caractères',
  'may have at most {a} entries': 'peut avoir au plus {a} éléments',
  'must have at least {a} characters': 'doit avoir au moins {a} caractères',
  'must have at least {a} entries': 'doit avoir au moins {a} éléments',
  'must not be empty': 'ne doit pas être vide',
  'must be a whole number of XOF': 'doit être un nombre entier de francs',
  'must be a whole number of XOF, written without quotes or decimals':
    'doit être un nombre entier de francs, sans guillemets ni décimales',
  'must be 200 to 3000000': 'doit être entre 200 et 3000000',
  'must be a number or a text': 'doit être un nombre ou un texte',
  'must be a channel name, or a list of them': 'doit être le nom d’un canal, ou une liste de noms',
  'must not be longer than {a} as JSON': 'ne doit pas dépasser {a} en JSON',
  'braces do not match: “{a}”': 'les accolades ne vont pas ensemble : « {a} »',
  'a variable has no name: “{a}”': 'une variable n’a pas de nom : « {a} »',
  'this is no default; write {{name|word}}, or the word in quotes: “{a}”':
    'ce n’est pas une valeur par défaut ; écrivez {{nom|mot}}, ou le mot entre guillemets : « {a} »',
  'nothing in it can be seen: “{a}”': 'rien n’y est visible : « {a} »',
  'it contains control characters: “{a}”': 'il contient des caractères de contrôle : « {a} »',
  'it contains half of a character: “{a}”': 'il contient la moitié d’un caractère : « {a} »',
  'must contain at least one visible character': 'doit contenir au moins un caractère visible',
  'must not contain control characters other than line breaks and tabs':
    'ne doit pas contenir de caractères de contrôle, sauf des sauts de ligne et des tabulations',
  'must not contain half of a character (an unpaired surrogate)':
    'ne doit pas contenir la moitié d’un caractère (un demi-codet isolé)',
  'contains the invisible character {a} at position {b}: remove it':
    'contient le caractère invisible {a} à la position {b} : supprimez-le',
  'contains {a} at position {b}, which looks like a space: use an ordinary space':
    'contient {a} à la position {b}, qui ressemble à une espace : mettez une espace ordinaire',
  'contains half a character ({a}) at position {b}: write it again':
    'contient la moitié d’un caractère ({a}) à la position {b} : saisissez-le à nouveau',
  'is there twice': 'figure deux fois',
  'has {a} digits after +{b}, where a number of {c} has {d}':
    'a {a} chiffres après +{b}, alors qu’un numéro de ce pays ({c}) en a {d}',
  'must be a number in international form, such as +221771234567':
    'doit être un numéro sous forme internationale, comme +221771234567',
  'must be a telephone number': 'doit être un numéro de téléphone',
  'must be a telephone number, such as +221771234567': 'doit être un numéro de téléphone, comme +221771234567',
  'may be of several countries: write its country code': 'peut être de plusieurs pays : écrivez son indicatif',
  '{a}, such as +221771234567': '{a}, comme +221771234567',
  'may be of several countries: write its country code, such as +221771234567':
    'peut être de plusieurs pays : écrivez-le avec son indicatif, comme +221771234567',
  'must be a path of the console, such as /approvals': 'doit être un chemin de la console, comme /approvals',
  'must be an address such as https://login.example.sn': 'doit être une adresse comme https://login.example.sn',
  '{a} did not answer. Signing in with a key works meanwhile.':
    '{a} n’a pas répondu. La connexion par clé fonctionne entre-temps.',
  'No provider of identities is set (OIDC_ISSUER); sign in with a key.':
    'Aucun fournisseur d’identités n’est réglé (OIDC_ISSUER) ; connectez-vous avec une clé.',
  'must be an address such as https://shop.example/thanks': 'doit être une adresse comme https://shop.example/thanks',
  'must be an e-mail address': 'doit être une adresse e-mail',
  'must be two capital letters, such as SN': 'doit être deux lettres majuscules, comme SN',
  'must be a time such as 2026-11-21T08:00:00Z': 'doit être une heure comme 2026-11-21T08:00:00Z',
  'must be a time of the years 1970 to 9999': 'doit être une heure des années 1970 à 9999',
  'must be 1 to 64 letters, digits or . _ @ + -': 'doit être 1 à 64 lettres, chiffres ou . _ @ + -',
  'must be 1 to 64 letters, digits or . _ -': 'doit être 1 à 64 lettres, chiffres ou . _ -',
  'must be 1 to 255 visible ASCII characters': 'doit être 1 à 255 caractères ASCII visibles',
  'must be 1 to 100 characters that can be seen': 'doit être 1 à 100 caractères visibles',
  'must be letters and digits, such as BBJ0123456789': 'doit être des lettres et des chiffres, comme BBJ0123456789',
  'must be some of {a}': 'doit être pris parmi {a}',
  'must be of {a}': 'doit être parmi {a}',
  'must be the id of an event': 'doit être l’identifiant d’un événement',
  'must be the id of an event of this stream': 'doit être l’identifiant d’un événement de ce flux',
  'must be the SHA-256 in hex': 'doit être le SHA-256 en hexadécimal',
  'must be as it was answered': 'doit être tel qu’il a été donné',
  'must say which': 'doit dire lesquels',
  'must say what to change': 'doit dire ce qu’il faut changer',
  'must be one message, or an array of 1 to {a}': 'doit être un SMS, ou une liste de 1 à {a}',
  'must be one JSON object a line, and has no line': 'doit être un objet JSON par ligne, et n’a aucune ligne',
  'must be {"apply": true}, {"nothingWasLost": true} or {"withoutMissing": true}':
    'doit être {"apply": true}, {"nothingWasLost": true} ou {"withoutMissing": true}',
  'chooses more than {a}; say more': 'en choisit plus de {a} ; précisez',
  'and {a} more': 'et {a} de plus',
  'or /service is required, and not both': 'ou --service est obligatoire, et pas les deux',
  'or /event is required, and not both': 'ou --event est obligatoire, et pas les deux',
  'is required, or an email': 'est obligatoire, ou une adresse e-mail',
  'is required (or an Idempotency-Key header): without one, a retry could not be told from a second request':
    'est obligatoire (ou une clé d’idempotence) : sans cela, un nouvel essai ne se distinguerait pas d’une deuxième demande',
  'is said of what succeeded only, not of {a}': 'ne se dit que de ce qui a réussi, pas de {a}',
  'is not over, nor begun: today is {a}': 'n’a pas encore commencé : nous sommes le {a}',
  'is no longer kept: REPORTS_KEEP is {a} days': 'n’est plus gardé : REPORTS_KEEP est de {a} jours',
  'nests deeper than {a} levels': 'a plus de {a} niveaux imbriqués',
  'looks like a card number or code, which is never kept: the payment page asks for it':
    'ressemble à un numéro ou un code de carte, qui n’est jamais gardé : la page de paiement le demande',
  'direct credits are switched off here (DIRECT_CREDIT): {a} does the same and can be asked about':
    'les crédits directs sont désactivés ici (DIRECT_CREDIT) : {a} fait de même et peut être suivi',
  'must be 12 to 19 digits': 'doit être 12 à 19 chiffres',
  'must be 3 or 4 digits': 'doit être 3 ou 4 chiffres',
  'must be 2 digits': 'doit être 2 chiffres',
  'must be 01 to 12': 'doit être entre 01 et 12',
  'is required by the method {a}': 'est obligatoire pour le moyen {a}',
  'is not asked for by the method {a}: do not send it': 'n’est pas demandé par le moyen {a} : ne l’envoyez pas',

  // Argent, portefeuilles, plafonds, fichiers de paiements.
  'and beneficiary are those of {a}, accepted a little while ago (DUPLICATE_WINDOW); if it is meant, send "allowDuplicate": true':
    'et le bénéficiaire sont ceux de {a}, accepté il y a peu (DUPLICATE_WINDOW) ; si c’est voulu : --allow-duplicate',
  'needs the approval of another key (APPROVAL_ABOVE), which direct credits do not have: ask for a disbursement with the withdraw mode `service`':
    'demande l’approbation d’une autre clé (APPROVAL_ABOVE), que les crédits directs n’ont pas : demandez un décaissement avec le mode `service`',
  'is more than {a}, the most that one disbursement may be (MAX_DISBURSEMENT)':
    'dépasse {a}, le maximum d’un décaissement (MAX_DISBURSEMENT)',
  'would take today over {a}, the limit of this account (MAX_PER_DAY)':
    'ferait dépasser aujourd’hui {a}, le plafond de ce compte (MAX_PER_DAY)',
  'would take this beneficiary over {a} today (MAX_PER_BENEFICIARY_DAY)':
    'ferait dépasser {a} aujourd’hui à ce bénéficiaire (MAX_PER_BENEFICIARY_DAY)',
  'has {a} digits, where a number of {b} has {c}; if it is right, send "allowUnusualNumber": true':
    'a {a} chiffres, alors qu’un numéro de ce pays ({b}) en a {c} ; s’il est bon : --allow-unusual-number',
  'has {a}; if it is right, send "allowUnusualNumber": true': 'a {a} ; s’il est bon : --allow-unusual-number',
  'account alias: {a}': '{a}',
  'account alias: not empty': 'ne doit pas être vide',
  'account alias: digits, with a leading + if international':
    'doit être des chiffres, avec un + devant s’il est international',
  'account alias: this mode pays numbers of {a} (+{b}), and this is one of another country':
    'est un numéro d’un autre pays : ce mode paie les numéros en +{b} ({a})',
  'debit account number: only with the withdraw mode "service"': 'ne va qu’avec le mode « service »',
  'debit account number: not empty': 'ne doit pas être vide',
  '"{a}" is not a withdraw mode; did you mean "{b}"?':
    '« {a} » n’est pas un mode de retrait ; vouliez-vous dire « {b} » ?',
  '"{a}" is not a withdraw mode; the modes are {b}': '« {a} » n’est pas un mode de retrait ; il y a : {b}',
  '"{a}" is not a country of the service ({b})': '« {a} » n’est pas un pays du service ({b})',
  '{a} can collect but not disburse in {b}; there it is one of {c}':
    '{a} sait encaisser mais pas payer dans ce pays ({b}) ; là, c’est l’un de : {c}',
  '{a} has no withdraw mode in {b}; there it is one of {c}':
    '{a} n’a pas de mode de retrait dans ce pays ({b}) ; là, c’est l’un de : {c}',
  '{a} digits, where a number of {b} has {c}': '{a} chiffres, alors qu’un numéro de ce pays ({b}) en a {c}',
  'has {a} digits, where a number of {b} has {c}': 'a {a} chiffres, alors qu’un numéro de ce pays ({b}) en a {c}',
  'a debit account number looks like BBJ0123456789': 'un numéro de compte à débiter ressemble à BBJ0123456789',
  'to this beneficiary is that of row {a} too': 'à ce bénéficiaire est aussi celui de la ligne {a}',
  'is that of row {a} too; each row needs one of its own':
    'est aussi celle de la ligne {a} ; chaque ligne a la sienne',
  'stands for another disbursement already, {a}': 'désigne déjà un autre décaissement, {a}',
  'of all rows {a}': 'de toutes les lignes {a}',
  'of all rows is too much to be added up': 'de toutes les lignes est trop grand pour être additionné',
  '{a} (DUPLICATE_WINDOW); if it is meant, set allowDuplicate to true':
    '{a} (DUPLICATE_WINDOW) ; si c’est voulu, mettez allowDuplicate à true',
};
