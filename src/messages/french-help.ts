/** L’aide des commandes, phrase par phrase ; les options ont leur suite dans `french-flags.ts`. See `told.ts`. */
/** The answer of `POST /v1/purge`. */
const KEPT_AFTER_PURGE =
  'Disbursements and other money records stay with their phone numbers, as accounting records; a search by phone number ' +
  'does not find them any more. Entries of the journal in Redis expire 72 hours after the SMS.';

export const frenchHelp: Readonly<Record<string, string>> = {
  'Send bulk SMS and payments through one unreliable provider, and report the final status of each.':
    'Envoyer des SMS en masse et des paiements par un seul prestataire peu fiable, et annoncer le statut final de chacun.',
  'Run the worker, callback receiver and HTTP API': 'Lancer les workers, le récepteur de notifications et l’API HTTP',
  'Try relais with private servers and a sandbox. It needs no settings; the API key is dev':
    'Essayer relais avec ses propres serveurs et le simulateur. Aucun paramètre à définir ; la clé d’API est dev',
  'Write a settings file with new secrets': 'Écrire un fichier de paramètres avec de nouveaux secrets',
  'Run the provider simulator alone. It can simulate faults':
    'Lancer seul le simulateur du prestataire. Il sait simuler des pannes',
  'Create or update the database schema': 'Créer ou mettre à jour le schéma de la base de données',
  'Check settings, PostgreSQL, Redis, keys and addresses. Each problem is shown with its fix':
    'Vérifier les paramètres, PostgreSQL, Redis, les clés et les adresses. Chaque problème est affiché avec sa solution',
  'Send SMS campaigns to recipients of a file': 'Envoyer des campagnes SMS aux destinataires d’un fichier',
  'List disbursements': 'Lister les décaissements',
  'List payment batches': 'Lister les lots de paiements',
  'List campaigns': 'Lister les campagnes',
  'List messages': 'Lister les SMS isolés',
  'List invoices': 'Lister les factures',
  'List payment requests': 'Lister les demandes de paiement',
  'List direct credits': 'Lister les crédits directs',
  'Pause a campaign': 'Mettre une campagne en pause',
  'Resume a campaign': 'Reprendre une campagne',
  'Cancel a campaign': 'Annuler une campagne',
  'Check a recipient file and its cost. Nothing is sent':
    'Vérifier un fichier de destinataires et son coût. Rien n’est envoyé',
  'CSV, .xlsx, .ods or JSON lines, with a column of phone numbers; - reads standard input':
    'CSV, .xlsx, .ods ou lignes JSON, avec une colonne de numéros de téléphone ; - lit l’entrée standard',
  'Create a campaign and upload its recipients. Nothing is sent before its start':
    'Créer une campagne et ajouter ses destinataires. Rien n’est envoyé avant son démarrage',
  'Start a campaign': 'Démarrer une campagne',
  'Approve a campaign. The key must belong to a person who did not prepare it':
    'Approuver une campagne. La clé doit être à une personne qui ne l’a pas préparée',
  'Change the pace or hours of a campaign. The change applies from the next request on':
    'Modifier le débit ou les heures d’une campagne. La modification vaut dès la prochaine requête',
  'Show the progress of a campaign': 'Afficher l’avancement d’une campagne',
  'Show the result for each campaign recipient': 'Afficher le résultat pour chaque destinataire d’une campagne',
  'Retry the failed recipients of a campaign. The campaign must be finished':
    'Renvoyer une campagne aux destinataires en échec. La campagne doit être terminée',
  'Manage opt-outs. relais checks them before it sends an SMS':
    'Gérer les désinscriptions. relais les vérifie avant d’envoyer un SMS',
  'Add opt-outs': 'Ajouter des désinscriptions',
  'Remove opt-outs': 'Retirer des désinscriptions',
  'CSV, .xlsx, .ods, JSON lines, or one phone number a line; - reads standard input':
    'CSV, .xlsx, .ods, lignes JSON, ou un numéro de téléphone par ligne ; - lit l’entrée standard',
  'List opt-outs': 'Lister les désinscriptions',
  'Erase personal data. Money records stay': 'Effacer les données d’une personne. Les écritures d’argent restent',
  'Pay beneficiaries': 'Payer des bénéficiaires',
  'Pay one beneficiary, at most once per reference': 'Payer un bénéficiaire, au plus une fois par référence',
  'Get a disbursement': 'Afficher un décaissement',
  'Cancel a disbursement': 'Annuler un décaissement',
  'Get a payment batch': 'Afficher un lot de paiements',
  'Cancel a payment batch': 'Annuler un lot de paiements',
  'Reject a disbursement': 'Refuser un décaissement',
  'Reject a payment batch': 'Refuser un lot de paiements',
  'Reject a campaign': 'Refuser une campagne',
  'Reject {id}?': 'Refuser {id} ?',
  'Reject the payment batch {id}?': 'Refuser le lot de paiements {id} ?',
  'Reject the campaign {id}?': 'Refuser la campagne {id} ?',
  'Approve a disbursement or a payment batch. The key must belong to another person than the requester':
    'Approuver un décaissement ou un lot de paiements. La clé doit être à une autre personne que le demandeur',
  'id of a disbursement or of a payment batch': 'identifiant d’un décaissement ou d’un lot de paiements',
  'Check and upload a payment batch. Nothing is paid before another person approves it':
    'Vérifier et déposer un lot de paiements. Rien n’est payé avant l’approbation d’une autre personne',
  'CSV, .xlsx, .ods or JSON, with the columns reference, accountAlias, amount and withdrawMode, or headings of your own; - reads standard input':
    'CSV, .xlsx, .ods ou JSON, avec les colonnes reference, accountAlias, amount et withdrawMode, ou vos propres titres ; - lit l’entrée standard',
  'List the rows of a payment batch': 'Lister les lignes d’un lot de paiements',
  'The batch has no such rows.': 'Le lot n’a pas de telles lignes.',
  'Retry the unpaid rows of a batch': 'Payer de nouveau les lignes non payées d’un lot',
  'Make a new batch of the unpaid rows of {id}?': 'Créer un nouveau lot avec les lignes non payées de {id} ?',
  'A different person approves it: relais disburse approve ID --hash HASH':
    'Une autre personne l’approuve : relais disburse approve ID --hash HASH',
  'Show the result of each batch row. With the ids of relais and of the provider':
    'Afficher le résultat de chaque ligne d’un lot. Avec les identifiants de relais et du prestataire',
  'Pay each line of a file separately. For a file that another person approves: disburse batch':
    'Payer séparément chaque ligne d’un fichier. Pour un fichier qu’une autre personne approuve : disburse batch',
  'JSON lines of {accountAlias, amount, withdrawMode, reference, …}; - reads standard input':
    'lignes JSON de {accountAlias, amount, withdrawMode, reference, …} ; - lit l’entrée standard',
  'Send single SMS and one-time passwords': 'Envoyer des SMS isolés et des codes à usage unique',
  'Cancel a message': 'Annuler un SMS isolé',
  'Get a message': 'Afficher un SMS isolé',
  'Get an invoice': 'Afficher une facture',
  'Get a payment request': 'Afficher une demande de paiement',
  'Get a direct credit': 'Afficher un crédit direct',
  'Send an SMS to one or more recipients': 'Envoyer un SMS à un ou plusieurs destinataires',
  'JSON lines of {to, text, reference, …}; - reads standard input':
    'lignes JSON de {to, text, reference, …} ; - lit l’entrée standard',
  'Collect payments by invoice': 'Encaisser par facture',
  'Check an invoice with the provider': 'Vérifier une facture auprès du prestataire',
  'Check a payment request with the provider': 'Vérifier une demande de paiement auprès du prestataire',
  'Resolve an invoice that needs review': 'Statuer sur une facture à vérifier',
  'Resolve a payment request that needs review': 'Statuer sur une demande de paiement à vérifier',
  'Resolve a direct credit that needs review': 'Statuer sur un crédit direct à vérifier',
  'Create an invoice with a payment page. Flags override the values of the file':
    'Créer une facture avec une page de paiement. Les options l’emportent sur les valeurs du fichier',
  'JSON with items, customer, channels …; - reads standard input':
    'JSON avec items, customer, channels … ; - lit l’entrée standard',
  'Request direct payment of an invoice. relais reads the codes of the payer from a file only':
    'Demander le paiement direct d’une facture. relais ne lit les codes du payeur que dans un fichier',
  'JSON; - reads standard input': 'JSON ; - lit l’entrée standard',
  'Confirm a direct payment of an invoice. For methods with two steps; relais reads the code from a file only':
    'Confirmer le paiement direct d’une facture. Pour les moyens en deux étapes ; relais ne lit le code que dans un fichier',
  'Collect payments by link': 'Encaisser par lien de paiement',
  'Create a payment request': 'Créer une demande de paiement',
  'Credit accounts of the provider': 'Créditer des comptes du prestataire',
  'Create a direct credit': 'Créer un crédit direct',
  'Recover after a possible data loss. Shows the pending operations, then lets work resume':
    'Récupérer après une perte de données possible. Affiche les opérations en cours, puis laisse reprendre le travail',
  'Search operations by identifier or phone number': 'Chercher des opérations par identifiant ou numéro de téléphone',
  'Review operations that need a decision': 'Vérifier les opérations qui demandent une décision',
  'Resolve disbursements that need review. relais asks the provider first; its answer takes precedence':
    'Statuer sur des décaissements à vérifier. relais interroge d’abord le prestataire ; sa réponse l’emporte',
  'List SMS that the provider says were sent': 'Lister les SMS que le prestataire dit avoir envoyés',
  'The provider lists no SMS to this number in this period.':
    'Le prestataire n’indique aucun SMS à ce numéro pour cette période.',
  'Find campaigns by phone number': 'Trouver les campagnes d’un numéro de téléphone',
  'List recorded balances': 'Lister les soldes enregistrés',
  'List operations that need review': 'Lister les opérations à vérifier',
  'Show a disbursement with its evidence and timeline':
    'Afficher un décaissement avec ses éléments et sa chronologie',
  'Report daily totals and recorded balances': 'Produire les rapports du jour et des soldes',
  'Get the daily report': 'Afficher le rapport du jour',
  'Reconcile a statement with succeeded operations. Exit code 1: an entry has no match':
    'Rapprocher un relevé des opérations réussies. Code de sortie 1 : une ligne reste sans correspondance',
  'CSV file or workbook of the provider or of a bank; - reads standard input':
    'fichier CSV ou classeur du prestataire ou d’une banque ; - lit l’entrée standard',
  'Stop and release accounts': 'Bloquer et débloquer des comptes',
  'List accounts and their holds': 'Lister les comptes et leurs blocages',
  'Stop all disbursements of an account. Submitted disbursements are still checked':
    'Bloquer tous les décaissements d’un compte. Les décaissements transmis sont encore vérifiés',
  'Release all holds of an account. It is held again if the cause persists':
    'Lever tous les blocages d’un compte. Il est bloqué de nouveau si la cause demeure',
  'Show and change payment limits': 'Afficher et modifier les plafonds de paiement',
  'List payment limits. With who set each limit, and the changes that wait for approval':
    'Lister les plafonds de paiement. Avec l’auteur de chaque plafond et les modifications à approuver',
  'Set a payment limit. A stricter value applies at once; a looser one when a different person requests it too':
    'Définir un plafond de paiement. Plus strict, il vaut aussitôt ; plus souple, quand une autre personne le demande aussi',
  'XOF in digits, a duration such as 10m for DUPLICATE_WINDOW, or off':
    'XOF en chiffres, une durée comme 10m pour DUPLICATE_WINDOW, ou off',
  'Manage API keys': 'Gérer les clés d’API',
  'Create an API key': 'Créer une clé d’API',
  'List API keys': 'Lister les clés d’API',
  'Revoke an API key': 'Révoquer une clé d’API',
  'Read and verify the audit log': 'Lire et vérifier le journal d’audit',
  'List audit log entries': 'Lister les lignes du journal d’audit',
  'Verify the audit log. Exit code 1: a line is invalid or missing':
    'Vérifier le journal d’audit. Code de sortie 1 : une ligne est invalide ou manque',
  'Show, pause and resume queues': 'Afficher, mettre en pause et reprendre les files',
  'List queues': 'Lister les files',
  'Pause a queue': 'Mettre une file en pause',
  'Resume a queue': 'Reprendre une file',
  'Manage webhook endpoints': 'Gérer les adresses de webhook',
  'Register a webhook endpoint': 'Enregistrer une adresse de webhook',
  'List webhook endpoints': 'Lister les adresses de webhook',
  'Get a webhook endpoint': 'Afficher une adresse de webhook',
  'Delete a webhook endpoint': 'Supprimer une adresse de webhook',
  'Replay events to a webhook endpoint': 'Renvoyer des événements à une adresse de webhook',
  'Test a webhook endpoint': 'Tester une adresse de webhook',
  'Rotate the secret of a webhook endpoint. For a day, deliveries are signed with both secrets':
    'Renouveler le secret d’une adresse de webhook. Pendant un jour, les envois sont signés avec les deux secrets',
  'Manage the secrets stored in PostgreSQL': 'Gérer les secrets stockés dans PostgreSQL',
  'Re-encrypt stored secrets with the newest key': 'Chiffrer de nouveau les secrets avec la clé la plus récente',
  'Read events as JSON lines. Each transition has one event; events come at least once, in order':
    'Lire les événements en lignes JSON. Un événement par changement d’état, au moins une fois, dans l’ordre',
  'Explain an operation or a reason': 'Expliquer une opération ou une raison',
  'Get the last callback for an operation': 'Afficher la dernière notification sur une opération',
  'Get the deployment status': 'Afficher l’état du déploiement',
  'List provider balances by country': 'Lister les soldes chez le prestataire par pays',
  'Name of the account': 'Nom du compte',
  'Follow its progress: relais disburse show {id}': 'Suivre son avancement : relais disburse show {id}',
  'Pay {amount} to {accountAlias}?': 'Payer {amount} à {accountAlias} ?',
  'Resolve {id}?': 'Statuer sur {id} ?',
  'Follow its progress: relais payment-request show {id}': 'Suivre son avancement : relais payment-request show {id}',
  'Follow its progress: relais direct-credit show {id}': 'Suivre son avancement : relais direct-credit show {id}',
  'Store the secret: it is not shown again. `relais endpoints rotate-secret` creates another.':
    'Conservez le secret : il n’est plus affiché ensuite. `relais endpoints rotate-secret` en crée un autre.',
  'Delete the webhook endpoint {id}?': 'Supprimer l’adresse de webhook {id} ?',
  'Store the secret: it is not shown again.': 'Conservez le secret : il n’est plus affiché ensuite.',
  'Rotate the secret of {id}?': 'Renouveler le secret de {id} ?',
  'No operation needs review.': 'Aucune opération à vérifier.',
  'Show the reason and the next step: relais review show ID for a disbursement, relais explain ID for any operation':
    'Afficher la raison et la suite : relais review show ID pour un décaissement, relais explain ID pour toute opération',
  'No exact match. Search with the whole identifier.':
    'Aucune correspondance exacte. Cherchez avec l’identifiant entier.',
  'Show the timeline of an operation: relais explain ID':
    'Afficher la chronologie d’une opération : relais explain ID',
  'Resume it with: relais queues resume {name}': 'Pour la reprendre : relais queues resume {name}',
  'Pause the queue {name}, for all accounts?': 'Mettre la file {name} en pause, pour tous les comptes ?',
  'Release it with: relais account release {name}': 'Pour le débloquer : relais account release {name}',
  'Stop all disbursements of the account {name}?': 'Bloquer tous les décaissements du compte {name} ?',
  'If no secret is unreadable, remove the older keys from SEALING_SECRET. For an endpoint with an unreadable secret, run relais endpoints rotate-secret.':
    'Si aucun secret n’est illisible, retirez les anciennes clés de SEALING_SECRET. Pour une adresse au secret illisible, lancez relais endpoints rotate-secret.',
  'Revoke the key {id}?': 'Révoquer la clé {id} ?',
  'Use a key with this role.': 'Utilisez une clé qui a ce rôle.',
  'Use a key for that account.': 'Utilisez une clé pour ce compte.',
  'Use a key that is not limited to accounts.': 'Utilisez une clé qui n’est limitée à aucun compte.',
  'Ask a different person: two keys of one person count as one.':
    'Demandez à une autre personne : deux clés d’une même personne comptent pour une seule.',
  'Ask another person with the role admin to create it: you cannot grant yourself a role.':
    'Demandez à une autre personne avec le rôle admin de la créer : on ne peut pas s’attribuer un rôle.',
  'Answer the questions in `decisions` of the report.': 'Répondez aux questions de `decisions` dans le rapport.',
  'Read it again: its content has changed.': 'Relisez : le contenu a changé.',
  'Send the request from a page of the console, over https or on this machine.':
    'Envoyez la demande depuis une page de la console, par https ou sur cette machine.',
  'Confirm the key (`POST /v1/session/confirm`), then retry within five minutes.':
    'Confirmez la clé (`POST /v1/session/confirm`), puis réessayez dans les cinq minutes.',
  'Reduce the amount, or ask an operator to raise the limit.':
    'Réduisez le montant, ou demandez à un opérateur de relever le plafond.',
  'Use a number of TRIAL_NUMBERS, or ask an operator to end the trial.':
    'Utilisez un numéro de TRIAL_NUMBERS, ou demandez à un opérateur de terminer l’essai.',
  'Change the setting that `detail` names.': 'Modifiez le paramètre que nomme `detail`.',
  'Read the operation again: its state has changed.': 'Relisez l’opération : son état a changé.',
  'Accept the final status of the provider: it takes precedence.':
    'Acceptez le statut final du prestataire : il l’emporte.',
  'Repeat the request of `existingId` unchanged, or use a new identity. `differs` names the changed fields.':
    'Répétez la demande de `existingId` sans changement, ou utilisez une nouvelle identité. `differs` nomme les champs modifiés.',
  [KEPT_AFTER_PURGE]:
    'Les paiements et les autres écritures d’argent restent avec leurs numéros, comme pièces comptables ; ' +
    'une recherche par numéro ne les trouve plus. Les lignes du journal dans Redis expirent 72 heures ' +
    'après le SMS.',
  'Run `relais doctor`.': 'Lancez `relais doctor`.',
  'List refused intake jobs': 'Lister les tâches intake refusées',
  'No job was refused in the last 30 days.': 'Aucune tâche refusée au cours des 30 derniers jours.',
  'Show refused intake jobs': 'Afficher les tâches intake refusées',
};
