/** Les options et les arguments des commandes, phrase par phrase, et les mots de l’aide elle-même. */
export const frenchFlags: Readonly<Record<string, string>> = {
  'output the version number': 'afficher la version',
  'display help for command': 'afficher l’aide de la commande',
  'Example:': 'Exemple :',
  'Usage:': 'Usage :',
  'Arguments:': 'Arguments :',
  'Options:': 'Options :',
  'Commands:': 'Commandes :',
  'what this process does': 'ce que fait ce processus',
  'only these queues': 'seulement ces files',
  'keep what is over in PostgreSQL too: one of its own, or that of HISTORY_URL':
    'conserver aussi dans PostgreSQL ce qui est terminé : le sien, ou celui de HISTORY_URL',
  'only these': 'seulement ceux-ci',
  'where it is written; one that is there is never changed':
    'où il est écrit ; un fichier qui existe n’est jamais modifié',
  'ask nothing: what only you can know is left to be filled in':
    'ne rien demander : ce que vous seul savez reste à compléter',
  'a way to misbehave; may be repeated': 'une panne à simuler ; peut être répétée',
  'every answer waits this long': 'chaque réponse attend ce temps',
  'replay the choices of the faults': 'rejouer le même tirage des pannes',
  'keep the books in a file, and go on with what is in it':
    'tenir les livres dans un fichier, et continuer avec ce qu’il contient',
  'print the findings as JSON': 'afficher les constats en JSON',
  'Only in this state, or in one of several, separated by commas':
    'Seulement dans cet état, ou dans l’un de plusieurs, séparés par des virgules',
  'The one that the caller gave this name': 'Celui à qui le demandeur a donné ce nom',
  'Only of this account': 'Seulement de ce compte',
  'only of this account': 'seulement de ce compte',
  'Asked for at this time, or later': 'Demandé à cette heure, ou plus tard',
  'Asked for at this time, or before': 'Demandé à cette heure, ou avant',
  '`next` of the page before': '`next` de la page précédente',
  'How many at most': 'Combien au plus',
  'print the answer as JSON': 'afficher la réponse en JSON',
  'print CSV for a spreadsheet': 'afficher un CSV pour un tableur',
  'as an upload to this campaign: with its text, who is in it, who has opted out':
    'comme un ajout à cette campagne : avec son texte, ceux qui y sont, ceux qui ne veulent plus de SMS',
  'the text with its {{variables}}: counts segments and finds empty values':
    'le texte avec ses {{variables}} : compte les segments et trouve les valeurs vides',
  'country of the numbers without a country code': 'pays des numéros sans indicatif',
  'country of a number without a country code': 'pays d’un numéro sans indicatif',
  'the column of the numbers, where its name does not tell': 'la colonne des numéros, si son nom ne le dit pas',
  'sheet of a workbook; without it, the first that can be seen':
    'feuille d’un classeur ; sans cela, la première qui est visible',
  'what a text is written in, where it is not recognised: mac-roman':
    'encodage d’un texte, s’il n’est pas reconnu : mac-roman',
  'renew old numbers of CI, BJ': 'mettre à jour les anciens numéros de CI, BJ',
  'take the rows that the spreadsheet hides, too': 'prendre aussi les lignes masquées par le tableur',
  'rows skipped for these reasons are meant to be skipped': 'les lignes écartées pour ces raisons le sont à dessein',
  'what looks like a variable of the text and is none is meant as it is written':
    'ce qui ressemble à une variable du texte et n’en est pas une est voulu ainsi',
  'write the skipped rows there: the columns of the file, and what is wrong':
    'y écrire les lignes écartées : les colonnes du fichier, et ce qui ne va pas',
  'count with ê ç œ ’ « » … replaced by cheaper look-alikes':
    'compter avec ê ç œ ’ « » … remplacés par des signes moins chers',
  'JSON, XOF per segment by country: {"SN": 20}; else SMS_PRICES_FILE':
    'JSON, XOF par segment et par pays : {"SN": 20} ; sinon SMS_PRICES_FILE',
  'show the first n texts, the longest and the dearest, as they would go out':
    'montrer les n premiers SMS, le plus long et le plus cher, tels qu’ils partiraient',
  'send the first text to these numbers, after asking': 'envoyer le premier SMS à ces numéros, après confirmation',
  'sender signature of the test': 'expéditeur affiché pour l’essai',
  'account that sends the test': 'compte qui envoie l’essai',
  'do not ask on a terminal': 'ne rien demander sur un terminal',
  'print the report as JSON': 'afficher le rapport en JSON',
  'what people call it': 'le nom sous lequel on la connaît',
  'the text, with {{variables}} that are columns of the file':
    'le texte, avec des {{variables}} qui sont des colonnes du fichier',
  'your own name for it: the same one never makes a second campaign':
    'votre propre nom pour elle : le même ne crée jamais une deuxième campagne',
  'sender signature of the messaging account': 'expéditeur affiché du compte SMS',
  'account that sends': 'compte qui envoie',
  'who may or may not have got it stays so, or is sent to again':
    'ceux dont on ne sait pas s’ils l’ont reçu : laissés ainsi, ou renvoi',
  'recipients per second at most; off takes the limit away':
    'destinataires par seconde au plus ; off enlève la limite',
  'send nothing at night (QUIET_HOURS), or in hours such as 21:00-08:00':
    'ne rien envoyer la nuit (QUIET_HOURS), ou à des heures comme 21:00-08:00',
  'whose clock the quiet hours are read on, such as Africa/Abidjan':
    'l’horloge sur laquelle se lisent les heures calmes, comme Africa/Abidjan',
  'stop when so many of the last 200 failed or are in doubt (default: 50)':
    'arrêter quand ce nombre des 200 derniers est en échec ou incertain (par défaut : 50)',
  'go on whatever fails': 'continuer quels que soient les échecs',
  'begin by itself at this time, such as 2026-11-21T08:00:00Z, once it is started':
    'partir d’elle-même à cette heure, comme 2026-11-21T08:00:00Z, une fois démarrée',
  'so many recipients go first, alone (default: 50 above 1,000)':
    'ce nombre de destinataires part d’abord, seul (par défaut : 50 au-dessus de 1 000)',
  'everybody at once': 'tout le monde à la fois',
  'stop as soon as a text goes out under another sender': 'arrêter dès qu’un SMS part sous un autre expéditeur',
  'send with ê ç œ ’ « » … replaced by cheaper look-alikes':
    'envoyer avec ê ç œ ’ « » … remplacés par des signes moins chers',
  'show the first n texts, the longest and the dearest, as they will go out':
    'montrer les n premiers SMS, le plus long et le plus cher, tels qu’ils partiront',
  'make and upload nothing: only say what would be sent, and what it costs':
    'ne rien créer ni ajouter : dire seulement ce qui partirait, et son coût',
  'print campaign and upload as JSON': 'afficher la campagne et l’ajout en JSON',
  'watch it until it ends': 'la suivre jusqu’à la fin',
  'start nothing: only say what would be sent, and what it costs':
    'ne rien démarrer : dire seulement ce qui partirait, et son coût',
  'print the campaign as JSON': 'afficher la campagne en JSON',
  'its contentHash, so that exactly what was looked at is sent':
    'son contentHash, pour que parte exactement ce qui a été regardé',
  'send at any hour': 'envoyer à toute heure',
  'print it as JSON; with --follow a line each time': 'l’afficher en JSON ; avec --follow, une ligne chaque fois',
  'only this one, however it is spelt': 'seulement celui-ci, quelle que soit l’écriture',
  'print a JSON array, one recipient a line': 'afficher un tableau JSON, un destinataire par ligne',
  'those who may have got it too: they may get it twice':
    'aussi ceux qui l’ont peut-être reçu, au risque qu’ils le reçoivent deux fois',
  'one number; may be repeated': 'un numéro ; peut être répété',
  'only for this sender; without it, for all': 'seulement pour cet expéditeur ; sans cela, pour tous',
  'those of this sender; without it, those who opted out of all':
    'ceux de cet expéditeur ; sans cela, ceux qui ne veulent plus rien recevoir',
  'print a JSON array': 'afficher un tableau JSON',
  whose: 'de qui',
  'print what was found as JSON': 'afficher ce qui a été trouvé en JSON',
  'Of so many XOF, or more': 'De tant de XOF, ou plus',
  'Of so many XOF, or less': 'De tant de XOF, ou moins',
  'The one that the service calls by this token': 'Celui que le service désigne par ce jeton',
  'The one that the service calls by this transaction': 'Celui que le service désigne par cette transaction',
  'Only rows of this batch': 'Seulement les lignes de ce fichier de paiements',
  'The number, however it is spelt': 'Le numéro, quelle que soit l’écriture',
  'Of this telephone number, however it is spelt': 'De ce numéro de téléphone, quelle que soit l’écriture',
  "Beneficiary's phone number without country code, or the service account id for `service`":
    'Numéro du bénéficiaire sans indicatif, ou l’identifiant de compte du service pour `service`',
  'Whole francs (XOF)': 'Francs entiers (XOF)',
  'Whole francs (XOF), 200 to 3000000': 'Francs entiers (XOF), de 200 à 3000000',
  'The channel it is paid through': 'Le canal par lequel on paie',
  'Only with `service`: the balance to debit': 'Seulement avec `service` : le solde à débiter',
  'The account of the service that does it; `main` where none is named':
    'Le compte du service qui le fait ; `main` si aucun n’est nommé',
  'Your own name for it: the same one never makes a second':
    'Votre propre nom : le même n’en crée jamais un deuxième',
  'your own name for it: the same one never makes a second':
    'votre propre nom : le même n’en crée jamais un deuxième',
  'your own name for it: the same one never sends twice': 'votre propre nom : le même n’envoie jamais deux fois',
  'Not paid before this time': 'Pas payé avant cette heure',
  'The same amount to the same beneficiary within DUPLICATE_WINDOW is meant':
    'Le même montant au même bénéficiaire pendant DUPLICATE_WINDOW est voulu',
  'The same amount to the same account within DUPLICATE_WINDOW is meant':
    'Le même montant au même compte pendant DUPLICATE_WINDOW est voulu',
  'The number is right, though numbers of the country of the mode have another length':
    'Le numéro est bon, bien que les numéros du pays de ce mode aient une autre longueur',
  'what tells a retry from a second request, in place of a reference':
    'ce qui distingue un nouvel essai d’une deuxième demande, à la place d’une référence',
  'what tells a retry from a second file; default: its bytes':
    'ce qui distingue un nouvel essai d’un deuxième fichier ; par défaut : ses octets',
  'have it judged by every rule, and do nothing': 'le faire juger par toutes les règles, et ne rien faire',
  'have it judged by every rule, and hand in nothing': 'le faire juger par toutes les règles, et ne rien déposer',
  'of a batch: its hash, so that exactly what was looked at is paid':
    'd’un fichier de paiements : son empreinte, pour que soit payé exactement ce qui a été regardé',
  'account that pays': 'compte qui paie',
  'what a text is written in, where it is not Unicode: windows-1252':
    'encodage d’un texte, s’il n’est pas en Unicode : windows-1252',
  'write the rows with something wrong there: the columns of the file, and what it is':
    'y écrire les lignes où quelque chose ne va pas : les colonnes du fichier, et quoi',
  'print it as JSON': 'l’afficher en JSON',
  'print them as JSON': 'les afficher en JSON',
  'in international form: +221771234567': 'sous forme internationale : +221771234567',
  'what they read': 'ce que la personne lit',
  'otp overtakes campaigns': 'otp passe devant les campagnes',
  'not sent after this time: 2026-11-21T08:00:00Z': 'pas envoyé après cette heure : 2026-11-21T08:00:00Z',
  'What became of it, or what is to be done': 'Ce qu’il en est advenu, ou ce qu’il faut faire',
  'How it is known; kept with the record': 'D’où on le sait ; gardé avec la fiche',
  'what is billed, in whole francs': 'ce qui est facturé, en francs entiers',
  'who bills': 'qui facture',
  'shown to the payer': 'montré au payeur',
  'account that collects': 'compte qui encaisse',
  'Of the payer': 'Du payeur',
  'Of the payer, in international form': 'Du payeur, sous forme internationale',
  'Who pays the fees': 'Qui paie les frais',
  'true: the service sends SMS and e-mail itself, and the request can never be looked at again':
    'true : le service envoie lui-même SMS et e-mail, et la demande ne peut plus jamais être regardée',
  'The account of the service that is credited': 'Le compte du service qui est crédité',
  'lead on all that is open, so that nothing is done twice':
    'mener à terme tout ce qui est ouvert, sans rien faire deux fois',
  'history is an older copy, and there is no newer one: go on without what it lacks':
    'l’historique est une copie plus ancienne, et il n’y en a pas de plus récente : continuer sans ce qui y manque',
  'with --apply: history is gone for good, so it is not asked what was accepted in the lost time':
    'avec --apply : l’historique est perdu pour de bon, on ne lui demande donc pas ce qui a été accepté pendant le temps perdu',
  'confirm that it was only a long stop; refused where it is known better':
    'confirmer que ce n’était qu’un long arrêt ; refusé si l’on sait que non',
  'the service has moved: accept its new addresses, on Redis itself, with the settings of a process':
    'le service a changé d’adresses : les accepter, sur Redis même, avec les réglages d’un processus',
  '`next` of the page before, or the id of one that waits':
    '`next` de la page précédente, ou l’identifiant de ce qui attend',
  'Only these': 'Seulement ceux-ci',
  'print record and explanation as JSON': 'afficher la fiche et l’explication en JSON',
  'The day, as 2026-11-22. Absent: today': 'Le jour, comme 2026-11-22. Sans cela : aujourd’hui',
  'print a page of HTML, for a printer': 'afficher une page HTML, pour l’imprimante',
  'theirs: transactionId=Transaction,amount=Montant,date=Date':
    'les leurs : transactionId=Transaction,amount=Montant,date=Date',
  'of a workbook; else the first that can be seen': 'd’un classeur ; sinon la première qui est visible',
  'print each one that is left over as JSON': 'afficher chacun de ceux qui restent en JSON',
  'print the limit as JSON': 'afficher le plafond en JSON',
  'What it is called in the audit': 'Son nom dans le journal des actes',
  'What it may do; `admin` implies no other': 'Ce qu’elle permet ; `admin` n’en comprend aucun autre',
  'Only these accounts; absent: all': 'Seulement ces comptes ; sans : tous',
  'Whose it is: two keys of one person are one where another must decide. This or `service`':
    'À qui elle est : deux clés d’une personne n’en font qu’une là où une autre doit décider. Ceci ou `service`',
  'The program that it is for': 'Le programme pour lequel elle est',
  'From when on it is none. Absent: until it is revoked':
    'À partir de quand elle ne vaut plus. Sans cela : jusqu’à sa révocation',
  'Only events of these types; absent: all': 'Seulement les événements de ces types ; sans cela : tous',
  'From when on': 'À partir de quand',
  'Only this one, by its id, as `deliveries` tells it': 'Seulement celui-ci, par son id, tel que `deliveries` le dit',
  'With `succeeded`: what the service calls it, so that its statement fits (`relais reconcile`)':
    'Avec `succeeded` : le nom que le service lui donne, pour que son relevé concorde (`relais reconcile`)',
  'what became of it, or what is to be done': 'ce qu’il en est advenu, ou ce qu’il faut faire',
  'how it is known; kept with the record': 'd’où on le sait ; gardé avec la fiche',
  'with succeeded: what the service calls it, so that its statement fits':
    'avec succeeded : le nom que le service lui donne, pour que son relevé concorde',
  'all that have this, such as reason=restored; also account, withdrawMode, batch, createdFrom, createdTo, amountMin, amountMax. Without --confirm it only tells which':
    'tous ceux qui ont ceci, comme reason=restored ; aussi account, withdrawMode, batch, createdFrom, createdTo, ' +
    'amountMin, amountMax. Sans --confirm, dit seulement lesquels',
  'as it was told: decides exactly these': 'tel qu’il a été dit : tranche exactement ceux-ci',
  'do not ask on a terminal about one': 'ne rien demander sur un terminal pour un seul',
  'Seen at this time, or later': 'Vu à cette heure, ou plus tard',
  'Seen at this time, or before': 'Vu à cette heure, ou avant',
  'go on with those to come': 'continuer avec ceux qui viendront',
  'go on after this place; the command says it when it ends':
    'continuer après cet endroit ; la commande le dit quand elle finit',
  'at most so many': 'au plus ce nombre',
  'the same: events always are JSON lines': 'la même chose : les événements sont toujours des lignes JSON',
};
