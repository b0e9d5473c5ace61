/**
 * Phrases déclarées en anglais avec un état, une raison ou une réponse du prestataire. A changed English sentence
 * needs its French here: a test checks this.
 */
export const frenchTold: Readonly<Record<string, string>> = {
  // Ce qu’il faut faire.
  'Nothing is to be done.': 'Il n’y a rien à faire.',
  'Nothing is to be done: it goes on by itself.': 'Il n’y a rien à faire : la suite vient d’elle-même.',
  'Nothing is to be done: it goes on by itself then.':
    'Il n’y a rien à faire : la suite vient d’elle-même à ce moment.',
  'Nothing is to be done: it is tried again.': 'Il n’y a rien à faire : une nouvelle tentative suit.',
  'Nothing is to be done: it is sent again, later each time.':
    'Il n’y a rien à faire : il est renvoyé, chaque fois un peu plus tard.',
  'Nothing is to be done: it goes on by itself. To send all the same: PATCH /v1/campaigns/{id} {"quietHours": false}.':
    'Il n’y a rien à faire : la suite vient d’elle-même. Pour envoyer quand même : PATCH /v1/campaigns/{id} {"quietHours": false}.',
  'Mend the request and send it again under another reference.':
    'Corrigez la demande et renvoyez-la sous une autre référence.',
  'Check our keys and settings: relais doctor.': 'Vérifiez nos clés et nos réglages : relais doctor.',
  'Let the payer try again.': 'Laissez le payeur réessayer.',
  'Compare with the dashboard of the service, then resolve it.':
    'Comparez avec le tableau de bord du service, puis tranchez.',
  'Send it again under another reference.': 'Renvoyez-le sous une autre référence.',
  'Ask the service about the token, then resolve it.': 'Interrogez le service sur ce jeton, puis tranchez.',
  'Ask the service about it, then resolve it.': 'Interrogez le service à ce sujet, puis tranchez.',

  // États.
  'It waits for the approval of a different person (four-eyes); nothing was sent.':
    'En attente de l’approbation d’une autre personne ; rien n’est parti.',
  'A different person approves it: relais disburse approve {id}':
    'À faire approuver par une autre personne : relais disburse approve {id}',
  'It is accepted and waits for its turn; nothing was sent.': 'Accepté, il attend son tour ; rien n’est parti.',
  'It waits for a condition to clear; nothing was sent.':
    'Retenu jusqu’à ce qu’une condition soit levée ; rien n’est parti.',
  'The service gave a token for it; the payment itself was not sent yet.':
    'Le service a donné un jeton ; le paiement lui-même n’est pas encore parti.',
  'The payment is being sent at this moment, or was when a worker died.':
    'Le paiement est en train de partir, ou l’était quand un processus s’est arrêté net.',
  'The payment may or may not have been made; the service is being asked.':
    'Le paiement a peut-être été fait, et peut-être pas ; le service est interrogé.',
  'The service took it and is working on it.': 'Le service l’a accepté et le traite.',
  'It cannot be settled without a person.': 'Une personne doit trancher.',
  'See the evidence, ask the service, then resolve it: relais review resolve {id}':
    'Voyez les éléments, interrogez le service, puis tranchez : relais review resolve {id}',
  'The beneficiary was paid; the provider confirmed it.': 'Le bénéficiaire a été payé ; le prestataire l’a confirmé.',
  'The beneficiary was not paid; the service said twice that it failed.':
    'Le bénéficiaire n’a pas été payé ; le service a dit deux fois que c’est un échec.',
  'A new payment is a new disbursement with another reference.':
    'Un nouveau paiement est un nouveau décaissement, avec une autre référence.',
  'The beneficiary was paid, and the service says that the money came back afterwards.':
    'Le bénéficiaire a été payé, et le service dit que l’argent est revenu ensuite.',
  'Compare with the dashboard of the service. A new payment is a new disbursement with another reference.':
    'Comparez avec le tableau de bord du service. Un nouveau paiement est un nouveau décaissement, avec une autre référence.',
  'It was never submitted, so nobody was paid.': 'Il n’a jamais été transmis : personne n’a été payé.',
  'Mend the cause and send it again under another reference.':
    'Remédiez à la cause et renvoyez-le sous une autre référence.',
  'It was cancelled before anything was paid.': 'Annulé avant tout paiement.',
  'It is being sent at this moment, or was when a worker died.':
    'Il est en train de partir, ou l’était quand un processus s’est arrêté net.',
  'It may or may not have been sent; the statistics of the service are asked.':
    'Il est peut-être parti, et peut-être pas ; les statistiques du service sont demandées.',
  'The service took it; whether a telephone received it is not told.':
    'Le service l’a accepté ; il ne dit pas si un téléphone l’a reçu.',
  'The service refused it; it was not sent.': 'Le service l’a refusé ; il n’est pas parti.',
  'It was left out; nothing was sent.': 'Écarté ; rien n’est parti.',
  'Its time was over before it was sent; nothing was sent.': 'Son délai est passé avant l’envoi ; rien n’est parti.',
  'If it is still wanted, send it again with a later expiresAt.':
    'S’il est encore utile, renvoyez-le avec un expiresAt plus tardif.',
  'It was cancelled before it was sent.': 'Annulé avant l’envoi.',
  'It has no recipients yet.': 'Elle n’a pas encore de destinataires.',
  'Upload recipients: POST /v1/campaigns/{id}/recipients':
    'Ajoutez les destinataires : POST /v1/campaigns/{id}/recipients',
  'It has its recipients and was not started; nothing was sent.':
    'Elle a ses destinataires et n’est pas démarrée ; rien n’est parti.',
  'Start it: relais campaign start {id}': 'Démarrez-la : relais campaign start {id}',
  'It is above CAMPAIGN_APPROVAL_ABOVE and waits for the approval of a different person (four-eyes); nothing more is sent.':
    'Elle dépasse CAMPAIGN_APPROVAL_ABOVE et attend l’approbation d’une autre personne ; plus rien ne part.',
  'A different person approves it, with the contentHash that relais campaign show {id} shows: relais campaign approve {id} --hash HASH':
    'À faire approuver par une autre personne, avec l’empreinte (contentHash) que montre relais campaign show {id} : relais campaign approve {id} --hash EMPREINTE',
  'A different person approves it, with the hash that relais disburse batch-show {id} shows: relais disburse approve {id} --hash HASH':
    'À faire approuver par une autre personne, avec l’empreinte que montre relais disburse batch-show {id} : relais disburse approve {id} --hash EMPREINTE',
  'It starts by itself at its time; nothing was sent.': 'Elle démarre d’elle-même à son heure ; rien n’est parti.',
  'It is being sent.': 'L’envoi est en cours.',
  'It is paused; what was sent stays sent.': 'Elle est en pause ; ce qui est parti reste parti.',
  'Go on with it: relais campaign resume {id}': 'Reprenez-la : relais campaign resume {id}',
  'It waits until somebody has mended what stopped it and says so, or until that has cleared by itself.':
    'Elle attend que quelqu’un remédie à ce qui l’a arrêtée et le dise, ou que cela se règle de soi-même.',
  'Mend the cause, then go on with it: relais campaign resume {id}':
    'Remédiez à la cause, puis reprenez-la : relais campaign resume {id}',
  'Every recipient is accounted for.': 'On sait ce qu’est devenu chaque destinataire.',
  'It was cancelled; what was sent stays sent.': 'Elle est annulée ; ce qui est parti reste parti.',
  'Something is wrong with the file, so nothing of it is paid.':
    'Quelque chose ne va pas dans le fichier : rien n’en est payé.',
  'Mend the file and upload it again.': 'Corrigez le fichier et déposez-le de nouveau.',
  'It waits for the approval of a different person (four-eyes); nothing was paid.':
    'En attente de l’approbation d’une autre personne ; rien n’est payé.',
  'It was approved, and its rows are being paid.': 'Approuvé ; le paiement de ses lignes est en cours.',
  'A person must say whether the rows that were not accepted yet may be paid.':
    'Une personne doit dire si les lignes pas encore acceptées peuvent être payées.',
  'Every payment has a final status, or needs review.':
    'Chaque paiement a un statut final, ou demande une vérification.',
  'It was called off; rows that were accepted before go on by themselves.':
    'Il a été abandonné ; les lignes déjà acceptées vont à leur terme.',
  'Nobody approved it in time, so nothing of it is paid.': 'Personne ne l’a approuvé à temps : rien n’en est payé.',
  'Upload it again under another Idempotency-Key.': 'Déposez-le de nouveau sous une autre Idempotency-Key.',
  'The service is being asked for it, or was when a process died.':
    'La demande au service est en cours, ou l’était quand un processus s’est arrêté net.',
  'It waits for the payer.': 'En attente du payeur.',
  'It was paid; the service confirmed it.': 'Payée ; le service l’a confirmé.',
  'The payer, or time, called it off.': 'Le payeur y a renoncé, ou le délai est passé.',
  'It was not paid.': 'Non payée.',
  'It waits for the customer.': 'En attente du client.',
  'It was sent, or is being sent at this moment, and no answer has come.':
    'Parti, ou en train de partir, et aucune réponse n’est venue.',
  'It may have been credited, and nothing can be asked about it.':
    'Le crédit a peut-être été fait, et rien ne permet de le demander.',
  'Look in the dashboard of the service, then resolve it: relais direct-credit resolve {id}':
    'Regardez dans le tableau de bord du service, puis tranchez : relais direct-credit resolve {id}',
  'It was credited.': 'Le crédit est fait.',
  'It was refused, so nothing was credited.': 'Refusé : rien n’a été crédité.',
  'It was not credited.': 'Le crédit n’a pas été fait.',

  // Erreurs entre relais et le prestataire.
};
