/**
 * Ce que l’API refuse, et pourquoi, phrase par phrase; as in `told.ts`. What stands in a sentence is {a}, {b}, {c} here, in
 * the order of the English. What is said of a field goes on from its name: “--amount doit être …”.
 */
export const frenchRefusals: Readonly<Record<string, string>> = {
  // De quel genre est le refus.
  'Cannot read the request': 'Demande illisible',
  'Missing Idempotency-Key header or reference': 'En-tête Idempotency-Key ou référence manquante',
  'Missing or unknown API key': 'Clé d’API manquante ou inconnue',
  'Insufficient rights of the API key': 'Droits insuffisants de la clé d’API',
  'Sign-in older than five minutes': 'Connexion de plus de cinq minutes',
  'Resource not found': 'Introuvable',
  'Method not allowed': 'Méthode non autorisée',
  'Identity already used by another request': 'Identité déjà utilisée par une autre demande',
  'Cannot do this in the current state': 'Action impossible dans l’état actuel',
  'Cannot read this record with this version': 'Fiche illisible par cette version',
  'Events no longer stored': 'Événements qui ne sont plus conservés',
  'Operation removed at the end of its retention time': 'Opération supprimée à la fin de sa durée de conservation',
  'The {a} {b} ended as {c} at {d}. Its retention time is over.':
    'L’objet {b} ({a}) s’est terminé ({c}) le {d}. Sa durée de conservation est écoulée.',
  'must have 1 to 40 letters, digits, dots, dashes or underscores':
    'doit avoir 1 à 40 lettres, chiffres, points, tirets ou tirets bas',
  'Cursor of unknown events': 'Curseur d’événements inconnus',
  'Request body too large': 'Contenu trop volumineux',
  'Unsupported content type': 'Type de contenu non pris en charge',
  'Invalid request; nothing was done': 'Demande invalide ; rien n’a été fait',
  'Too many requests with this key': 'Trop de demandes avec cette clé',
  'Too many uploads at the same time; nothing was done': 'Trop d’envois simultanés ; rien n’a été fait',
  'Uploads in progress of this key may hold {a} MB in this process, and this one does not fit.':
    'Les envois en cours de cette clé peuvent occuper {a} Mo dans ce processus, et celui-ci n’y tient pas.',
  'Uploads in progress of all keys may hold {a} MB in this process, and this one does not fit.':
    'Les envois en cours de toutes les clés peuvent occuper {a} Mo dans ce processus, et celui-ci n’y tient pas.',
  'No answer from the provider; nothing was changed': 'Aucune réponse du prestataire ; rien n’a changé',
  'Cannot sign in: no answer from the identity provider':
    'Connexion impossible : aucune réponse du fournisseur d’identité',
  'PostgreSQL unavailable or too slow': 'PostgreSQL indisponible ou trop lent',
  'This process ends. Nothing was done.': 'Ce processus s’arrête. Rien n’a été fait.',
  'Cannot continue: PostgreSQL may be restored to an earlier point':
    'Action impossible : PostgreSQL a peut-être été restauré à un état antérieur',
  'Refusal or unreadable answer of the provider': 'Refus ou réponse illisible du prestataire',
  'No timely answer from the provider': 'Aucune réponse du prestataire dans le délai',
  'Internal error': 'Erreur interne de relais',

  // Clés, sessions, comptes.
  'No session, or an expired session. Sign in again.': 'Aucune session, ou session expirée. Reconnectez-vous.',
  'The session has expired. Sign in again.': 'La session a expiré. Reconnectez-vous.',
  'The API key was revoked, or the session ended, during the request.':
    'La clé d’API a été révoquée, ou la session a pris fin, pendant la demande.',
  'The API key was sent too often within one minute.': 'La clé d’API a été envoyée trop souvent en une minute.',
  'Too many requests with an invalid key. A valid key is accepted at once.':
    'Trop de demandes avec une clé incorrecte. Une clé valide est acceptée aussitôt.',
  'The API key is unknown or revoked. Use a key of API_KEYS, or one created with `relais keys create`.':
    'La clé d’API est inconnue ou révoquée. Utilisez une clé de API_KEYS, ou une clé créée avec `relais keys ' +
    'create`.',
  'Send `Authorization: Bearer <key>` with a key of API_KEYS, or one created with `relais keys create` (`relais dev` accepts the key `dev`).':
    'Envoyez `Authorization: Bearer <clé>` avec une clé de API_KEYS, ou une clé créée avec `relais keys create` ' +
    '(`relais dev` accepte la clé `dev`).',
  'The API key "{a}" does not have the role {b}. Use a key with this role.':
    'La clé d’API « {a} » n’a pas le rôle {b}. Utilisez une clé qui a ce rôle.',
  'The API key "{a}" is limited to {b}, and {c}.':
    'La clé d’API « {a} » est limitée à {b}, et ceci concerne tous les comptes.',
  'The API key "{a}" is not allowed to use the account "{b}".':
    'La clé d’API « {a} » n’est pas autorisée pour le compte « {b} ».',
  'The API key was confirmed more than five minutes ago. {a}':
    'La clé d’API a été confirmée il y a plus de cinq minutes. Confirmez-la de nouveau.',
  'This request needs a console session, not the API key "{a}".':
    'Cette demande exige une session de la console, et non la clé d’API « {a} ».',
  'The API key is limited to {a} requests per second (API_RATE).':
    'La clé d’API est limitée à {a} demandes par seconde (API_RATE).',
  'The API key has the maximum number of event streams in this process.':
    'La clé d’API a déjà le nombre maximal de flux d’événements dans ce processus.',
  'The maximum of 1,000 API keys is reached. Revoke unused keys.':
    'Le maximum de 1 000 clés d’API est atteint. Révoquez les clés inutilisées.',
  'The API key {a} was not found. Remove a key of API_KEYS from that setting.':
    'La clé d’API {a} est introuvable. Retirez une clé de API_KEYS de ce paramètre.',
  'The account {a} was not found.': 'Le compte {a} est introuvable.',
  'The account "{a}" is not configured here.': 'Le compte « {a} » n’est pas réglé ici.',
  'must be the key of this session': 'doit être la clé de cette session',
  'must be a configured account: {a}': 'doit être un compte configuré : {a}',
  'was accepted before as {a}, in a data-loss window, and may have been done: check with the provider, and use another identity if it was not':
    'a été acceptée comme {a} pendant une période de perte de données, et est peut-être exécutée : vérifiez ' +
    'auprès du prestataire, et utilisez une autre identité si elle ne l’est pas',
  'must be the name of an account, such as main': 'doit être le nom d’un compte, comme main',

  // Ce qui n’existe pas, n’est pas lisible, ou n’est pas possible maintenant.
  '{a} {b} is not supported; use {c}.': '{a} {b} n’est pas pris en charge ; utilisez {c}.',
  '{a} is not supported; use {b}.': '{a} n’est pas pris en charge ; utilisez {b}.',
  'The problem type {a} was not found.': 'Le type de problème {a} est introuvable.',
  'The operation {a} was not found.': 'L’opération {a} est introuvable.',
  'The limit {a} was not found. The limits are {b}.': 'Le plafond {a} est introuvable. Les plafonds sont {b}.',
  'The queue {a} was not found. The queues are {b}.': 'La file {a} est introuvable. Les files sont {b}.',
  'is not a number of TRIAL_NUMBERS': 'n’est pas un numéro de TRIAL_NUMBERS',
  'the campaign has a recipient that is not a number of TRIAL_NUMBERS':
    'la campagne a un destinataire qui n’est pas un numéro de TRIAL_NUMBERS',
  'It is not a URL.': 'Ce n’est pas une URL.',
  'It is longer than 2048 characters.': 'L’URL dépasse 2048 caractères.',
  'It must begin with https://. Ask an operator to allow a host of your network with WEBHOOK_HOSTS.':
    'L’URL doit commencer par https://. Demandez à un opérateur d’autoriser un hôte de votre réseau avec WEBHOOK_HOSTS.',
  'It must not carry a user name or a password.': 'L’URL ne doit contenir ni nom d’utilisateur ni mot de passe.',
  'Its port must be 443. Ask an operator to allow another port with WEBHOOK_HOSTS.':
    'Le port doit être 443. Demandez à un opérateur d’autoriser un autre port avec WEBHOOK_HOSTS.',
  'Its host is a name of a local network. Ask an operator to allow the host with WEBHOOK_HOSTS.':
    'L’hôte est un nom de réseau local. Demandez à un opérateur d’autoriser cet hôte avec WEBHOOK_HOSTS.',
  'Its host is not a public address. Ask an operator to allow the host with WEBHOOK_HOSTS.':
    'L’hôte n’est pas une adresse publique. Demandez à un opérateur d’autoriser cet hôte avec WEBHOOK_HOSTS.',
  'The name of the host does not exist.': 'Le nom de l’hôte n’existe pas.',
  'The host uses no TLS, or its certificate is not valid.':
    'L’hôte n’utilise pas TLS, ou son certificat n’est pas valide.',
  'The endpoint did not answer within ten seconds.': 'L’adresse n’a pas répondu dans les dix secondes.',
  'The host refused or ended the connection.': 'L’hôte a refusé ou interrompu la connexion.',
  'SEALING_SECRET does not open the secret of the endpoint. Rotate the secret.':
    'SEALING_SECRET ne déchiffre pas le secret de l’adresse. Renouvelez le secret.',
  'SEALING_SECRET does not open the headers of the endpoint. Register the endpoint again.':
    'SEALING_SECRET ne déchiffre pas les en-têtes de l’adresse. Enregistrez l’adresse de nouveau.',
  'The endpoint answered {a}. relais follows no redirect.':
    'L’adresse a répondu {a}. relais ne suit aucune redirection.',
  'The endpoint answered {a}. Only 2xx accepts an event.': 'L’adresse a répondu {a}. Seul 2xx accepte un événement.',
  'The webhook endpoint {a} was not found.': 'L’adresse de webhook {a} est introuvable.',
  'The event {a} was not found, or {b} is not registered for it.':
    'L’événement {a} est introuvable, ou {b} n’y est pas inscrite.',
  '{a} Nothing was changed.': '{a} Rien n’a changé.',
  'the limit {a} was not found': 'le plafond {a} est introuvable',
  'The {a} {b} was not found.': 'Introuvable : {b}.',
  'The {a} {b} was not found. /openapi.json lists all paths.':
    'Introuvable : {b}. /openapi.json donne tous les chemins.',
  'The {a} {b} was not found. Did you mean {c}? /openapi.json lists all paths.':
    'Introuvable : {b}. Vouliez-vous dire {c} ? /openapi.json donne tous les chemins.',
  'The console file was not found.': 'Ce fichier de la console est introuvable.',
  'Another version wrote the record, or the record is damaged. Run `relais doctor`.':
    'Une autre version a écrit cette fiche, ou la fiche est abîmée. Lancez `relais doctor`.',
  'The path is invalid.': 'Le chemin est invalide.',
  'The request may have been done. With the same identity, a retry is safe.':
    'La demande a peut-être été exécutée. Avec la même identité, réessayer est sans danger.',
  'The log has the cause under this X-Request-Id. With the same identity, a retry is safe.':
    'Les journaux techniques ont la cause sous ce X-Request-Id. Avec la même identité, réessayer est sans ' +
    'danger.',
  'The limit of provider requests is reached (UPSTREAM_RATE). Retry later.':
    'La limite de requêtes au prestataire est atteinte (UPSTREAM_RATE). Réessayez plus tard.',
  'A payment batch is limited to {a} bytes. Send several batches.':
    'Un lot de paiements est limité à {a} octets. Envoyez plusieurs lots.',
  'This JSON body is limited to {a} bytes.': 'Cette demande JSON est limitée à {a} octets.',
  'The campaign is {a}. Recipients can be added only before its start.':
    'La campagne est à l’état {a}. Les destinataires ne s’ajoutent qu’avant son démarrage.',
  'The campaign is {a}, so it sends no more SMS.': 'La campagne est à l’état {a} : plus aucun SMS ne part.',
  'The campaign is {a}, so it cannot do this: {b}.':
    'La campagne est à l’état {a}, qui ne permet pas cette action : {b}.',
  'The state is {a}: no status check is needed.': 'L’état est {a} : aucune vérification n’est nécessaire.',
  'The state is {a}: no review is needed.': 'L’état est {a} : il n’y a rien à vérifier.',
  'The invoice is {a}. Only a pending invoice can be paid.':
    'La facture est à l’état {a}. Seule une facture en attente peut être payée.',
  'The state is {a}: {b}.': 'L’état est {a} : {b}.',
  'The campaign has no recipients. Upload recipients first.':
    'La campagne n’a pas de destinataires. Ajoutez d’abord des destinataires.',
  'The campaign waits for the end of the quiet hours and then resumes. To send now, use PATCH {"quietHours": false}.':
    'La campagne attend la fin de la plage sans envoi, puis reprend. Pour envoyer maintenant : PATCH ' +
    '{"quietHours": false}.',
  'The record was deleted during the request.': 'La fiche a été supprimée pendant la demande.',
  'The campaign changed during the upload, so nothing was added. Send the file again.':
    'La campagne a changé pendant l’ajout ; rien n’a été ajouté. Renvoyez le fichier.',
  'The campaign changed since it was read, so nothing was added. Read the campaign again.':
    'La campagne a changé depuis sa lecture ; rien n’a été ajouté. Relisez la campagne.',
  'The campaign has no stored file, or it has expired. Send the file again.':
    'La campagne n’a pas de fichier enregistré, ou il a expiré. Renvoyez le fichier.',
  'The campaign is {a}. A file can be stored only before its recipients are added.':
    'La campagne est à l’état {a}. Un fichier ne s’enregistre qu’avant l’ajout des destinataires.',
  'Missing decisions: {a}.': 'Décisions manquantes : {a}.',
  'No recipient would get an SMS.': 'Aucun destinataire ne recevrait de SMS.',
  'The campaign already has recipients with values for this text. Cancel it and create another campaign.':
    'La campagne a déjà des destinataires avec des valeurs pour ce texte. Annulez-la et créez une autre ' +
    'campagne.',
  'must have at most 50 MB': 'doit faire au plus 50 Mo',
  'The body ended before it was complete.': 'L’envoi s’est interrompu.',
  'The same key or reference is already used by {a}. Repeat that request unchanged, or use a new identity.':
    'La même clé ou référence est déjà utilisée par {a}. Répétez cette demande sans changement, ou utilisez ' +
    'une nouvelle identité.',
  'The Idempotency-Key is already used by {a}, with other bytes. Send another Idempotency-Key.':
    'L’Idempotency-Key est déjà utilisée par {a}, avec un autre contenu. Envoyez une autre Idempotency-Key.',
  'The provider was not asked ({a}). Nothing was changed. Retry.':
    'Le prestataire n’a pas été interrogé ({a}). Rien n’a changé. Réessayez.',
  'No callback body is stored for {a}. A body is stored for 30 days, and only if it contradicts a success. The timeline shows whether a callback was received: GET /v1/explain/{b}.':
    'Aucune notification n’est conservée pour {a}. Une notification est conservée 30 jours, et seulement si ' +
    'elle contredit une réussite. La chronologie dit si une notification a été reçue : relais explain {b}.',
  'Data was lost ({a}), so it cannot be confirmed that nothing was. Review the pending operations, then send {"apply": true}.':
    'Des données ont été perdues ({a}) : on ne peut pas confirmer le contraire. Vérifiez les opérations en cours, ' +
    'puis relais recover --apply.',
  'must be {"apply": true} or {"nothingWasLost": true}': 'doit être {"apply": true} ou {"nothingWasLost": true}',
  'A recovery is under way, and the message may have been sent. Run relais recover first.':
    'Une reprise est en cours, et le SMS est peut-être parti. Lancez d’abord relais recover.',
  'A recovery is under way, and rows of the batch may have been paid: run relais recover first.':
    'Une reprise est en cours, et des lignes du fichier ont peut-être été payées : d’abord relais recover.',
  'A recovery is under way, and SMS may have left in the lost time. Pause it, or run relais recover first.':
    'Une reprise est en cours, et des SMS sont peut-être partis dans le temps perdu. Mettez la campagne en pause, ou d’abord relais recover.',
  'A recovery is under way, and it may have been sent in the lost time: it needs review now.':
    'Une reprise est en cours, et il est peut-être parti dans le temps perdu : une personne doit maintenant le vérifier.',
  // Ce qu’une autre personne, ou le service, doit dire.
  'The batch is {a}. Only a finished batch can be retried.':
    'Le lot est à l’état {a}. Seul un lot terminé peut être payé de nouveau.',
  'No row can be retried: each one is paid, pending or uncertain.':
    'Aucune ligne ne peut être payée de nouveau : chacune est payée, en cours ou non confirmée.',
  'Every unpaid row was retried before, in another batch.':
    'Chaque ligne non payée a déjà été redemandée dans un autre lot.',
  'It was retried too often. Upload the unpaid rows as a file.':
    'Ce lot a été redemandé trop souvent. Déposez les lignes non payées dans un fichier.',
  'has columns that are not read, and come back in the report: {a}':
    'Colonnes sans effet sur le paiement, reprises dans le rapport : {a}',
  'only the sheet “{a}” was read, and not {b}': 'Seule la feuille « {a} » a été lue, et pas {b}',
  'has merged cells: only the first row of each has the value':
    'Le fichier a des cellules fusionnées : seule la première ligne de chacune a la valeur',
  'has more in columns of its own than comes back in the report: {a} characters do':
    'Ses propres colonnes sont trop longues pour le rapport, qui en reprend {a} caractères',
  'was accepted before as {a}; it is not paid again': 'Déjà accepté comme {a} ; il n’est pas payé de nouveau',
  '{a}: the batch is {b}, and {c} would be left of the balance when all in flight has left; what is short waits until there are funds':
    '{a} : le lot est de {b}, et il ne resterait que {c} quand tout ce qui est en cours sera parti ; ce qui manque attend une provision',
  'The API key "{a}" belongs to {b}, and {c}. A different person must approve it with another key.':
    'La clé d’API « {a} » est à {b}, qui y a pris part. Une autre personne doit l’approuver avec une autre clé.',
  'The API key "{a}" also belongs to {b}, and does not have the role {c}.':
    'La clé d’API « {a} » est aussi à {b}, et n’a pas le rôle {c}.',
  'A key of {a} is already named {b}. Use another name.': 'Une clé de {a} s’appelle déjà {b}. Utilisez un autre nom.',
  'the API key "{a}" is not allowed to use this account': 'la clé d’API « {a} » n’est pas autorisée pour ce compte',
  '{a} prepared it. A different person must approve it with another key.':
    '{a} l’a préparé. Une autre personne doit l’approuver avec une autre clé.',
  'The campaign is above CAMPAIGN_APPROVAL_ABOVE and was never approved, so one key alone cannot retry it. Create a campaign of the failed recipients.':
    'La campagne dépasse CAMPAIGN_APPROVAL_ABOVE et n’a jamais été approuvée : une seule clé ne peut pas la ' +
    'renvoyer. Créez une campagne des destinataires en échec.',
  'The same file is already the payment batch {a}, which is pending. Approve or cancel that batch.':
    'Le même fichier est déjà le lot de paiements {a}, encore en attente. Approuvez ou annulez ce lot.',
  'The hash is not that of the uploaded file. Review the batch again before you approve it.':
    'L’empreinte n’est pas celle du fichier déposé. Vérifiez le lot de nouveau avant de l’approuver.',
  'The campaign has changed. Review it again before you approve it.':
    'La campagne a changé. Vérifiez-la de nouveau avant de l’approuver.',
  'The campaign was approved with its hours, which cannot change any more. Cancel it and create another campaign.':
    'La campagne a été approuvée avec ses heures, qui ne changent plus. Annulez-la et créez une autre campagne.',
  'The batch has {a} new problem(s) since the upload. Nothing was approved.':
    'Le lot a {a} nouveau(x) problème(s) depuis le dépôt. Rien n’a été approuvé.',
  'The selection has changed: {a} were reviewed, and now it has {b}. Nothing was decided.':
    'La sélection a changé : {a} ont été vérifiés, et elle en a maintenant {b}. Rien n’a été décidé.',
  'may have been accepted; with the same identity, sending it again is safe':
    'a peut-être été accepté ; avec la même identité, le renvoyer est sans danger',
  'this line and the lines after it were not accepted; send the whole body again later':
    'cette ligne et les suivantes n’ont pas été acceptées ; renvoyez tout le contenu plus tard',
  'No recipient {a}, so nothing can be retried.':
    'Aucun destinataire n’est en échec ni incertain : il n’y a rien à renvoyer.',
  'The campaign is {a}. Only a finished campaign can be retried.':
    'La campagne est à l’état {a}. Seule une campagne terminée peut être renvoyée.',
  'it was changed during the request': 'elle a changé pendant la demande',
  'no approval is needed': 'aucune approbation n’est nécessaire',
  'it does not wait for approval': 'aucune approbation n’est en attente',
  'upload it again with another Idempotency-Key': 'déposez-le de nouveau avec une autre Idempotency-Key',
  'a batch can be cancelled only before its approval; cancel its rows one by one':
    'un lot ne s’annule qu’avant son approbation ; annulez ses lignes une par une',
  'no review is needed, or another user is resolving it':
    'aucune vérification n’est nécessaire, ou un autre utilisateur s’en occupe',
  'only a queued message can be cancelled': 'seul un SMS en attente peut être annulé',
  'only a disbursement that was never submitted can be cancelled':
    'seul un décaissement jamais transmis peut être annulé',
  'The provider was not asked ({a}). Nothing was changed. Retry later.':
    'Le prestataire n’a pas été interrogé ({a}). Rien n’a changé. Réessayez plus tard.',
  'The provider reports {a}, which takes precedence. Nothing else was changed.':
    'Le prestataire indique {a}, ce qui l’emporte. Rien d’autre n’a changé.',
  'This is the status of the known token. If the dashboard shows the disburse_id as paid, resolve it with its transactionId.':
    'C’est le statut du jeton connu. Si le tableau de bord montre le disburse_id comme payé, statuez avec sa ' +
    'transaction.',
  'The provider reports {a}, which takes precedence. Nothing was changed.{b}':
    'Le prestataire indique {a}, ce qui l’emporte. Rien n’a changé.{b}',
  'The transaction already belongs to {a}. Nothing was changed.':
    'Cette transaction est déjà celle de {a}. Rien n’a changé.',
  'The payment was reported as paid. Resolve it as succeeded or, if the money came back, as reversed.':
    'Le paiement a été annoncé comme payé. Statuez par succeeded ou, si l’argent est revenu, par reversed.',
  'The payment was never reported as paid. Resolve it as failed.':
    'Le paiement n’a jamais été annoncé comme payé. Statuez par failed.',
  'Its amount {a}.': 'Son montant {a}.',
  'The events of this cursor are deleted, and no event is stored. Re-read the state, then read events without a cursor.':
    'Les événements de ce curseur sont supprimés, et aucun événement n’est conservé. Relisez l’état, puis ' +
    'lisez sans curseur.',
  'The events of this cursor are deleted; the oldest stored event is {a}. Re-read the state, then read events without a cursor.':
    'Les événements de ce curseur sont supprimés ; le plus ancien conservé est {a}. Relisez l’état, puis lisez ' +
    'sans curseur.',

  // Comment une demande s’écrit.
  'Send UTF-8, uncompressed or compressed with gzip, deflate or br.':
    'Envoyez de l’UTF-8, sans compression ou compressé par gzip, deflate ou br.',
  'Send the body as `Content-Type: {a}`.': 'Envoyez le contenu avec `Content-Type: {a}`.',
  'Send UTF-8 without compression.': 'Envoyez de l’UTF-8, sans compression.',
  'Send the file without compression.': 'Envoyez le fichier sans compression.',
  'The body does not match its Content-Encoding, or is incomplete.':
    'Le contenu ne correspond pas à son Content-Encoding, ou est incomplet.',
  'The body is not UTF-8.': 'Le contenu n’est pas en UTF-8.',
  'The body is not JSON.': 'Le contenu n’est pas du JSON.',
  'is not JSON at line {a}, column {b}': 'n’est pas du JSON à la ligne {a}, colonne {b}',
  'is not JSON: incomplete, it ends at line {a}, column {b}':
    'n’est pas du JSON : incomplet, s’arrête à la ligne {a}, colonne {b}',
  'The body {a}.': 'Le contenu est illisible.',
  'The charset {a} is not supported. Send UTF-8.': 'L’encodage {a} n’est pas pris en charge. Envoyez de l’UTF-8.',
  'The upload has too many recipients for a text with {{stop}}.':
    'Le fichier a trop de destinataires pour un texte avec {{stop}}.',

  // Ce qui ne va pas dans un champ.
  'is required': 'est obligatoire',
  'unknown field': 'champ inconnu',
  'unknown field. Did you mean "{a}"?': 'champ inconnu. Vouliez-vous dire « {a} » ?',
  'unknown field. Known fields: {a}': 'champ inconnu. Champs connus : {a}',
  'is given twice': 'est donné deux fois',
  'has an invalid format (none of the accepted formats)': 'a un format invalide (aucun des formats acceptés)',
  'has an invalid format': 'a un format invalide',
  'must be a string': 'doit être un texte',
  'must be a number': 'doit être un nombre',
  'must be an integer': 'doit être un nombre entier',
  'must be true or false': 'doit être true ou false',
  'must be true': 'doit être true',
  'must be an array': 'doit être une liste',
  'must be an object': 'doit être un objet',
  'must be one of {a}': 'doit être l’un de : {a}',
  'must be at most {a}': 'doit être au plus {a}',
  'must be at least {a}': 'doit être au moins {a}',
  'must be less than {a}': 'doit être moins que {a}',
  'must be more than {a}': 'doit être plus que {a}',
  'must have at most {a} characters': 'doit avoir au plus {a} caractères',
  'must have at most {a} entries': 'doit avoir au plus {a} éléments',
  'must have at least {a} characters': 'doit avoir au moins {a} caractères',
  'must have at least {a} entries': 'doit avoir au moins {a} éléments',
  'must not be empty': 'ne doit pas être vide',
  'must be a whole number of XOF': 'doit être un nombre entier de francs',
  'must be a whole number of XOF, written without quotes or decimals':
    'doit être un nombre entier de francs, sans guillemets ni décimales',
  'must be 200 to 3000000': 'doit être entre 200 et 3000000',
  'must be a number or a string': 'doit être un nombre ou un texte',
  'must be a channel name or an array of channel names': 'doit être le nom d’un canal, ou une liste de noms',
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
  'has {a} digits after +{b}, but a phone number of {c} has {d}':
    'a {a} chiffres après +{b}, mais un numéro de ce pays ({c}) en a {d}',
  'must be a phone number in international form, such as +221771234567':
    'doit être un numéro de téléphone sous forme internationale, comme +221771234567',
  'must be a phone number': 'doit être un numéro de téléphone',
  'must be a phone number, such as +221771234567': 'doit être un numéro de téléphone, comme +221771234567',
  'can belong to several countries: add its country code': 'peut être de plusieurs pays : ajoutez son indicatif',
  '{a}, such as +221771234567': '{a}, comme +221771234567',
  'can belong to several countries: add its country code, such as +221771234567':
    'peut être de plusieurs pays : ajoutez son indicatif, comme +221771234567',
  'must be a path of the console, such as /approvals': 'doit être un chemin de la console, comme /approvals',
  'must be an address such as https://login.example.sn': 'doit être une adresse comme https://login.example.sn',
  '{a} did not answer. Sign in with an API key.': '{a} n’a pas répondu. Connectez-vous avec une clé d’API.',
  'No identity provider is configured (OIDC_ISSUER). Sign in with an API key.':
    'Aucun fournisseur d’identité n’est configuré (OIDC_ISSUER). Connectez-vous avec une clé d’API.',
  'must be an address such as https://shop.example/thanks': 'doit être une adresse comme https://shop.example/thanks',
  'must be an e-mail address': 'doit être une adresse e-mail',
  'must be two capital letters, such as SN': 'doit être deux lettres majuscules, comme SN',
  'must be later than sendAt': 'doit être après sendAt',
  'must be a time such as 2026-11-21T08:00:00Z': 'doit être une heure comme 2026-11-21T08:00:00Z',
  'must be a time between the years 1970 and 9999': 'doit être une heure entre les années 1970 et 9999',
  'must be 1 to 64 letters, digits or . _ @ + -': 'doit être 1 à 64 lettres, chiffres ou . _ @ + -',
  'must be 1 to 64 letters, digits or . _ -': 'doit être 1 à 64 lettres, chiffres ou . _ -',
  'must be 1 to 255 visible ASCII characters': 'doit être 1 à 255 caractères ASCII visibles',
  'must be 1 to 100 visible characters': 'doit être 1 à 100 caractères visibles',
  'must be letters and digits, such as BBJ0123456789': 'doit être des lettres et des chiffres, comme BBJ0123456789',
  'must be one or more of {a}': 'doit être pris parmi {a}',
  'must be the id of an event': 'doit être l’identifiant d’un événement',
  'must be the id of an event of this stream': 'doit être l’identifiant d’un événement de ce flux',
  'must be a SHA-256 hash in hexadecimal': 'doit être un SHA-256 en hexadécimal',
  'must be the value of the earlier answer': 'doit être la valeur de la réponse précédente',
  'must have a filter': 'doit avoir un filtre',
  'must have at least one change': 'doit avoir au moins une modification',
  'must be one message, or an array of 1 to {a}': 'doit être un SMS, ou une liste de 1 à {a}',
  'must be one JSON object a line, but is empty': 'doit être un objet JSON par ligne, mais est vide',
  'selects more than {a}; add a filter': 'en sélectionne plus de {a} ; ajoutez un filtre',
  'and {a} more': 'et {a} de plus',
  'or /service is required, and not both': 'ou --service est obligatoire, et pas les deux',
  'or /event is required, and not both': 'ou --event est obligatoire, et pas les deux',
  'is required, or an email': 'est obligatoire, ou une adresse e-mail',
  'is required (or an Idempotency-Key header): without an identity, a retry would create a second request':
    'est obligatoire (ou une clé d’idempotence) : sans identité, un nouvel essai créerait une deuxième demande',
  'is allowed only with succeeded, not with {a}': 'n’est permis qu’avec succeeded, pas avec {a}',
  'must be today or earlier: today is {a}': 'doit être aujourd’hui ou avant : nous sommes le {a}',
  'is no longer stored: REPORTS_KEEP is {a} days': 'n’est plus conservé : REPORTS_KEEP est de {a} jours',
  'must have at most {a} nested levels': 'doit avoir au plus {a} niveaux imbriqués',
  'looks like a card number or code, which relais never stores: the payment page asks for it':
    'ressemble à un numéro ou un code de carte, que relais ne conserve jamais : la page de paiement le demande',
  'direct credits are disabled (DIRECT_CREDIT): {a} does the same and has a status check':
    'les crédits directs sont désactivés (DIRECT_CREDIT) : {a} fait de même et peut être vérifié',
  'must be 12 to 19 digits': 'doit être 12 à 19 chiffres',
  'must be 3 or 4 digits': 'doit être 3 ou 4 chiffres',
  'must be 2 digits': 'doit être 2 chiffres',
  'must be 01 to 12': 'doit être entre 01 et 12',
  'is required by the method {a}': 'est obligatoire pour le moyen {a}',
  'is not used by the method {a}: do not send it': 'n’est pas utilisé par le moyen {a} : ne l’envoyez pas',

  // Argent, portefeuilles, plafonds, fichiers de paiements.
  'and beneficiary are those of {a}, accepted recently (DUPLICATE_WINDOW); to pay again, send "allowDuplicate": true':
    'et le bénéficiaire sont ceux de {a}, accepté récemment (DUPLICATE_WINDOW) ; pour payer de nouveau : ' +
    '--allow-duplicate',
  'needs approval (APPROVAL_ABOVE), which direct credits do not have: create a disbursement with the withdraw mode `service`':
    'demande une approbation (APPROVAL_ABOVE), que les crédits directs n’ont pas : créez un décaissement avec ' +
    'le mode `service`',
  'is more than {a}, the limit for one disbursement (MAX_DISBURSEMENT)':
    'dépasse {a}, le plafond d’un décaissement (MAX_DISBURSEMENT)',
  'would exceed {a} today, the limit of this account (MAX_PER_DAY)':
    'ferait dépasser {a} aujourd’hui, le plafond de ce compte (MAX_PER_DAY)',
  'would exceed {a} today, the limit of this beneficiary (MAX_PER_BENEFICIARY_DAY)':
    'ferait dépasser {a} aujourd’hui, le plafond de ce bénéficiaire (MAX_PER_BENEFICIARY_DAY)',
  'has {a} digits, but a phone number of {b} has {c}; to use it, send "allowUnusualNumber": true':
    'a {a} chiffres, mais un numéro de ce pays ({b}) en a {c} ; pour l’utiliser : --allow-unusual-number',
  'has {a}; to use it, send "allowUnusualNumber": true': 'a {a} ; pour l’utiliser : --allow-unusual-number',
  'account alias: {a}': '{a}',
  'account alias: must not be empty': 'ne doit pas être vide',
  'account alias: must be digits, with a leading + if international':
    'doit être des chiffres, avec un + devant s’il est international',
  'account alias: must be a phone number of {a} (+{b}) for this withdraw mode':
    'doit être un numéro en +{b} ({a}) pour ce mode de retrait',
  'debit account number: allowed only with the withdraw mode "service"': 'n’est permis qu’avec le mode « service »',
  'debit account number: must not be empty': 'ne doit pas être vide',
  '"{a}" is not a withdraw mode; did you mean "{b}"?':
    '« {a} » n’est pas un mode de retrait ; vouliez-vous dire « {b} » ?',
  '"{a}" is not a withdraw mode; the modes are {b}': '« {a} » n’est pas un mode de retrait ; il y a : {b}',
  '"{a}" is not a country of the provider ({b})': '« {a} » n’est pas un pays du prestataire ({b})',
  '{a} can collect but not disburse in {b}; there it is one of {c}':
    '{a} sait encaisser mais pas payer dans ce pays ({b}) ; là, c’est l’un de : {c}',
  '{a} has no withdraw mode in {b}; there it is one of {c}':
    '{a} n’a pas de mode de retrait dans ce pays ({b}) ; là, c’est l’un de : {c}',
  '{a} digits, but a phone number of {b} has {c}': '{a} chiffres, mais un numéro de ce pays ({b}) en a {c}',
  'has {a} digits, but a phone number of {b} has {c}': 'a {a} chiffres, mais un numéro de ce pays ({b}) en a {c}',
  'a debit account number usually looks like BBJ0123456789':
    'un numéro de compte à débiter ressemble d’habitude à BBJ0123456789',
  'to this beneficiary is also in row {a}': 'à ce bénéficiaire est aussi dans la ligne {a}',
  'is already used by row {a}; each row needs its own':
    'est déjà utilisée par la ligne {a} ; chaque ligne a la sienne',
  'is already used by {a}, another disbursement': 'est déjà utilisée par {a}, un autre décaissement',
  'of all rows {a}': 'de toutes les lignes {a}',
  'of all rows is too large to add up': 'de toutes les lignes est trop grand pour être additionné',
  '{a} (DUPLICATE_WINDOW); to pay it again, set allowDuplicate to true':
    '{a} (DUPLICATE_WINDOW) ; pour payer de nouveau, mettez allowDuplicate à true',
};
