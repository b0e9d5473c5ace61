/**
 * Phrases déclarées en anglais avec un état, une raison ou une réponse du prestataire. A changed English sentence
 * needs its French here: a test checks this.
 */
export const frenchTold: Readonly<Record<string, string>> = {
  // Ce qu’il faut faire.
  'There is nothing to do.': 'Il n’y a rien à faire.',
  'There is nothing to do: relais continues by itself.': 'Il n’y a rien à faire : la suite vient d’elle-même.',
  'There is nothing to do: relais continues at that time.':
    'Il n’y a rien à faire : la suite vient d’elle-même à ce moment.',
  'There is nothing to do: relais tries again.': 'Il n’y a rien à faire : une nouvelle tentative suit.',
  'There is nothing to do: relais sends it again, with growing delays.':
    'Il n’y a rien à faire : il est renvoyé, chaque fois un peu plus tard.',
  'There is nothing to do: relais continues by itself. To send now: PATCH /v1/campaigns/{id} {"quietHours": false}.':
    'Il n’y a rien à faire : la suite vient d’elle-même. Pour envoyer quand même : PATCH /v1/campaigns/{id} {"quietHours": false}.',
  'Correct the request and send it again under another reference.':
    'Corrigez la demande et renvoyez-la sous une autre référence.',
  'Check our keys and settings: relais doctor.': 'Vérifiez nos clés et nos réglages : relais doctor.',
  'Let the payer try again.': 'Laissez le payeur réessayer.',
  'Compare with the dashboard of the provider, then resolve it.':
    'Comparez avec le tableau de bord du prestataire, puis statuez.',
  'Send it again under another reference.': 'Renvoyez-le sous une autre référence.',
  'Ask the provider about the token, then resolve it.': 'Interrogez le prestataire sur ce jeton, puis statuez.',
  'Ask the provider about it, then resolve it.': 'Interrogez le prestataire à ce sujet, puis statuez.',

  // États.
  'It waits for the approval of a different person (four-eyes); nothing was sent.':
    'En attente de l’approbation d’une autre personne ; rien n’est parti.',
  'A different person approves it: relais disburse approve {id}':
    'À faire approuver par une autre personne : relais disburse approve {id}',
  'It is accepted and waits for its turn; nothing was sent.': 'Accepté, il attend son tour ; rien n’est parti.',
  'It waits for a condition to clear; nothing was sent.':
    'Retenu jusqu’à ce qu’une condition soit levée ; rien n’est parti.',
  'The provider gave a token; the payment itself was not sent yet.':
    'Le prestataire a donné un jeton ; le paiement lui-même n’est pas encore parti.',
  'The payment is being sent at this moment, or was when a worker died.':
    'Le paiement est en train de partir, ou l’était quand un processus s’est arrêté net.',
  'The payment may or may not have been made; the provider is being asked.':
    'Le paiement a peut-être été fait, et peut-être pas ; le prestataire est interrogé.',
  'The provider accepted it and is processing it.': 'Le prestataire l’a accepté et le traite.',
  'A person must decide it.': 'Une personne doit statuer.',
  'See the evidence, ask the provider, then resolve it: relais review resolve {id}':
    'Voyez les éléments, interrogez le prestataire, puis statuez : relais review resolve {id}',
  'The beneficiary was paid; the provider confirmed it.': 'Le bénéficiaire a été payé ; le prestataire l’a confirmé.',
  'The beneficiary was not paid; the provider reported the failure twice.':
    'Le bénéficiaire n’a pas été payé ; le prestataire a indiqué deux fois un échec.',
  'A new payment is a new disbursement with another reference.':
    'Un nouveau paiement est un nouveau décaissement, avec une autre référence.',
  'The beneficiary was paid, and the provider reports that the money came back.':
    'Le bénéficiaire a été payé, et le prestataire indique que l’argent est revenu.',
  'Compare with the dashboard of the provider. A new payment is a new disbursement with another reference.':
    'Comparez avec le tableau de bord du prestataire. Un nouveau paiement est un nouveau décaissement, avec une autre référence.',
  'It was never submitted, so nothing was paid.': 'Il n’a jamais été transmis : personne n’a été payé.',
  'Correct the cause and send it again under another reference.':
    'Remédiez à la cause et renvoyez-le sous une autre référence.',
  'It was cancelled before anything was paid.': 'Annulé avant tout paiement.',
  'It is being sent at this moment, or was when a worker died.':
    'Il est en train de partir, ou l’était quand un processus s’est arrêté net.',
  'It may or may not have been sent; the statistics of the provider are being checked.':
    'Il est peut-être parti, et peut-être pas ; les statistiques du prestataire sont vérifiées.',
  'The provider accepted it; it gives no delivery receipt.':
    'Le prestataire l’a accepté ; il ne donne pas d’accusé de réception.',
  'The provider refused it; it was not sent.': 'Le prestataire l’a refusé ; il n’est pas parti.',
  'It was left out; nothing was sent.': 'Écarté ; rien n’est parti.',
  'It expired before it was sent.': 'Son délai est passé avant l’envoi.',
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
  'Resume it: relais campaign resume {id}': 'Reprenez-la : relais campaign resume {id}',
  'It waits for a condition to clear, or for an operator to resume it.':
    'Elle attend qu’une condition soit levée, ou qu’un opérateur la reprenne.',
  'Correct the cause, then resume it: relais campaign resume {id}':
    'Remédiez à la cause, puis reprenez-la : relais campaign resume {id}',
  'Every recipient has a final status.': 'Chaque destinataire a un statut final.',
  'It was cancelled; what was sent stays sent.': 'Elle est annulée ; ce qui est parti reste parti.',
  'The file has problems, so nothing of it is paid.': 'Le fichier a des erreurs : rien n’en est payé.',
  'Correct the file and upload it again.': 'Corrigez le fichier et déposez-le de nouveau.',
  'It waits for the approval of a different person (four-eyes); nothing was paid.':
    'En attente de l’approbation d’une autre personne ; rien n’est payé.',
  'It was approved, and its rows are being paid.': 'Approuvé ; le paiement de ses lignes est en cours.',
  'A person must decide whether the rows that are not accepted yet can be paid.':
    'Une personne doit décider si les lignes pas encore acceptées peuvent être payées.',
  'Every payment has a final status, or needs review.':
    'Chaque paiement a un statut final, ou demande une vérification.',
  'It was cancelled; payments of rows that were accepted before continue.':
    'Il est annulé ; les paiements des lignes déjà acceptées continuent.',
  'It was not approved in time, so nothing of it is paid.': 'Personne ne l’a approuvé à temps : rien n’en est payé.',
  'Upload it again under another Idempotency-Key.': 'Déposez-le de nouveau sous une autre Idempotency-Key.',
  'It is being requested from the provider, or was when a process died.':
    'La demande au prestataire est en cours, ou l’était quand un processus s’est arrêté net.',
  'It waits for the payer.': 'En attente du payeur.',
  'It was paid; the provider confirmed it.': 'Payée ; le prestataire l’a confirmé.',
  'The payer cancelled it, or it expired.': 'Le payeur l’a annulée, ou le délai est passé.',
  'It was not paid.': 'Non payée.',
  'It waits for the customer.': 'En attente du client.',
  'It was sent, or is being sent at this moment, and no answer has come.':
    'Parti, ou en train de partir, et aucune réponse n’est venue.',
  'It may have been credited, and the provider has no status check for it.':
    'Le crédit a peut-être été fait, et le prestataire ne permet pas de le vérifier.',
  'Look in the dashboard of the provider, then resolve it: relais direct-credit resolve {id}':
    'Regardez dans le tableau de bord du prestataire, puis statuez : relais direct-credit resolve {id}',
  'It was credited.': 'Le crédit est fait.',
  'It was refused, so nothing was credited.': 'Refusé : rien n’a été crédité.',
  'It was not credited.': 'Le crédit n’a pas été fait.',

  // Erreurs entre relais et le prestataire.
};
