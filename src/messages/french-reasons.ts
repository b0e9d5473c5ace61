/** Les raisons d’une fiche, d’une ligne de journal ou d’un compte, phrase par phrase; see `french-told.ts`. */
export const frenchReasons: Readonly<Record<string, string>> = {
  // Ce qu’une opération ou son compte attend.
  'the balance did not suffice': 'le solde ne suffisait pas',
  'Top up the balance. Disbursements go on by themselves; texts go on after relais account release NAME.':
    'Rechargez le solde. Les décaissements reprennent d’eux-mêmes ; les SMS reprennent après relais account release NOM.',
  'its texts have cost as much as SMS_BUDGET_DAY or SMS_BUDGET_MONTH lets them':
    'ses SMS ont coûté tout ce que SMS_BUDGET_DAY ou SMS_BUDGET_MONTH permet',
  'It goes on in the next period; or have two people with the role approve raise it: relais limits set SMS_BUDGET_DAY XOF.':
    'La suite vient à la prochaine période ; ou faites-le relever par deux personnes avec le rôle approve : relais limits set SMS_BUDGET_DAY XOF.',
  'the service could not reach our callback address': 'le service n’a pas pu joindre notre adresse de rappel',
  'Check PUBLIC_URL and the webhooks listener (relais doctor); it goes on by itself.':
    'Vérifiez PUBLIC_URL et le serveur des rappels (relais doctor) ; la suite vient d’elle-même.',
  'the balance did not suffice, or our callback address could not be reached; the service did not say which':
    'le solde ne suffisait pas, ou notre adresse de rappel n’a pas pu être jointe ; le service n’a pas dit lequel des deux',
  'Check the balance and PUBLIC_URL (relais doctor); it goes on by itself.':
    'Vérifiez le solde et PUBLIC_URL (relais doctor) ; la suite vient d’elle-même.',
  'the service refused our keys for this': 'le service a refusé nos clés pour cela',
  'Check the keys (relais doctor), and that the option is enabled in the application; it goes on by itself.':
    'Vérifiez les clés (relais doctor), et que l’option est activée dans l’application ; la suite vient d’elle-même.',
  'fresh SMS tokens were refused twice within a minute: another system may be using the same login, and each login ends the other one':
    'des jetons SMS neufs ont été refusés deux fois en une minute : un autre système utilise peut-être le même accès, et chaque connexion met fin à l’autre',
  'Let one deployment alone use these SMS keys, or ask the service for others; it is tried again by itself.':
    'Qu’un seul déploiement utilise ces clés SMS, ou demandez-en d’autres au service ; une nouvelle tentative suit d’elle-même.',
  'the service is under maintenance': 'le service est en maintenance',
  'the answers of the provider cannot be read': 'les réponses du prestataire sont illisibles',
  'Show the provider the answer that came. When it answers well again: relais account release NAME.':
    'Montrez au prestataire la réponse reçue. Quand il répond bien à nouveau : relais account release NAME.',
  'several disbursements in a row were refused in words that the interface does not have':
    'plusieurs décaissements de suite ont été refusés dans des termes que l’interface n’a pas',
  'See whether SERVICE_BASE_URL leads to the service (relais doctor), and ask the service; it goes on by itself.':
    'Voyez si SERVICE_BASE_URL mène bien au service (relais doctor), et interrogez-le ; la suite vient d’elle-même.',
  'a person has stopped the account': 'une personne a arrêté le compte',
  'Release it when it may go on: relais account release NAME.':
    'Libérez-le quand il peut reprendre : relais account release NOM.',
  'PostgreSQL may have lost data, so nothing is sent until a person decides':
    'PostgreSQL a peut-être perdu des données : rien ne part avant qu’une personne ne décide',
  'See what is open, and decide: relais recover.': 'Voyez ce qui est ouvert, et décidez : relais recover.',
  'no witness knows this ledger, which may be an earlier copy, so nothing is sent that could be sent twice':
    'aucun témoin ne connaît ce registre, qui est peut-être une copie plus ancienne : rien ne part qui pourrait partir deux fois',
  'If it is no earlier copy, confirm it: relais recover --nothing-was-lost. WITNESS=none asks for no witness.':
    'Si ce n’est pas une copie plus ancienne, confirmez-le : relais recover --nothing-was-lost. WITNESS=none ne demande aucun témoin.',
  'the clock of PostgreSQL was set, so nothing is sent for a while':
    'l’horloge de PostgreSQL a été réglée : rien ne part pendant un moment',
  'PostgreSQL or Redis was away during the attempt, and the result of the attempt was written later':
    'PostgreSQL ou Redis était injoignable pendant la tentative, et son résultat a été écrit plus tard',
  'there is no address at which the service could call us back':
    'il n’y a pas d’adresse où le service puisse nous rappeler',
  'Set PUBLIC_URL and CALLBACK_SECRET for every worker; it goes on by itself.':
    'Réglez PUBLIC_URL et CALLBACK_SECRET pour chaque processus worker ; la suite vient d’elle-même.',
  'the process that looked has no keys of this account': 'le processus qui a regardé n’a pas les clés de ce compte',
  'Give every worker the account (SERVICE_… and SMS_… for main, ACCOUNTS_FILE for others); it goes on by itself.':
    'Donnez le compte à chaque processus worker (SERVICE_… et SMS_… pour main, ACCOUNTS_FILE pour les autres) ; la suite vient d’elle-même.',
  'it was begun with other keys, or in another mode, than the process that looked has':
    'elle a été commencée avec d’autres clés, ou dans un autre mode, que ceux du processus qui a regardé',
  'Give a worker the keys it was begun with; an operation is never ended with another set.':
    'Donnez à un processus worker les clés du début ; une opération n’est jamais terminée avec d’autres.',
  'it was accepted for other keys than the process that looked has, and nothing was sent yet':
    'elle a été acceptée pour d’autres clés que celles du processus qui a regardé, et rien n’est encore parti',
  'Were the keys changed in the same application? Give every worker the fingerprint of the old ones (SERVICE_KEYS_BEFORE; keysBefore in ACCOUNTS_FILE): it then goes on by itself.':
    'Les clés ont-elles changé dans la même application ? Donnez à chaque processus worker l’empreinte des anciennes ' +
    '(SERVICE_KEYS_BEFORE ; keysBefore dans ACCOUNTS_FILE) : la suite vient alors d’elle-même.',
  'its queue is paused': 'sa file est en pause',
  'Resume it when it may go on: relais queues resume NAME.':
    'Reprenez-la quand cela peut continuer : relais queues resume NOM.',
  'it has been due for more than a minute and no worker has taken it':
    'c’est dû depuis plus d’une minute et aucun processus ne l’a pris',
  'Is a worker running, with this queue? relais run --roles worker':
    'Un processus worker tourne-t-il, avec cette file ? relais run --roles worker',
  'it is a time at which it was asked to send nothing':
    'c’est une heure à laquelle il a été demandé de ne rien envoyer',
  'too many of the last recipients failed': 'trop d’échecs parmi les derniers destinataires',
  'See why: relais campaign report ID --state failed. Mend it, then go on: relais campaign resume ID.':
    'Voyez pourquoi : relais campaign report ID --state failed. Remédiez-y, puis reprenez : relais campaign resume ID.',
  'all of the recipients that went first have failed, so the rest was not sent':
    'échec pour tous les premiers destinataires : le reste n’est pas parti',
  'a process remembers what this PostgreSQL does not know, so data was lost':
    'un processus se souvient de ce que ce PostgreSQL ne sait pas : des données ont été perdues',
  'See relais recover.': 'Voyez relais recover.',
  'a witness remembers what this PostgreSQL does not know, so data was lost':
    'un témoin se souvient de ce que ce PostgreSQL ne sait pas : des données ont été perdues',
  'this PostgreSQL is a copy of an earlier one': 'ce PostgreSQL est la copie d’un autre',
  'See relais recover. If nothing was lost: relais recover --nothing-was-lost, by two persons.':
    'Voyez relais recover. Si rien n’a été perdu : relais recover --nothing-was-lost, par deux personnes.',
  'a person who knows that it was never paid has let it go on':
    'une personne qui sait que ce n’a jamais été payé l’a laissé continuer',
  'PostgreSQL was restored to an earlier point and does not know what became of it since':
    'PostgreSQL a été ramené à un état antérieur et ne sait pas la suite',
  'It may have been sent, paid or called off since: look in the dashboard of the service, then resolve it. A campaign goes on with relais campaign resume ID, a batch when it is approved once more.':
    'C’est peut-être parti, payé ou abandonné depuis : regardez dans le tableau de bord du service, puis tranchez. ' +
    'Une campagne reprend par relais campaign resume ID, un fichier de paiements quand il est approuvé une nouvelle fois.',
  'too many of the last recipients are in doubt: the answers of the service got lost, or were unclear':
    'trop d’incertains parmi les derniers destinataires : les réponses du service se sont perdues, ou n’étaient pas claires',
  'It goes on by itself if the statistics show that most were sent to. Else see who: relais campaign report ID --state unknown; then go on: relais campaign resume ID.':
    'La suite vient d’elle-même si la plupart des SMS sont partis, d’après les statistiques. Sinon : ' +
    'relais campaign report ID --state unknown dit qui ; puis reprenez : relais campaign resume ID.',
  'nobody can say whether the recipients that went first got it, so the rest was not sent':
    'impossible de dire si les premiers destinataires l’ont reçu : le reste n’est pas parti',
  'Ask one of them: relais campaign report ID --state unknown. Then go on: relais campaign resume ID.':
    'Demandez à l’un d’eux : relais campaign report ID --state unknown. Puis reprenez : relais campaign resume ID.',
  'the recipients that went first got their text under another sender than was asked, so the rest was not sent':
    'les premiers destinataires ont reçu leur SMS sous un autre expéditeur que demandé : le reste n’est pas parti',
  'Have the sender configured on the messaging account, then go on: relais campaign resume ID.':
    'Faites configurer l’expéditeur sur le compte SMS, puis reprenez : relais campaign resume ID.',
  'a text went out under another sender than was asked, and the campaign insists on its own':
    'un SMS est parti sous un autre expéditeur que demandé, et la campagne tient au sien',
  'the personal data of the recipient was erased before the SMS was sent':
    'les données personnelles du destinataire ont été effacées avant l’envoi du SMS',
  'a request was refused because of another recipient, and this SMS goes alone':
    'une requête a été refusée à cause d’un autre destinataire, et ce SMS part seul',
  'the person does not want to be texted': 'la personne ne veut pas recevoir de SMS',
  'its campaign sends no faster than it was asked to': 'sa campagne n’envoie pas plus vite que demandé',
  'UPSTREAM_RATE is used up for this second, or the service asked us to slow down':
    'UPSTREAM_RATE est atteint pour cette seconde, ou le service a demandé de ralentir',

  // Comment un décaissement s’est terminé, ou pourquoi une personne doit regarder.
  'it could not be submitted within DISBURSEMENT_LIMIT':
    'il n’a pas pu être transmis dans le délai DISBURSEMENT_LIMIT',
  'the caller cancelled it': 'le demandeur l’a annulé',
  'a different person refused to approve it': 'une autre personne a refusé de l’approuver',
  'Correct the request and send it again under another reference.':
    'Corrigez la demande et renvoyez-la sous une autre référence.',
  'the service knew our disburse_id already: an earlier send, perhaps one that was lost with data, may have paid':
    'le service connaissait déjà notre disburse_id : un envoi précédent, peut-être perdu avec des données, a pu payer',
  'Look for the disburse_id in the dashboard of the service, then resolve it.':
    'Cherchez le disburse_id dans le tableau de bord du service, puis tranchez.',
  'the service says twice that the payment was never executed, and DISBURSEMENT_RESUBMIT=strict forbids a second send':
    'le service dit deux fois que le paiement n’a jamais été exécuté, et DISBURSEMENT_RESUBMIT=strict interdit un second envoi',
  'Resolve it with `resubmit` or `cancelled`.': 'Tranchez par `resubmit` ou `cancelled`.',
  'it was sent three times and never executed': 'il a été transmis trois fois et jamais exécuté',
  'the service says that it has ended, but does not name our disburse_id, so its word may be about another payment':
    'le service dit que c’est terminé, mais ne nomme pas notre disburse_id : il parle peut-être d’un autre paiement',
  'the service says that it has ended, but does not name our disburse_id':
    'le service dit que c’est terminé, mais ne nomme pas notre disburse_id',
  'the service says that it failed, which counts when it is said twice':
    'le service dit que c’est un échec, ce qui compte quand il le dit deux fois',
  'the service says that the money came back, which counts when it is said twice':
    'le service dit que l’argent est revenu, ce qui compte quand il le dit deux fois',
  'something spoke against what was told, and the service says that again, which counts when it is said twice':
    'quelque chose a contredit ce qui a été annoncé, et le service le dit de nouveau, ce qui compte quand il le dit deux fois',
  'the service says otherwise than was told, which counts when it is said twice':
    'le service dit autre chose que ce qui a été annoncé, ce qui compte quand il le dit deux fois',
  'the service no longer stands by how it ended, and has no other last word that counts':
    'le service ne confirme plus comment cela s’est terminé, et n’a pas d’autre dernier mot qui compte',
  'Do not pay it again: compare with the dashboard of the service, then resolve it.':
    'Ne payez pas de nouveau : comparez avec le tableau de bord du service, puis tranchez.',
  'it was paid, although it had been told to have failed; that was told too':
    'il a été payé, alors qu’un échec avait été annoncé ; cela a été dit aussi',
  'the service gave it a token that another operation was given before, so nothing was sent':
    'le service lui a donné un jeton déjà donné à une autre opération : rien n’est parti',
  'Tell the service, then resolve it as `cancelled` (a payment request as `failed`), and ask again under another reference.':
    'Dites-le au service, puis tranchez par `cancelled` (une demande de paiement par `failed`), et redemandez sous une autre référence.',
  'the service names a transaction that another operation was told before, so one of the two may not have been paid':
    'le service nomme une transaction déjà donnée à une autre opération : l’un des deux n’a peut-être pas été payé',
  'the answer of the service has a value that cannot be stored; the evidence shows the rest':
    'la réponse du service contient une valeur qui ne peut être enregistrée ; les traces montrent le reste',
  'its token is older than a day': 'son jeton a plus d’un jour',
  'the service has not settled it within its limit of time': 'le service n’a pas tranché dans le délai prévu',
  'It is still looked at where the service can be asked, and a late word settles it; or ask the service and resolve it.':
    'Il est encore vérifié là où le service peut être interrogé, et une réponse tardive tranche ; ou interrogez le service et tranchez.',
  'the service names another amount than was asked for': 'le service nomme un autre montant que celui demandé',
  'the service answered about another token': 'le service a répondu pour un autre jeton',
  'the service answered without naming the payment': 'le service a répondu sans nommer le paiement',
  'the service names another disburse_id': 'le service nomme un autre disburse_id',
  'the service names an amount that cannot be read': 'le service nomme un montant illisible',
  'the service does not know the withdraw mode': 'le service ne connaît pas ce mode de retrait',
  'Send it again with another withdrawMode, under another reference.':
    'Renvoyez-le avec un autre withdrawMode, sous une autre référence.',

  // Factures, demandes de paiement, crédits directs, fichiers, livraisons d’événements.
  'the service gave no invoice or request for it in time':
    'le service n’a pas donné de facture ou de demande à temps',
  'Ask for it again under another reference.': 'Redemandez-la sous une autre référence.',
  'it could not be sent in time': 'il n’a pas pu partir à temps',
  'the service does not know it any more': 'le service ne le connaît plus',
  'the service answered in another mode, test or live, than it was made in':
    'le service a répondu dans un autre mode, test ou réel, que celui de sa création',
  'the service gave no reference to ask about, so nobody can follow it':
    'le service n’a pas donné de référence à interroger : personne ne peut le suivre',
  'Watch for it in the dashboard.': 'Surveillez-le dans le tableau de bord.',
  'the service says what is known already': 'le service dit ce qui est déjà connu',
  'it was paid after its end had been told, and that was told too':
    'elle a été payée après l’annonce de sa fin, et cela a été dit aussi',
  'the service confirmed it after a worker had given it up':
    'le service l’a confirmé après qu’un processus y avait renoncé',
  'rows of the batch are under way': 'des lignes du fichier sont en cours',
  'it took so long that another worker may be at it':
    'cela a duré si longtemps qu’un autre processus s’en occupe peut-être',
  'the endpoint has refused events for so long that no more are sent there':
    'l’adresse a refusé les événements si longtemps que plus rien n’y est envoyé',
  'Mend it, then register it again.': 'Réparez-la, puis enregistrez-la de nouveau.',
  'the endpoint took the events': 'l’adresse a accepté les événements',
  'the endpoint did not take an event': 'l’adresse n’a pas accepté un événement',
  'its events could not be read or are no longer kept, and none was sent':
    'ses événements sont illisibles ou ne sont plus gardés, et aucun n’a été envoyé',

  // Ce qu’une tentative dit d’elle-même.
  'the last submit is so fresh that `created` is no answer about it yet':
    'la dernière transmission est si récente que `created` n’est pas encore une réponse',
  'the service said once that the payment was not executed; it is asked again before it is believed':
    'le service a dit une fois que le paiement n’a pas été exécuté ; il est interrogé de nouveau avant d’être cru',
  'the service took the submit; its status is asked from now on':
    'le service a accepté la transmission ; il est désormais interrogé sur son état',
  'the service is working on it': 'le service le traite',
  'the service confirmed it': 'le service l’a confirmé',
  'the service said that it failed': 'le service a dit que c’est un échec',
  'PostgreSQL did not answer right before the request, so the request was not sent':
    'PostgreSQL n’a pas répondu juste avant la demande : elle n’est pas partie',
  'it was asked not to be paid before a certain time': 'il ne devait pas être payé avant une certaine heure',
  'the statistics of the service could not be had within the time limit':
    'les statistiques du service n’ont pas pu être obtenues dans le délai',
  'Ask the service who was texted; relais does not send again.':
    'Demandez au service qui a reçu un SMS ; relais ne renvoie pas.',
  'there is no token to ask about': 'il n’y a pas de jeton à interroger',
  'See its record: relais disburse show.': 'Voyez sa fiche : relais disburse show.',
  'a worker died while it was sending, so it may or may not have been sent':
    'un processus s’est arrêté net pendant l’envoi : c’est peut-être parti, et peut-être pas',
  'The service is asked where it can be. Where it cannot, look in the dashboard of the service, then resolve it.':
    'Le service est interrogé là où il peut l’être. Ailleurs, regardez dans son tableau de bord, puis tranchez.',
  'the service answered about a recipient with a code that its interface does not have':
    'le service a répondu pour un destinataire par un code que son interface n’a pas',
  'the service answered about fewer recipients than it was sent':
    'le service a répondu pour moins de destinataires qu’il n’en a reçu',
  'the last look at the statistics was made': 'les statistiques ont été regardées une dernière fois',
  'a part of the request was refused and goes out again in smaller parts':
    'une partie de la demande a été refusée et repart en plus petites parties',
  'two looks did not find them, and `onUnknown: resend` was asked for':
    'deux vérifications ne les ont pas trouvés, et `onUnknown: resend` a été demandé',
  'its process was about to stop before its turn to send came; another one sends it':
    'son processus allait s’arrêter avant son tour ; un autre l’envoie',
  'something has come up that holds its account, and is waited for':
    'quelque chose est survenu qui retient son compte, et est attendu',
  'the same text to the same number is on its way or in doubt, and is waited for':
    'le même SMS au même numéro est en route ou incertain, et est attendu',
  'the payment that it reports has ended otherwise since': 'le paiement qu’il annonce a fini autrement depuis',
  'those who failed go out again': 'ceux qui sont en échec repartent',
  'its time was over': 'son délai est passé',
  'the service answered for every recipient': 'le service a répondu pour chaque destinataire',
  'provably nothing was sent': 'il est prouvé que rien n’est parti',
  'the next rows of the payment batch were accepted': 'les lignes suivantes du lot de paiements ont été acceptées',
  'another attempt or a person has taken it over, so this one changed nothing':
    'une autre tentative ou une personne l’a repris : celle-ci n’a rien changé',
  'an operation of this kind is never looked at here': 'une opération de ce genre n’est jamais vérifiée ici',
  'another attempt is at it': 'une autre tentative s’en occupe',
  'it was over already': 'c’était déjà terminé',
  'another queue has it now': 'une autre file s’en occupe maintenant',
  'there is no such record': 'cette fiche n’existe pas',
  'Check DATABASE_URL, DATABASE_SCHEMA and ENVIRONMENT.': 'Vérifiez DATABASE_URL, DATABASE_SCHEMA et ENVIRONMENT.',
  'its record was written by another version of relais': 'sa fiche a été écrite par une autre version de relais',
  'Let a worker of that version, or a newer one, finish it.':
    'Laissez un processus de cette version, ou d’une plus récente, le terminer.',
};
