/**
 * Ce qui est déclaré en anglais avec un état, une raison ou une réponse du service, phrase par phrase. A sentence that
 * is changed there has no French any more until it is changed here too: a test says so.
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

  // Ce qui peut mal tourner entre nous et le service.
  'The service could not be reached.': 'Le service n’a pas pu être joint.',
  'The certificate of the service was not accepted.': 'Le certificat du service n’a pas été accepté.',
  'The request could not be written.': 'La demande n’a pas pu être écrite.',
  'It was too late to send the request.': 'Il était trop tard pour envoyer la demande.',
  'Nothing was sent: this machine was suspended, or its clock was set.':
    "Rien n'a été envoyé : cette machine a été suspendue, ou son horloge modifiée.",
  'The wait was given up.': 'L’attente a été abandonnée.',
  'The connection was being closed.': 'La connexion était en cours de fermeture.',
  'The request was sent and no answer came back.': 'La demande est partie et aucune réponse n’est revenue.',
  'The connection was lost before the whole answer came.':
    'La connexion s’est perdue avant que la réponse entière n’arrive.',
  'The service answered with something unreadable.': 'Le service a répondu par quelque chose d’illisible.',
  'The service failed while handling the request.': 'Le service a échoué en traitant la demande.',
  'The service sends us elsewhere: its address is wrong.':
    'Le service nous renvoie ailleurs : son adresse est fausse.',
  'The service asked us to slow down.': 'Le service a demandé de ralentir.',
  'The service refuses more for now, without saying how long.':
    'Le service refuse d’en prendre plus pour le moment, sans dire jusqu’à quand.',
  'The service did not accept our keys.': 'Le service n’a pas accepté nos clés.',
  'The service, or a machine before it, does not let us do this.':
    'Le service, ou une machine placée devant lui, ne nous permet pas cela.',
  'The service does not know this address: the option may not be enabled.':
    'Le service ne connaît pas cette adresse : l’option n’est peut-être pas activée.',
  'The service refused the request.': 'Le service a refusé la demande.',
  'The service answered with a code that its interface does not list.':
    'Le service a répondu par un code que son interface ne donne pas.',
  'This withdraw mode is not supported.': 'Ce mode de retrait n’est pas pris en charge.',
  'The service does not authorise this application to initiate it.':
    'Le service n’autorise pas cette application à le faire.',
  'Insufficient funds, or the callback address is not reachable.':
    'Solde insuffisant, ou adresse de rappel injoignable.',
  'The service has an error or is under maintenance.': 'Le service a une erreur ou est en maintenance.',
  'The service says that this disburse_id was already used.': 'Le service dit que ce disburse_id a déjà servi.',
  'The service missed one of our keys.': 'Une de nos clés manquait dans la demande.',
  'The application must be in live mode.': 'L’application doit être en mode réel.',
  'The service calls our keys invalid.': 'Selon le service, nos clés ne sont pas valables.',
  'The service does not know what it was asked about.': 'Le service ne connaît pas ce qui lui a été demandé.',
  'The service does not know the user of this balance.': 'Le service ne connaît pas l’utilisateur de ce solde.',
  'The payment was refused.': 'Le paiement a été refusé.',
  'The payer did not validate in time; the invoice decides.':
    'Le payeur n’a pas validé à temps ; c’est la facture qui tranche.',
  'SMS not sent, says the service, without saying which.':
    'Le service dit qu’un SMS n’a pas été envoyé, sans dire lequel.',
  'The SMS balance is insufficient.': 'Le solde SMS est insuffisant.',
  'The SMS balance was not updated.': 'Le solde SMS n’a pas été mis à jour.',
  'The request body is not valid.': 'Le corps de la demande n’est pas valable.',
  'The data of the request body is not valid.': 'Les données de la demande ne sont pas valables.',
  'The type of the request is not valid.': 'Le type de la demande n’est pas valable.',
  'The SMS application key is not valid.': 'La clé d’application SMS n’est pas valable.',
  'The sender is not valid.': 'L’expéditeur n’est pas valable.',
  'No receiver was found.': 'Aucun destinataire n’a été trouvé.',
  'A receiver is not valid.': 'Un destinataire n’est pas valable.',
  'The number of receivers must be 1 to 50.': 'Il faut de 1 à 50 destinataires.',
  'The content of a message is not valid.': 'Le contenu d’un SMS n’est pas valable.',
  'The content of a message is too long.': 'Le contenu d’un SMS est trop long.',
  'The start date is not valid.': 'La date de début n’est pas valable.',
  'The end date is not valid.': 'La date de fin n’est pas valable.',
  'The service failed while processing the SMS.': 'Le service a échoué en traitant le SMS.',
  'The SMS credentials are not valid.': 'Les accès SMS ne sont pas valables.',
  'The SMS credentials were not found.': 'Les accès SMS n’ont pas été trouvés.',
  'The service could not create a token.': 'Le service n’a pas pu créer de jeton.',
  'The SMS user was not found.': 'L’utilisateur SMS n’a pas été trouvé.',
  'The SMS token expired.': 'Le jeton SMS a expiré.',
  'The SMS token is not valid.': 'Le jeton SMS n’est pas valable.',
  'The SMS token was not found.': 'Le jeton SMS n’a pas été trouvé.',
  'The SMS token was logged out.': 'Le jeton SMS a été déconnecté.',
  'The SMS token was refused.': 'Le jeton SMS a été refusé.',
  'Fresh SMS tokens are refused: another system may be using the same login.':
    'Des jetons SMS neufs sont refusés : un autre système utilise peut-être le même accès.',
  'Another process is still logging in.': 'Un autre processus est encore en train de se connecter.',
  'This operation has only a live path and the account is in test mode.':
    'Cette opération n’existe qu’en mode réel et le compte est en mode test.',
  'Direct card payments are switched off.': 'Les paiements directs par carte sont désactivés.',
  'A field that the service asks for is missing.': 'Un champ que le service demande manque.',
  'A field does not have the form the service asks for.': 'Un champ n’a pas la forme que le service demande.',
  'The account has no master key.': 'Le compte n’a pas de clé principale.',
  'The account has no private key.': 'Le compte n’a pas de clé privée.',
  'The account has no application token.': 'Le compte n’a pas de jeton d’application.',
  'The account has no SMS user key.': 'Le compte n’a pas de clé d’utilisateur SMS.',
  'The account has no SMS secret key.': 'Le compte n’a pas de clé secrète SMS.',
  'The account has no SMS application key.': 'Le compte n’a pas de clé d’application SMS.',
  'The account has no SMS sender.': 'Le compte n’a pas d’expéditeur SMS.',
};
