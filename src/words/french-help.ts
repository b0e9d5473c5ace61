/** L’aide des commandes, phrase par phrase ; les options ont leur suite dans `french-flags.ts`. As in `told.ts`. */
/** As `POST /v1/purge` says it. */
const KEPT_AFTER_PURGE =
  'Disbursements and other money records stay, with their numbers: they are books of account, and are found by them no ' +
  'longer. Hashed marks of the texts that were sent to them end by themselves, 5 days after the text at the latest.';

export const frenchHelp: Readonly<Record<string, string>> = {
  'Bulk SMS and disbursements through one unreliable service: each done once, each reported once.':
    'SMS en nombre et décaissements à travers un seul service peu fiable : chacun fait une fois, annoncé une fois.',
  'Run relais: carry out what was asked, hear callbacks, answer the HTTP API':
    'Faire tourner relais : exécuter les demandes, recevoir les rappels, répondre à l’API HTTP',
  'Try relais: its own Redis, the sandbox and all roles, with nothing to configure (API key: dev)':
    'Essayer relais : son propre Redis, le bac à sable et tous les rôles, sans rien régler (clé d’API : dev)',
  'Write a file of settings, with secrets made here': 'Écrire un fichier de réglages, avec des secrets créés ici',
  'Run the double of the service alone, faithful or misbehaving':
    'Faire tourner seul le double du service, fidèle ou capricieux',
  'Copies of the folder of Redis': 'Copies du dossier de Redis',
  'Load a copy into a private Redis, count what is in it, and compare with what runs':
    'Charger une copie dans un Redis privé, compter ce qu’elle contient et comparer avec ce qui tourne',
  'folder with appendonlydir or dump.rdb; it is only read':
    'dossier avec appendonlydir ou dump.rdb ; il est seulement lu',
  'Check settings, Redis, keys and addresses, and say how to mend what is wrong':
    'Vérifier réglages, Redis, clés et adresses, et dire comment remédier à ce qui ne va pas',
  'Text many people from a file': 'Envoyer des SMS à beaucoup de personnes depuis un fichier',
  'List them, the newest first; as CSV with `Accept: text/csv`': 'La liste, du plus récent au plus ancien',
  'Stop sending for now. What is on its way arrives': 'Arrêter l’envoi pour le moment. Ce qui est en route arrive',
  'Go on. An account that is held for messaging is tried again':
    'Reprendre. Un compte retenu pour les SMS est essayé de nouveau',
  'Stop for good. What was not sent yet will not be': 'Arrêter pour de bon. Ce qui n’est pas parti ne partira pas',
  'See what is wrong with a file and what it costs, before anything is sent':
    'Voir ce qui ne va pas dans un fichier et ce qu’il coûte, avant tout envoi',
  'CSV, .xlsx, .ods or JSON lines, with a column of numbers; - reads standard input':
    'CSV, .xlsx, .ods ou lignes JSON, avec une colonne de numéros ; - lit l’entrée standard',
  'Make a campaign and upload its recipients; nothing is sent before its start':
    'Créer une campagne avec ses destinataires ; rien ne part avant son démarrage',
  'Begin to send': 'Commencer l’envoi',
  'Let one be sent that waits for a second pair of eyes; not with a key that had a hand in it':
    'Autoriser l’envoi d’une campagne qui attend un deuxième regard ; pas avec une clé qui y a participé',
  'Send faster or slower, or through the night, from the next request on':
    'Envoyer plus vite ou moins vite, ou toute la nuit, dès la prochaine requête',
  'How far a campaign is': 'Où en est une campagne',
  'What became of each recipient, row by row': 'Ce qu’est devenu chaque destinataire, ligne par ligne',
  'Send a finished campaign again to those who failed': 'Renvoyer une campagne terminée à ceux qui sont en échec',
  'Who does not want to be texted; asked when a text is sent':
    'Qui ne veut plus recevoir de SMS ; vérifié au moment de l’envoi',
  'Text these people no more': 'Ne plus envoyer de SMS à ces personnes',
  'They may be texted again': 'Elles peuvent de nouveau recevoir des SMS',
  'CSV, .xlsx, .ods, JSON lines, or one number a line; - reads standard input':
    'CSV, .xlsx, .ods, lignes JSON, ou un numéro par ligne ; - lit l’entrée standard',
  'The numbers, one a line': 'Les numéros, un par ligne',
  'Forget a person: their number and texts, everywhere but in the books of money':
    'Oublier une personne : son numéro et ses SMS, partout sauf dans les livres de comptes',
  'Pay people': 'Payer des personnes',
  'Pay one person, at most once per reference': 'Payer une personne, au plus une fois par référence',
  'Where one stands, and what the service said about it': 'Où en est un décaissement, et ce que le service en a dit',
  'Call it back before anything was sent': 'Le rappeler avant que quoi que ce soit ne parte',
  'How far it has come': 'Où en est ce fichier',
  'Drop it before it is approved': 'L’abandonner avant son approbation',
  'Let one be paid that waits for a second pair of eyes; not with the key that asked for it':
    'Autoriser le paiement d’un décaissement qui attend un deuxième regard ; pas avec la clé qui l’a demandé',
  'of a disbursement, or of a batch': 'd’un décaissement, ou d’un fichier de paiements',
  'Check a file of disbursements and hand it in; nothing is paid before another key approves it':
    'Vérifier un fichier de décaissements et le déposer ; rien n’est payé avant qu’une autre clé ne l’approuve',
  'CSV, .xlsx, .ods or JSON, with the columns reference, accountAlias, amount and withdrawMode; - reads standard input':
    'CSV, .xlsx, .ods ou JSON, avec les colonnes reference, accountAlias, amount et withdrawMode ; - lit l’entrée standard',
  'What became of each row of a batch, with the ids of both sides':
    'Ce qu’est devenue chaque ligne d’un fichier de paiements, avec les identifiants des deux côtés',
  'Pay many at once, each line of a file on its own; for a file that another key approves: batch':
    'Payer beaucoup de personnes, chaque ligne d’un fichier pour elle-même ; pour un fichier qu’une autre clé approuve : batch',
  'JSON lines of {accountAlias, amount, withdrawMode, reference, …}; - reads standard input':
    'lignes JSON de {accountAlias, amount, withdrawMode, reference, …} ; - lit l’entrée standard',
  'Single texts, and one-time passwords': 'SMS isolés, et codes à usage unique',
  'Where one stands': 'Où il en est',
  'Text one person, or many people, each on a line of a file':
    'Envoyer un SMS à une personne, ou à beaucoup, chacune sur une ligne d’un fichier',
  'JSON lines of {to, text, reference, …}; - reads standard input':
    'lignes JSON de {to, text, reference, …} ; - lit l’entrée standard',
  'Collect money on a payment page, or from a wallet':
    'Encaisser sur une page de paiement, ou depuis un portefeuille',
  'Ask the service now whether it was paid': 'Demander maintenant au service si c’est payé',
  "A person's word about one that needs review": 'La décision d’une personne sur ce qui est à vérifier',
  'Make a payment page; the flags go before what the file says':
    'Créer une page de paiement ; les options passent avant ce que dit le fichier',
  'JSON with items, customer, channels …; - reads standard input':
    'JSON avec items, customer, channels … ; - lit l’entrée standard',
  'Ask the payer directly and wait for them; what is asked for is read from a file, never from the command line':
    'Demander directement au payeur et l’attendre ; ce qui est demandé est lu dans un fichier, jamais sur la ligne de commande',
  'JSON; - reads standard input': 'JSON ; - lit l’entrée standard',
  'The second step of the methods that have one; what is asked for is read from a file, never from the command line':
    'La deuxième étape des moyens qui en ont une ; ce qui est demandé est lu dans un fichier, jamais sur la ligne de commande',
  'Ask somebody to pay, by a link': 'Demander à quelqu’un de payer, par un lien',
  'Credit an account of the service': 'Créditer un compte du service',
  'After Redis may have lost something: see what is open, and let work begin again':
    'Quand Redis a peut-être perdu quelque chose : voir ce qui est ouvert, et laisser le travail reprendre',
  'What has this id, reference, name at the service, or telephone number':
    'Ce qui porte cet identifiant, cette référence, ce nom auprès du service, ou ce numéro de téléphone',
  'What cannot be settled without a person, and deciding about disbursements':
    'Ce qu’une personne doit trancher, et la décision sur les décaissements',
  'Decide one that needs review, or many. The service is asked first, and its word is stronger':
    'Trancher un décaissement à vérifier, ou plusieurs. Le service est interrogé d’abord, et sa parole est plus forte',
  'Which campaigns were to text a number, and how that ended, the newest campaign first':
    'Quelles campagnes devaient écrire à un numéro, et ce qu’il en est advenu, la plus récente d’abord',
  'What was left over time, the newest first; as CSV by `Accept`':
    'Ce qui restait au fil du temps, du plus récent au plus ancien',
  'All that wait for a person, the oldest first, a page at a time':
    'Tout ce qui attend une personne, du plus ancien au plus récent, page par page',
  'What is known about one of them, its evidence, and what to do':
    'Ce qui est connu de l’un d’eux, les éléments, et quoi faire',
  'What a day came to': 'Ce qu’une journée a donné',
  'What a day came to, by account and country; as CSV, or as a page to print, by `Accept`':
    'Ce qu’une journée a donné, par compte et par pays',
  'A file of the service or a bank against what succeeded here: exit 1 if anything is left over':
    'Rapprocher un fichier du service ou d’une banque de ce qui a réussi ici : code 1 s’il reste un écart',
  'CSV or a workbook, of the service or a bank; - for standard input':
    'CSV ou classeur, du service ou d’une banque ; - pour l’entrée standard',
  'What an account waits for, and the switch that stops its money':
    'Ce qu’un compte attend, et l’arrêt de ses paiements',
  'Which accounts there are, and what holds them': 'Quels comptes il y a, et ce qui les retient',
  'Send no more money of this account until it is released; what was submitted is still looked at':
    'Ne plus envoyer d’argent de ce compte avant qu’il soit libéré ; ce qui a été transmis est encore regardé',
  'Let an account go on, whatever it was held for; it is held again if the cause has not cleared':
    'Laisser un compte reprendre, quelle que soit la raison ; il est retenu de nouveau si la cause demeure',
  'The limits of money that hold, and setting them': 'Les plafonds d’argent en vigueur, et leur réglage',
  'Every limit, since when, who set it, and what waits for another key; `relais limits` alone does the same':
    'Chaque plafond, depuis quand, par qui, et ce qui attend une autre clé ; `relais limits` seul fait de même',
  'Set one for every process: a stricter value holds at once, a looser one once another key says the same':
    'En régler un pour tous les processus : plus strict, il vaut aussitôt ; plus souple, quand une autre clé dit de même',
  'XOF in digits, a duration such as 10m for DUPLICATE_WINDOW, or off':
    'XOF en chiffres, une durée comme 10m pour DUPLICATE_WINDOW, ou off',
  'Keys of the API, made and revoked while it runs': 'Clés de l’API, créées et révoquées sans arrêt du service',
  'Make a key, for a person or a service. Every process knows it within three seconds':
    'Créer une clé, pour une personne ou un programme. Chaque processus la connaît en trois secondes',
  'All keys: those of the settings, those that were made, and those that were revoked. No secrets':
    'Toutes les clés : celles des réglages, celles qui ont été créées, celles qui ont été révoquées. Pas de secrets',
  'End a key, in every process within three seconds': 'Mettre fin à une clé, partout en trois secondes',
  'Who did what, and whether what is written of it is as it was written':
    'Qui a fait quoi, et si ce qui en est écrit est resté intact',
  'Who did what, the newest first': 'Qui a fait quoi, du plus récent au plus ancien',
  'Whether every line is as it was written, and none is missing; exits 1 where one does not fit':
    'Si chaque ligne est intacte et qu’aucune ne manque ; code 1 sinon',
  'What waits where, and the switches': 'Ce qui attend, et où ; mettre en pause et reprendre',
  'What stands where': 'La situation de chaque file',
  'Let no worker take from a queue; what is at work goes on':
    'Ne plus rien prendre d’une file ; ce qui est en cours continue',
  'Let workers take from it again': 'La laisser servir de nouveau',
  'Where events are posted to': 'Où les événements sont envoyés',
  'Have events posted to an address of yours': 'Faire envoyer les événements à une adresse à vous',
  'List the endpoints of this key': 'Les adresses de cette clé',
  'How its deliveries go': 'Où en sont ses remises',
  'Post nothing more to it': 'Ne plus rien y envoyer',
  'Post what it wants of the events since then, or one of them, again':
    'Y renvoyer les événements voulus depuis ce moment, ou un seul',
  'Post a test to it at this moment, and tell what it answered':
    'Lui envoyer un essai à cet instant, et dire ce qu’elle a répondu',
  'Make another secret. For a day deliveries are signed with both':
    'Créer un autre secret. Pendant un jour, les remises sont signées avec les deux',
  'What is kept sealed in Redis': 'Ce qui est gardé scellé dans Redis',
  'Seal what is kept sealed with the newest secret': 'Sceller de nouveau avec le secret le plus récent',
  'What happened, as JSON lines: each event once per transition, in order':
    'Ce qui s’est passé, en lignes JSON : chaque événement une fois, dans l’ordre',
  'The story of any operation, or what a reason means, in plain words':
    'L’histoire d’une opération, ou ce que veut dire une raison, en mots simples',
  'What the service posted to us about an operation, last':
    'Ce que le service nous a envoyé en dernier sur une opération',
  'What stands where, on one screen': 'La situation générale, sur un écran',
  'What is left, roughly, by country': 'Ce qui reste, à peu près, par pays',
  'The name of the account': 'Le nom du compte',

  // Ce que les commandes des routes demandent et disent.
  'How it goes on: relais disburse show {id}': 'La suite : relais disburse show {id}',
  'Pay {amount} to {accountAlias}?': 'Payer {amount} à {accountAlias} ?',
  'Decide {id}?': 'Trancher {id} ?',
  'How it goes on: relais payment-request show {id}': 'La suite : relais payment-request show {id}',
  'How it goes on: relais direct-credit show {id}': 'La suite : relais direct-credit show {id}',
  'Keep the secret: it is not shown again. `relais endpoints rotate-secret` makes another.':
    'Gardez le secret : il n’est plus montré ensuite. `relais endpoints rotate-secret` en crée un autre.',
  'Post no more events to {id}?': 'Ne plus envoyer d’événements à {id} ?',
  'Keep the secret: it is not shown again.': 'Gardez le secret : il n’est plus montré ensuite.',
  'Make a new secret for {id}?': 'Créer un nouveau secret pour {id} ?',
  'Nothing needs review.': 'Rien n’est à vérifier.',
  'Why, and what to do: relais review show ID, or relais explain ID for another kind than a disbursement':
    'Pourquoi, et quoi faire : relais review show ID, ou relais explain ID pour autre chose qu’un décaissement',
  'Nothing here has exactly this name. Part of a name finds nothing.':
    'Rien ici n’a exactement ce nom. Un morceau de nom ne trouve rien.',
  'The whole story of one: relais explain ID': 'Toute l’histoire de l’un d’eux : relais explain ID',
  'To let it go on: relais queues resume {name}': 'Pour la laisser reprendre : relais queues resume {name}',
  'Pause the queue {name}, for all accounts?': 'Mettre la file {name} en pause, pour tous les comptes ?',
  'To let it go on: relais account release {name}': 'Pour le laisser reprendre : relais account release {name}',
  'Stop all disbursements of the account {name}?': 'Arrêter tous les décaissements du compte {name} ?',
  'Where nothing is unreadable, the older ones can be taken out of SEALING_SECRET now; an endpoint that is needs another: relais endpoints rotate-secret.':
    'Si rien n’est illisible, les anciens secrets peuvent être retirés de SEALING_SECRET ; une adresse illisible en demande un autre : relais endpoints rotate-secret.',
  'Revoke the key {id}?': 'Révoquer la clé {id} ?',

  // Ce qui aide quand une règle refuse.
  'Use a key that has this role.': 'Utilisez une clé qui a ce rôle.',
  'Use a key for that account.': 'Utilisez une clé pour ce compte.',
  'Use a key that is bound to no account.': 'Utilisez une clé qui n’est liée à aucun compte.',
  'Have another person do it: two keys of one person are one.':
    'Une autre personne doit le faire : deux clés d’une même personne n’en font qu’une.',
  'Have another person with the role admin make it: nobody gives themselves a role.':
    'Une autre personne avec le rôle admin doit la créer : personne ne se donne un rôle.',
  'Decide what `decisions` of the report names.': 'Décidez ce que nomme `decisions` du rapport.',
  'Look at it again: it is no longer what was read.': 'Regardez de nouveau : ce n’est plus ce qui a été lu.',
  'Ask from the page of the console, over https or on this machine.':
    'Demandez depuis la page de la console, par https ou sur cette machine.',
  'Show the key again (`POST /v1/session/confirm`), then do it within five minutes.':
    'Montrez de nouveau la clé (`POST /v1/session/confirm`), puis faites-le dans les cinq minutes.',
  'Ask for less, or have the limit raised.': 'Demandez moins, ou faites relever le plafond.',
  'Set what `detail` names.': 'Réglez ce que nomme `detail`.',
  'Read it again: it has gone on, or waits for something else.': 'Relisez : l’état a changé, ou attend autre chose.',
  'Nothing: the word of the service is stronger.': 'Rien : la parole du service est plus forte.',
  'Repeat the request of `existingId` as it was, or name this one anew. `differs` says what is not the same.':
    'Répétez la demande de `existingId` telle quelle, ou donnez un autre nom à celle-ci. `differs` dit ce qui diffère.',
  [KEPT_AFTER_PURGE]:
    'Les paiements et les autres écritures d’argent restent, avec leurs numéros : ce sont des livres de comptes, et on ne les ' +
    'trouve plus par ce numéro. Les empreintes des SMS envoyés s’effacent d’elles-mêmes, au plus tard 5 jours après le SMS.',
  'Run `relais doctor`.': 'Lancez `relais doctor`.',
};
