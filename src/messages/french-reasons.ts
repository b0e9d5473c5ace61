/** Les raisons d’une fiche, d’une ligne de journal ou d’un compte, phrase par phrase; see `french-told.ts`. */
export const frenchReasons: Readonly<Record<string, string>> = {
  // Ce qu’une opération ou son compte attend.
  'the balance did not suffice': 'le solde ne suffisait pas',
  'Top up the balance. Disbursements then continue by themselves; for SMS, run relais account release NAME.':
    'Rechargez le solde. Les décaissements reprennent d’eux-mêmes ; les SMS reprennent après relais account release NOM.',
  'its SMS have used up SMS_BUDGET_DAY or SMS_BUDGET_MONTH':
    'ses SMS ont coûté tout ce que SMS_BUDGET_DAY ou SMS_BUDGET_MONTH permet',
  'It continues in the next period. To raise the budget, two approvers run: relais limits set SMS_BUDGET_DAY XOF.':
    'La suite vient à la prochaine période ; ou faites-le relever par deux personnes avec le rôle approve : relais limits set SMS_BUDGET_DAY XOF.',
  'the provider could not reach our callback address': 'le prestataire n’a pas pu joindre notre adresse de rappel',
  'Check PUBLIC_URL and the webhooks listener (relais doctor); relais then continues by itself.':
    'Vérifiez PUBLIC_URL et le serveur des rappels (relais doctor) ; la suite vient d’elle-même.',
  'the balance did not suffice, or our callback address could not be reached; the provider did not say which':
    'le solde ne suffisait pas, ou notre adresse de rappel n’a pas pu être jointe ; le prestataire n’a pas dit lequel des deux',
  'Check the balance and PUBLIC_URL (relais doctor); relais then continues by itself.':
    'Vérifiez le solde et PUBLIC_URL (relais doctor) ; la suite vient d’elle-même.',
  'the provider refused our keys for this': 'le prestataire a refusé nos clés pour cela',
  'Check the keys (relais doctor), and that the option is enabled in the application; relais then continues by itself.':
    'Vérifiez les clés (relais doctor), et que l’option est activée dans l’application ; la suite vient d’elle-même.',
  'fresh SMS tokens were refused twice within a minute: another system may be using the same login, and each login ends the other one':
    'des jetons SMS neufs ont été refusés deux fois en une minute : un autre système utilise peut-être le même accès, et chaque connexion met fin à l’autre',
  'Use these SMS keys in one deployment only, or ask the provider for others; relais tries again by itself.':
    'Qu’un seul déploiement utilise ces clés SMS, ou demandez-en d’autres au prestataire ; une nouvelle tentative suit d’elle-même.',
  'the provider is under maintenance': 'le prestataire est en maintenance',
  'the answers of the provider cannot be read': 'les réponses du prestataire sont illisibles',
  'Show the answer to the provider. When its answers are valid again: relais account release NAME.':
    'Montrez au prestataire la réponse reçue. Quand il répond bien à nouveau : relais account release NAME.',
  'several disbursements in a row were refused with codes that the interface does not list':
    'plusieurs décaissements de suite ont été refusés dans des termes que l’interface n’a pas',
  'Check that SERVICE_BASE_URL is the address of the provider (relais doctor), and ask the provider; relais then continues by itself.':
    'Voyez si SERVICE_BASE_URL mène bien au prestataire (relais doctor), et interrogez-le ; la suite vient d’elle-même.',
  'an operator stopped the account': 'une personne a arrêté le compte',
  'To resume the account: relais account release NAME.':
    'Libérez-le quand il peut reprendre : relais account release NOM.',
  'PostgreSQL may have lost data, so nothing is sent until an operator decides':
    'PostgreSQL a peut-être perdu des données : rien ne part avant qu’une personne ne décide',
  'Review the pending operations and decide: relais recover.':
    'Voyez ce qui est ouvert, et décidez : relais recover.',
  'no witness knows this ledger, which may be an old backup, so nothing is sent that could be sent twice':
    'aucun témoin ne connaît ce registre, qui est peut-être une copie plus ancienne : rien ne part qui pourrait partir deux fois',
  'If the ledger is not an old backup, confirm it: relais recover --nothing-was-lost. WITNESS=none needs no witness.':
    'Si ce n’est pas une copie plus ancienne, confirmez-le : relais recover --nothing-was-lost. WITNESS=none ne demande aucun témoin.',
  'the clock of PostgreSQL was set, so nothing is sent for a while':
    'l’horloge de PostgreSQL a été réglée : rien ne part pendant un moment',
  'PostgreSQL or Redis was away during the attempt, and the result of the attempt was written later':
    'PostgreSQL ou Redis était injoignable pendant la tentative, et son résultat a été écrit plus tard',
  'there is no address at which the provider could call us back':
    'il n’y a pas d’adresse où le prestataire puisse nous rappeler',
  'Set PUBLIC_URL and CALLBACK_SECRET for every worker; relais then continues by itself.':
    'Réglez PUBLIC_URL et CALLBACK_SECRET pour chaque processus worker ; la suite vient d’elle-même.',
  'the worker has no keys of this account': 'le processus qui a regardé n’a pas les clés de ce compte',
  'Configure the account in every worker (SERVICE_… and SMS_… for main, ACCOUNTS_FILE for others); relais then continues by itself.':
    'Donnez le compte à chaque processus worker (SERVICE_… et SMS_… pour main, ACCOUNTS_FILE pour les autres) ; la suite vient d’elle-même.',
  'the operation began with other keys or in another mode than those of this worker':
    'elle a été commencée avec d’autres clés, ou dans un autre mode, que ceux du processus qui a regardé',
  'Configure a worker with the keys of its start; relais never finishes an operation with other keys.':
    'Donnez à un processus worker les clés du début ; une opération n’est jamais terminée avec d’autres.',
  'it was accepted for other keys than those of this worker, and nothing was sent yet':
    'elle a été acceptée pour d’autres clés que celles du processus qui a regardé, et rien n’est encore parti',
  'Were the keys changed in the same application? Configure the fingerprint of the old keys in every worker (SERVICE_KEYS_BEFORE; keysBefore in ACCOUNTS_FILE); relais then continues by itself.':
    'Les clés ont-elles changé dans la même application ? Donnez à chaque processus worker l’empreinte des anciennes ' +
    '(SERVICE_KEYS_BEFORE ; keysBefore dans ACCOUNTS_FILE) : la suite vient alors d’elle-même.',
  'its queue is paused': 'sa file est en pause',
  'To resume the queue: relais queues resume NAME.':
    'Reprenez-la quand cela peut continuer : relais queues resume NOM.',
  'it has been due for more than a minute and no worker has taken it':
    'c’est dû depuis plus d’une minute et aucun processus ne l’a pris',
  'Is a worker running, with this queue? relais run --roles worker':
    'Un processus worker tourne-t-il, avec cette file ? relais run --roles worker',
  'the current time is in the quiet hours': 'c’est une heure à laquelle il a été demandé de ne rien envoyer',
  'too many of the last recipients failed': 'trop d’échecs parmi les derniers destinataires',
  'See the reasons: relais campaign report ID --state failed. Fix the cause, then resume: relais campaign resume ID.':
    'Voyez pourquoi : relais campaign report ID --state failed. Remédiez-y, puis reprenez : relais campaign resume ID.',
  'all recipients of the first part failed, so the rest was not sent':
    'échec pour tous les premiers destinataires : le reste n’est pas parti',
  'a process remembers records that this PostgreSQL does not have, so data was lost':
    'un processus se souvient de ce que ce PostgreSQL ne sait pas : des données ont été perdues',
  'Run: relais recover': 'Voyez relais recover.',
  'a witness remembers records that this PostgreSQL does not have, so data was lost':
    'un témoin se souvient de ce que ce PostgreSQL ne sait pas : des données ont été perdues',
  'this PostgreSQL was restored from a backup': 'ce PostgreSQL est la copie d’un autre',
  'Run: relais recover. If nothing was lost, two persons run: relais recover --nothing-was-lost.':
    'Voyez relais recover. Si rien n’a été perdu : relais recover --nothing-was-lost, par deux personnes.',
  'a person resolved it as never paid and still wanted':
    'une personne qui sait que ce n’a jamais été payé l’a laissé continuer',
  'PostgreSQL was restored from a backup, and the current status is not known':
    'PostgreSQL a été ramené à un état antérieur et ne sait pas la suite',
  'It may have been sent, paid or cancelled since: check the dashboard of the provider, then resolve it. For a campaign: relais campaign resume ID. A batch needs another approval.':
    'C’est peut-être parti, payé ou abandonné depuis : regardez dans le tableau de bord du prestataire, puis statuez. ' +
    'Une campagne reprend par relais campaign resume ID, un lot de paiements quand il est approuvé une nouvelle fois.',
  'too many of the last recipients are in doubt: the answers of the provider were lost or unclear':
    'trop d’incertains parmi les derniers destinataires : les réponses du prestataire se sont perdues, ou n’étaient pas claires',
  'relais continues by itself if the statistics show that most SMS were sent. If not: relais campaign report ID --state unknown, then relais campaign resume ID.':
    'La suite vient d’elle-même si la plupart des SMS sont partis, d’après les statistiques. Sinon : ' +
    'relais campaign report ID --state unknown dit qui ; puis reprenez : relais campaign resume ID.',
  'it is not known whether the first recipients got the SMS, so the rest was not sent':
    'impossible de dire si les premiers destinataires l’ont reçu : le reste n’est pas parti',
  'Ask one of these recipients: relais campaign report ID --state unknown. Then resume: relais campaign resume ID.':
    'Demandez à l’un d’eux : relais campaign report ID --state unknown. Puis reprenez : relais campaign resume ID.',
  'the first recipients got the SMS with another sender ID, so the rest was not sent':
    'les premiers destinataires ont reçu leur SMS avec un autre nom d’expéditeur : le reste n’est pas parti',
  'Have the sender ID configured on the messaging account, then resume: relais campaign resume ID.':
    'Faites configurer le nom d’expéditeur sur le compte SMS, puis reprenez : relais campaign resume ID.',
  'an SMS was sent with another sender ID, and the campaign requires its own':
    'un SMS est parti avec un autre nom d’expéditeur, et la campagne tient au sien',
  'the personal data of the recipient was erased before the SMS was sent':
    'les données personnelles du destinataire ont été effacées avant l’envoi du SMS',
  'a request was refused because of another recipient, and this SMS goes alone':
    'une requête a été refusée à cause d’un autre destinataire, et ce SMS part seul',
  'the recipient opted out of SMS': 'la personne ne veut pas recevoir de SMS',
  'its campaign has reached its maximum pace': 'sa campagne n’envoie pas plus vite que demandé',
  'UPSTREAM_RATE is used up for this second, or the provider asked us to slow down':
    'UPSTREAM_RATE est atteint pour cette seconde, ou le prestataire a demandé de ralentir',

  // Comment un décaissement s’est terminé, ou pourquoi une personne doit regarder.
  'it could not be submitted within DISBURSEMENT_LIMIT':
    'il n’a pas pu être transmis dans le délai DISBURSEMENT_LIMIT',
  'the caller cancelled it': 'le demandeur l’a annulé',
  'a different person rejected it': 'une autre personne a refusé de l’approuver',
  'Correct the request and send it again under another reference.':
    'Corrigez la demande et renvoyez-la sous une autre référence.',
  'the provider already knew our disburse_id: an earlier attempt, perhaps before a data loss, may have paid':
    'le prestataire connaissait déjà notre disburse_id : un envoi précédent, peut-être perdu avec des données, a pu payer',
  'Find the disburse_id in the dashboard of the provider, then resolve it.':
    'Cherchez le disburse_id dans le tableau de bord du prestataire, puis statuez.',
  'the provider reported twice that the payment was never executed, and DISBURSEMENT_RESUBMIT=strict forbids a second attempt':
    'le prestataire dit deux fois que le paiement n’a jamais été exécuté, et DISBURSEMENT_RESUBMIT=strict interdit un second envoi',
  'Resolve it with `resubmit` or `cancelled`.': 'Statuez par `resubmit` ou `cancelled`.',
  'it was sent three times and never executed': 'il a été transmis trois fois et jamais exécuté',
  'the provider reports a final status without our disburse_id, so it may be about another payment':
    'le prestataire dit que c’est terminé, mais ne nomme pas notre disburse_id : il parle peut-être d’un autre paiement',
  'the provider reports a final status without our disburse_id':
    'le prestataire dit que c’est terminé, mais ne nomme pas notre disburse_id',
  'the provider reported a failure; relais waits for a second report':
    'le prestataire dit que c’est un échec, ce qui compte quand il le dit deux fois',
  'the provider reported a return of the money; relais waits for a second report':
    'le prestataire dit que l’argent est revenu, ce qui compte quand il le dit deux fois',
  'the status was contradicted, and the provider now confirms it; relais waits for a second report':
    'quelque chose a contredit ce qui a été annoncé, et le prestataire le dit de nouveau, ce qui compte quand il le dit deux fois',
  'the provider reported another status than before; relais waits for a second report':
    'le prestataire dit autre chose que ce qui a été annoncé, ce qui compte quand il le dit deux fois',
  'the provider no longer confirms the final status and reports no other one':
    'le prestataire ne confirme plus comment cela s’est terminé, et n’a pas d’autre dernier mot qui compte',
  'Do not pay it again: compare with the dashboard of the provider, then resolve it.':
    'Ne payez pas de nouveau : comparez avec le tableau de bord du prestataire, puis statuez.',
  'it was paid after a reported failure; callers got both events':
    'il a été payé, alors qu’un échec avait été annoncé ; cela a été dit aussi',
  'the provider returned a token of another operation, so nothing was sent':
    'le prestataire lui a donné un jeton déjà donné à une autre opération : rien n’est parti',
  'Report it to the provider, then resolve it as `cancelled` (a payment request as `failed`), and request it again under another reference.':
    'Dites-le au prestataire, puis statuez par `cancelled` (une demande de paiement par `failed`), et redemandez sous une autre référence.',
  'the provider returned a transaction of another operation, so one of the two may not have been paid':
    'le prestataire nomme une transaction déjà donnée à une autre opération : l’un des deux n’a peut-être pas été payé',
  'the answer of the provider has a value that cannot be stored; the evidence shows the rest':
    'la réponse du prestataire contient une valeur qui ne peut être enregistrée ; les traces montrent le reste',
  'its token is older than a day': 'son jeton a plus d’un jour',
  'the provider gave no final status within the time limit':
    'le prestataire n’a pas donné de statut final dans le délai prévu',
  'relais keeps asking the provider where possible, and a late final status still counts. Or ask the provider and resolve it.':
    'Il est encore vérifié là où le prestataire peut être interrogé, et un statut final tardif compte encore ; ou interrogez le prestataire et statuez.',
  'the provider reports another amount': 'le prestataire nomme un autre montant que celui demandé',
  'the provider answered about another token': 'le prestataire a répondu pour un autre jeton',
  'the provider answered without naming the payment': 'le prestataire a répondu sans nommer le paiement',
  'the provider reports another disburse_id': 'le prestataire nomme un autre disburse_id',
  'the provider reports an unreadable amount': 'le prestataire nomme un montant illisible',
  'the provider does not know the withdraw mode': 'le prestataire ne connaît pas ce mode de retrait',
  'Send it again with another withdrawMode, under another reference.':
    'Renvoyez-le avec un autre withdrawMode, sous une autre référence.',

  // Factures, demandes de paiement, crédits directs, fichiers, livraisons d’événements.
  'the provider gave no invoice or request for it in time':
    'le prestataire n’a pas donné de facture ou de demande à temps',
  'Request it again under another reference.': 'Redemandez-la sous une autre référence.',
  'it could not be sent in time': 'il n’a pas pu partir à temps',
  'the provider no longer knows the operation': 'le prestataire ne le connaît plus',
  'the provider answered in another mode, test or live, than that of the request':
    'le prestataire a répondu dans un autre mode, test ou réel, que celui de sa création',
  'the provider gave no reference, so its status cannot be asked':
    'le prestataire n’a pas donné de référence à interroger : personne ne peut le suivre',
  'Check the dashboard of the provider.': 'Surveillez-le dans le tableau de bord.',
  'the provider reports the same status as before': 'le prestataire dit ce qui est déjà connu',
  'it was paid after a final status was reported; callers got both events':
    'elle a été payée après l’annonce de sa fin, et cela a été dit aussi',
  'the provider confirmed it after a worker had given up':
    'le prestataire l’a confirmé après qu’un processus y avait renoncé',
  'rows of the batch are in progress': 'des lignes du fichier sont en cours',
  'the lease ended, and another worker may have taken it':
    'cela a duré si longtemps qu’un autre processus s’en occupe peut-être',
  'the endpoint refused events for too long and was disabled':
    'l’adresse a refusé les événements si longtemps que plus rien n’y est envoyé',
  'Fix the endpoint, then register it again.': 'Réparez-la, puis enregistrez-la de nouveau.',
  'the endpoint accepted the events': 'l’adresse a accepté les événements',
  'the endpoint did not accept an event': 'l’adresse n’a pas accepté un événement',
  'its events are unreadable or no longer stored, and none was sent':
    'ses événements sont illisibles ou ne sont plus gardés, et aucun n’a été envoyé',

  // Ce qu’une tentative dit d’elle-même.
  'the last submit is too recent for the answer `created` to be final':
    'la dernière transmission est si récente que `created` n’est pas encore une réponse',
  'the provider reported that the payment was not executed; relais asks a second time':
    'le prestataire a dit une fois que le paiement n’a pas été exécuté ; il est interrogé de nouveau avant d’être cru',
  'the provider accepted the submit; relais now asks for its status':
    'le prestataire a accepté la transmission ; il est désormais interrogé sur son état',
  'the provider is working on it': 'le prestataire le traite',
  'the provider confirmed it': 'le prestataire l’a confirmé',
  'the provider reported a failure': 'le prestataire a dit que c’est un échec',
  'PostgreSQL did not answer right before the request, so the request was not sent':
    'PostgreSQL n’a pas répondu juste avant la demande : elle n’est pas partie',
  'it has a start time that is not reached': 'il ne devait pas être payé avant une certaine heure',
  'the statistics of the provider did not arrive within the time limit':
    'les statistiques du prestataire n’ont pas pu être obtenues dans le délai',
  'Ask the provider which SMS were sent; relais does not send again.':
    'Demandez au prestataire qui a reçu un SMS ; relais ne renvoie pas.',
  'there is no token to ask about': 'il n’y a pas de jeton à interroger',
  'See its record: relais disburse show.': 'Voyez sa fiche : relais disburse show.',
  'a worker died while it was sending, so it may or may not have been sent':
    'un processus s’est arrêté net pendant l’envoi : c’est peut-être parti, et peut-être pas',
  'relais asks the provider where possible. Otherwise, check the dashboard of the provider, then resolve it.':
    'Le prestataire est interrogé là où il peut l’être. Ailleurs, regardez dans son tableau de bord, puis statuez.',
  'the provider answered for a recipient with a code that its interface does not list':
    'le prestataire a répondu pour un destinataire par un code que son interface n’a pas',
  'the provider answered for fewer recipients than the request had':
    'le prestataire a répondu pour moins de destinataires qu’il n’en a reçu',
  'the last check of the statistics is done': 'les statistiques ont été regardées une dernière fois',
  'a part of the request was refused and goes out again in smaller parts':
    'une partie de la demande a été refusée et repart en plus petites parties',
  'two checks did not find the SMS, and `onUnknown: resend` was requested':
    'deux vérifications ne les ont pas trouvés, et `onUnknown: resend` a été demandé',
  'the process stopped before it could send; another worker sends it':
    'son processus allait s’arrêter avant son tour ; un autre l’envoie',
  'its account is held, and the operation waits for the end of the hold':
    'quelque chose est survenu qui retient son compte, et est attendu',
  'the same SMS to the same number is being sent or in doubt, and this one waits':
    'le même SMS au même numéro est en route ou incertain, et est attendu',
  'the payment that it reports has ended otherwise since': 'le paiement qu’il annonce a fini autrement depuis',
  'relais sends to the failed recipients again': 'ceux qui sont en échec repartent',
  'its time limit has passed': 'son délai est passé',
  'the provider answered for every recipient': 'le prestataire a répondu pour chaque destinataire',
  'nothing was sent': 'il est prouvé que rien n’est parti',
  'the next rows of the payment batch were accepted': 'les lignes suivantes du lot de paiements ont été acceptées',
  'another attempt or an operator took it over, so this attempt changed nothing':
    'une autre tentative ou une personne l’a repris : celle-ci n’a rien changé',
  'relais makes no status checks for this kind': 'une opération de ce genre n’est jamais vérifiée ici',
  'another attempt is running': 'une autre tentative s’en occupe',
  'it was already finished': 'c’était déjà terminé',
  'it is now in another queue': 'une autre file s’en occupe maintenant',
  'there is no such record': 'cette fiche n’existe pas',
  'Check DATABASE_URL, DATABASE_SCHEMA and ENVIRONMENT.': 'Vérifiez DATABASE_URL, DATABASE_SCHEMA et ENVIRONMENT.',
  'its record was written by another version of relais': 'sa fiche a été écrite par une autre version de relais',
  'Let a worker of that version, or a newer one, finish it.':
    'Laissez un processus de cette version, ou d’une plus récente, le terminer.',
};
