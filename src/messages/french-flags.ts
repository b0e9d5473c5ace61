/** Les options et les arguments des commandes, phrase par phrase, et les mots de l’aide elle-même. */
export const frenchFlags: Readonly<Record<string, string>> = {
  'output the version number': 'afficher la version',
  'display help for command': 'afficher l’aide de la commande',
  'Example:': 'Exemple :',
  'Usage:': 'Usage :',
  'Arguments:': 'Arguments :',
  'Options:': 'Options :',
  'Commands:': 'Commandes :',
  'roles of this process': 'rôles de ce processus',
  'only these queues': 'seulement ces files',
  'show the missing migrations and change nothing': 'afficher les migrations manquantes sans rien modifier',
  'also create the PostgreSQL roles of the schema; with --dry-run, print their SQL instead':
    'créer aussi les rôles PostgreSQL du schéma ; avec --dry-run, afficher seulement leur SQL',
  'only recipients in this state': 'seulement les destinataires dans cet état',
  'only events of these types': 'seulement les événements de ces types',
  'path of the new file; an existing file is never changed':
    'chemin du nouveau fichier ; un fichier existant n’est jamais modifié',
  'ask no questions: values that only you know are left empty':
    'ne poser aucune question : les valeurs que vous seul connaissez restent vides',
  'a fault to simulate; can be repeated': 'une panne à simuler ; peut être répétée',
  'delay of every answer': 'délai de chaque réponse',
  'seed that repeats the random choices of the faults': 'graine qui répète les tirages des pannes',
  'store the records in a file, and resume with its content':
    'enregistrer les données du simulateur dans un fichier, et reprendre son contenu',
  'print the findings as JSON': 'afficher les constats en JSON',
  'print the migrations as JSON': 'afficher les migrations en JSON',
  'Only these states, separated by commas': 'Seulement ces états, séparés par des virgules',
  'Only the operation with this reference': 'Seulement l’opération qui a cette référence',
  'Only this account': 'Seulement ce compte',
  'Only operations with this value under KEY of their `metadata`':
    'Seulement les opérations qui ont cette valeur sous KEY dans leurs `metadata`',
  'At most 10 headers that relais adds to each delivery, such as the key of a gateway. Answers show only their names':
    '10 en-têtes au plus, ajoutés par relais à chaque remise, comme la clé d’une passerelle. Les réponses n’en montrent que les noms',
  'Your own data: at most 50 strings of 500 characters': 'Vos propres données : 50 textes de 500 caractères au plus',
  'Sent at this time or later. The provider names no time zone; relais sends UTC':
    'Envoyé à cette heure ou après. Le prestataire n’indique pas de fuseau ; relais envoie de l’UTC',
  'Sent at this time or before': 'Envoyé à cette heure ou avant',
  'only this account': 'seulement ce compte',
  'Created at this time or later': 'Créé à cette heure ou après',
  'Created at this time or before': 'Créé à cette heure ou avant',
  '`next` of the previous page': '`next` de la page précédente',
  'Maximum number of results': 'Nombre maximal de résultats',
  'print the answer as JSON': 'afficher la réponse en JSON',
  'print CSV for a spreadsheet': 'afficher un CSV pour Excel',
  'check as an upload to this campaign: with its text, its recipients and the opt-outs':
    'vérifier comme un ajout à cette campagne : avec son texte, ses destinataires et les désinscriptions',
  'the text with its {{variables}}: counts segments and finds empty values':
    'le texte avec ses {{variables}} : compte les segments et trouve les valeurs vides',
  'country of phone numbers without a country code': 'pays des numéros de téléphone sans indicatif',
  'country of a phone number without a country code': 'pays d’un numéro de téléphone sans indicatif',
  'column of the phone numbers, if its name is not recognised':
    'colonne des numéros de téléphone, si son nom n’est pas reconnu',
  'sheet of a workbook; default: the first visible sheet':
    'feuille d’un classeur ; par défaut : la première feuille visible',
  'encoding of a text file, if it is not recognised: cp850':
    'encodage d’un fichier texte, s’il n’est pas reconnu : cp850',
  'convert old phone numbers of CI, BJ': 'convertir les anciens numéros de CI, BJ',
  'include the rows that the workbook hides': 'inclure les lignes masquées du classeur',
  'accept that rows are skipped for these reasons': 'accepter que des lignes soient écartées pour ces raisons',
  'send doubtful values as they are: no_value, damaged_value':
    'envoyer telles quelles les valeurs suspectes : no_value, damaged_value',
  'send the text as it is written, with its doubtful parts': 'envoyer le texte tel quel, parties suspectes comprises',
  'write the skipped rows to this file: the columns of the file, and the problem':
    'écrire les lignes écartées dans ce fichier : les colonnes du fichier, et le problème',
  'count with ê ç œ ’ « » … replaced by cheaper look-alikes':
    'compter avec ê ç œ ’ « » … remplacés par des signes moins chers',
  'JSON file of XOF per segment and country: {"SN": 20}; default: SMS_PRICES_FILE':
    'fichier JSON des XOF par segment et par pays : {"SN": 20} ; par défaut : SMS_PRICES_FILE',
  'show the first n SMS, the longest and the most expensive, as they would be sent':
    'montrer les n premiers SMS, le plus long et le plus cher, tels qu’ils partiraient',
  'send the first SMS to these phone numbers, after a question':
    'envoyer le premier SMS à ces numéros, après confirmation',
  'sender ID of the test SMS': 'nom d’expéditeur du SMS d’essai',
  'account that sends the test SMS': 'compte qui envoie le SMS d’essai',
  'ask no questions on a terminal': 'ne poser aucune question sur un terminal',
  'print the report as JSON': 'afficher le rapport en JSON',
  'name of the campaign, for people': 'nom de la campagne, pour les personnes',
  'the text; its {{variables}} are columns of the file': 'le texte ; ses {{variables}} sont des colonnes du fichier',
  'your own reference: the same reference never creates a second campaign':
    'votre propre référence : la même référence ne crée jamais une deuxième campagne',
  'sender ID; default: the one of the messaging account': 'nom d’expéditeur ; par défaut : celui du compte SMS',
  'account that sends the SMS': 'compte qui envoie les SMS',
  'what to do with recipients in doubt: keep them in doubt, or send to them again':
    'que faire des destinataires incertains : les laisser incertains, ou leur renvoyer le SMS',
  'maximum recipients per second; off removes the limit':
    'nombre maximal de destinataires par seconde ; off enlève la limite',
  'send nothing during hours such as 21:00-08:00; without hours: QUIET_HOURS, the default of a new campaign':
    'ne rien envoyer à des heures comme 21:00-08:00 ; sans heures : QUIET_HOURS, ce qui vaut pour une nouvelle campagne',
  'time zone of the quiet hours, such as Africa/Abidjan':
    'fuseau horaire de la plage sans envoi, comme Africa/Abidjan',
  'stop when this many of the last 200 recipients failed or are in doubt (default: 50)':
    'arrêter quand ce nombre des 200 derniers destinataires est en échec ou incertain (par défaut : 50)',
  'continue after any number of failures': 'continuer quel que soit le nombre d’échecs',
  'once started, wait for this time, such as 2026-11-21T08:00:00Z':
    'après le démarrage, attendre cette heure, comme 2026-11-21T08:00:00Z',
  'number of recipients to send to first, as a canary (default: 50 above 1,000)':
    'nombre de destinataires à servir d’abord, comme essai (par défaut : 50 au-dessus de 1 000)',
  'send to all recipients at once, without a canary': 'envoyer à tous les destinataires à la fois, sans essai',
  'stop as soon as an SMS is sent under another sender ID':
    'arrêter dès qu’un SMS part sous un autre nom d’expéditeur',
  'send with ê ç œ ’ « » … replaced by cheaper look-alikes':
    'envoyer avec ê ç œ ’ « » … remplacés par des signes moins chers',
  'show the first n SMS, the longest and the most expensive, as they will be sent':
    'montrer les n premiers SMS, le plus long et le plus cher, tels qu’ils partiront',
  'create and upload nothing: only show the planned SMS and their cost':
    'ne rien créer ni ajouter : seulement afficher les SMS prévus et leur coût',
  'print campaign and upload as JSON': 'afficher la campagne et l’ajout en JSON',
  'follow it until it ends': 'suivre jusqu’à la fin',
  'start nothing: only show the planned SMS and their cost':
    'ne rien démarrer : seulement afficher les SMS prévus et leur coût',
  'print the campaign as JSON': 'afficher la campagne en JSON',
  'contentHash of the reviewed campaign: nothing else is sent':
    'contentHash de la campagne vérifiée : rien d’autre n’est envoyé',
  'send at any hour': 'envoyer à toute heure',
  'print the campaign as JSON; with --follow, one line for each change':
    'afficher la campagne en JSON ; avec --follow, une ligne par changement',
  'only this phone number, in any spelling': 'seulement ce numéro de téléphone, quelle que soit l’écriture',
  'print a JSON array, one recipient a line': 'afficher un tableau JSON, un destinataire par ligne',
  'also retry recipients in doubt: they can get the SMS twice':
    'renvoyer aussi aux destinataires incertains : ils peuvent recevoir le SMS deux fois',
  'a phone number; can be repeated': 'un numéro de téléphone ; peut être répété',
  'only for this sender ID; default: for all': 'seulement pour ce nom d’expéditeur ; par défaut : pour tous',
  'opt-outs of this sender ID; default: opt-outs of all sender IDs':
    'désinscriptions de ce nom d’expéditeur ; par défaut : celles de tous les noms',
  'print a JSON array': 'afficher un tableau JSON',
  'Only rows with this outcome': 'Seulement les lignes qui ont ce résultat',
  'phone number of the person': 'numéro de téléphone de la personne',
  'print the counts as JSON': 'afficher les comptes en JSON',
  'Minimum amount in XOF': 'Montant minimal en XOF',
  'Maximum amount in XOF': 'Montant maximal en XOF',
  'Only the operation with this provider token': 'Seulement l’opération qui a ce jeton du prestataire',
  'Only the operation with this provider transaction id':
    'Seulement l’opération qui a cet identifiant de transaction du prestataire',
  'Only rows of this payment batch': 'Seulement les lignes de ce lot de paiements',
  'The phone number, in any spelling': 'Le numéro de téléphone, quelle que soit l’écriture',
  'Only this phone number, in any spelling': 'Seulement ce numéro de téléphone, quelle que soit l’écriture',
  'Phone number of the beneficiary without country code, or the provider account id for `service`':
    'Numéro de téléphone du bénéficiaire sans indicatif, ou l’identifiant du compte chez le prestataire pour ' +
    '`service`',
  'Amount in whole francs (XOF)': 'Montant en francs entiers (XOF)',
  'Amount in whole francs (XOF), 200 to 3000000': 'Montant en francs entiers (XOF), de 200 à 3000000',
  'Payment channel': 'Canal de paiement',
  'Account to debit, only with `service`': 'Compte à débiter, seulement avec `service`',
  'Account at the provider. Default: `main`': 'Compte chez le prestataire. Par défaut : `main`',
  'Your own reference: the same reference never creates a second operation':
    'Votre propre référence : la même référence ne crée jamais une deuxième opération',
  'your own reference: the same reference never creates a second operation':
    'votre propre référence : la même référence ne crée jamais une deuxième opération',
  'your own reference: the same reference never creates a second message':
    'votre propre référence : la même référence ne crée jamais un deuxième SMS',
  'Earliest time of the payment': 'Heure de paiement au plus tôt',
  'Allow the same amount to the same beneficiary within DUPLICATE_WINDOW':
    'Permettre le même montant au même bénéficiaire pendant DUPLICATE_WINDOW',
  'Allow the same amount to the same account within DUPLICATE_WINDOW':
    'Permettre le même montant au même compte pendant DUPLICATE_WINDOW',
  'Allow a phone number with an unusual length for the country of the withdraw mode':
    'Permettre un numéro d’une longueur inhabituelle pour le pays du mode de retrait',
  'key that identifies a retry, instead of a reference':
    'clé qui identifie un nouvel essai, à la place d’une référence',
  'key that identifies a retry; default: the bytes of the file':
    'clé qui identifie un nouvel essai ; par défaut : les octets du fichier',
  'check the request by every rule, and do nothing': 'vérifier la demande par toutes les règles, et ne rien faire',
  'check the file by every rule, and upload nothing': 'vérifier le fichier par toutes les règles, et ne rien déposer',
  'of a payment batch: hash of the reviewed file, so that nothing else is paid':
    'd’un lot de paiements : empreinte du fichier vérifié, pour que rien d’autre ne soit payé',
  'account that pays': 'compte qui paie',
  'encoding of a text file that is not Unicode: windows-1252':
    'encodage d’un fichier texte qui n’est pas en Unicode : windows-1252',
  'write the invalid rows to this file: the columns of the file, and the problem':
    'écrire les lignes invalides dans ce fichier : les colonnes du fichier, et le problème',
  'print the list as JSON': 'afficher la liste en JSON',
  'phone number in international form: +221771234567':
    'numéro de téléphone sous forme internationale : +221771234567',
  'text of the SMS': 'texte du SMS',
  'otp overtakes campaigns': 'otp passe devant les campagnes',
  'column of the phone numbers, if its name does not tell':
    'colonne des numéros de téléphone, si son titre ne le dit pas',
  'column of the amounts': 'colonne des montants',
  'column of the wallets': 'colonne des comptes Mobile Money',
  'column of the references, such as a staff number': 'colonne des références, comme un matricule',
  'column of the names of the payees': 'colonne des noms des bénéficiaires',
  'column of the purposes': 'colonne des motifs',
  'withdraw mode of all rows, if the table has no column for it':
    'mode de retrait de toutes les lignes, si le fichier n’a pas de colonne pour lui',
  'withdraw mode for a name in the wallet column; repeat for each':
    'mode de retrait d’un nom de la colonne des comptes ; à répéter pour chacun',
  'begins each reference: salaries-2026-11': 'début de chaque référence : salaries-2026-11',
  'read 346.500 as 346500': 'lire 346.500 comme 346500',
  'also pay rows that the spreadsheet hides': 'payer aussi les lignes masquées dans le fichier',
  'rows that are not paid, such as a total: 203,204': 'lignes qui ne sont pas payées, comme un total : 203,204',
  'earliest time of every payment: 2026-11-21T08:00:00Z':
    'heure la plus tôt de chaque paiement : 2026-11-21T08:00:00Z',
  'Text of the SMS to the payee, with variables such as `{{amount}}` and `{{payeeName|client}}`':
    'Texte du SMS au bénéficiaire, avec des variables comme `{{amount}}` et `{{payeeName|client}}`',
  'Text for `failed`. Default: `text`': 'Texte pour `failed`. Par défaut : `text`',
  'States that the payee is told, each at most once. Default: `succeeded`':
    'Statuts annoncés au bénéficiaire, chacun au plus une fois. Par défaut : `succeeded`',
  'Phone of the payee in international form. Default: the number that is paid':
    'Téléphone du bénéficiaire sous forme internationale. Par défaut : le numéro payé',
  'SMS to each payee, with the columns of the file as {{variables}}':
    'SMS à chaque bénéficiaire, avec les colonnes du fichier comme {{variables}}',
  'text for failed payments; default: the text of --notify':
    'texte pour les paiements échoués ; par défaut : le texte de --notify',
  'states that payees are told: succeeded,failed; default: succeeded':
    'statuts annoncés aux bénéficiaires : succeeded,failed ; par défaut : succeeded',
  'Name of the payee, for approvers and reports': 'Nom du bénéficiaire, pour les approbateurs et les rapports',
  'Purpose of the payment, for approvers and reports': 'Motif du paiement, pour les approbateurs et les rapports',
  'do not send before this time: 2026-11-21T08:00:00Z': 'ne pas envoyer avant cette heure : 2026-11-21T08:00:00Z',
  'do not send after this time: 2026-11-21T08:00:00Z': 'ne pas envoyer après cette heure : 2026-11-21T08:00:00Z',
  'The final state, or the next action': 'Le statut final, ou l’action suivante',
  'The evidence for the outcome; stored with the record': 'La preuve du résultat ; conservée avec la fiche',
  'amount of the invoice in whole francs (XOF)': 'montant de la facture en francs entiers (XOF)',
  'name of the store that bills': 'nom du magasin qui facture',
  'description shown to the payer': 'description montrée au payeur',
  'account that receives the payment': 'compte qui reçoit le paiement',
  'E-mail address of the payer': 'Adresse e-mail du payeur',
  'Phone number of the payer, in international form': 'Numéro de téléphone du payeur, sous forme internationale',
  'Party that pays the fees': 'Qui paie les frais',
  'true: the provider sends SMS and e-mail itself, and the payment can never be checked':
    'true : le prestataire envoie lui-même SMS et e-mail, et le paiement ne peut jamais être vérifié',
  'Provider account to credit': 'Compte du prestataire à créditer',
  'resume all pending operations, without doing any of them twice':
    'reprendre toutes les opérations en cours, sans en faire aucune deux fois',
  'confirm that nothing was lost: two persons within a day, each with their key; refused if relais knows of a loss':
    'confirmer que rien n’est perdu : deux personnes en un jour, chacune avec sa clé ; refusé si relais connaît une perte',
  'the provider has new addresses: accept them directly in PostgreSQL, with the settings of a process':
    'le prestataire a de nouvelles adresses : les accepter directement dans PostgreSQL, avec les paramètres d’un ' +
    'processus',
  '`next` of the previous page, or the id of an operation in the list':
    '`next` de la page précédente, ou l’identifiant d’une opération de la liste',
  'Only operations of this kind': 'Seulement les opérations de ce genre',
  'print record and explanation as JSON': 'afficher la fiche et l’explication en JSON',
  'The day, such as 2026-11-22. Default: today': 'Le jour, comme 2026-11-22. Par défaut : aujourd’hui',
  'print an HTML page, for a printer': 'afficher une page HTML, pour l’imprimante',
  'column names of the file: transactionId=Transaction,amount=Montant,date=Date':
    'noms des colonnes du fichier : transactionId=Transaction,amount=Montant,date=Date',
  'print each unmatched entry as JSON': 'afficher chaque ligne sans correspondance en JSON',
  'print the limit as JSON': 'afficher le plafond en JSON',
  'Name of the key in the audit log': 'Nom de la clé dans le journal d’audit',
  'Roles of the key; `admin` includes no other role': 'Rôles de la clé ; `admin` n’inclut aucun autre rôle',
  'Only these accounts. Default: all accounts': 'Seulement ces comptes. Par défaut : tous',
  'Person who holds the key: for approvals, two keys of one person count as one. Give this or `service`':
    'Personne qui détient la clé : pour les approbations, deux clés d’une personne comptent pour une. Donnez ' +
    'ceci ou `service`',
  'Program that uses the key': 'Programme qui utilise la clé',
  'Expiry time of the key. Default: valid until it is revoked':
    'Heure d’expiration de la clé. Par défaut : valable jusqu’à sa révocation',
  'Only events of these types. Absent: all types': 'Seulement les événements de ces types. Par défaut : tous',
  'Events from this time on': 'Les événements à partir de cette heure',
  'Only the event with this id, as in `deliveries`':
    'Seulement l’événement qui a cet identifiant, comme dans `deliveries`',
  'With `succeeded`: the transaction id of the provider, used by `relais reconcile`':
    'Avec `succeeded` : l’identifiant de transaction du prestataire, utilisé par `relais reconcile`',
  'the final state, or the next action': 'le statut final, ou l’action suivante',
  'the evidence for the outcome; stored with the record': 'la preuve du résultat ; conservée avec la fiche',
  'with succeeded: the transaction id of the provider, used by relais reconcile':
    'avec succeeded : l’identifiant de transaction du prestataire, utilisé par relais reconcile',
  'all disbursements with this, such as reason=restored; also account, withdrawMode, batch, createdFrom, createdTo, amountMin, amountMax. Without --confirm, only list them':
    'tous les décaissements qui ont ceci, comme reason=restored ; aussi account, withdrawMode, batch, ' +
    'createdFrom, createdTo, amountMin, amountMax. Sans --confirm, seulement les lister',
  'id of the listed selection: resolves exactly these':
    'identifiant de la sélection listée : statue exactement sur celle-ci',
  'ask no questions on a terminal for a single disbursement':
    'ne poser aucune question sur un terminal pour un seul décaissement',
  'Why it is not approved. Events and reads return it as `note`':
    'Pourquoi la demande n’est pas approuvée. Les événements et les lectures le rendent comme `note`',
  'Recorded at this time or later': 'Enregistré à cette heure ou après',
  'Recorded at this time or before': 'Enregistré à cette heure ou avant',
  'continue with new events': 'continuer avec les nouveaux événements',
  'resume after this cursor; the command prints it when it ends':
    'reprendre après ce curseur ; la commande l’affiche à la fin',
  'maximum number of results': 'nombre maximal de résultats',
  'no effect: events are always JSON lines': 'sans effet : les événements sont toujours des lignes JSON',
  'The state of the jobs. Only refused jobs are listed': 'L’état des tâches. Seules les tâches refusées sont listées',
};
