import type { englishRefusals } from './english-refusals.ts';

export const frenchRefusals: Record<keyof typeof englishRefusals, string> = {
  operation_removed: 'L’objet {id} ({kind}) s’est terminé ({state}) le {at}. Sa durée de conservation est écoulée.',
  key_uploads_full:
    'Les envois en cours de cette clé peuvent occuper {mb} Mo dans ce processus, et celui-ci n’y tient pas.',
  uploads_full:
    'Les envois en cours de toutes les clés peuvent occuper {mb} Mo dans ce processus, et celui-ci n’y tient pas.',
  process_ends: 'Ce processus s’arrête. Rien n’a été fait.',
  no_session: 'Aucune session, ou session expirée. Reconnectez-vous.',
  session_expired: 'La session a expiré. Reconnectez-vous.',
  key_ended_meanwhile: 'La clé d’API a été révoquée, ou la session a pris fin, pendant la demande.',
  key_sent_too_often: 'La clé d’API a été envoyée trop souvent en une minute.',
  too_many_wrong_keys: 'Trop de demandes avec une clé incorrecte. Une clé valide est acceptée aussitôt.',
  key_unknown:
    'La clé d’API est inconnue ou révoquée. Utilisez une clé de API_KEYS, ou une clé créée avec `relais keys create`.',
  key_missing:
    'Envoyez `Authorization: Bearer <clé>` avec une clé de API_KEYS, ou une clé créée avec `relais keys create` (`relais dev` accepte la clé `dev`).',
  key_lacks_role: 'La clé d’API « {key} » n’a pas le rôle {role}. Utilisez une clé qui a ce rôle.',
  key_limited_to_accounts: 'La clé d’API « {key} » est limitée à {accounts}, et ceci concerne tous les comptes.',
  key_lacks_account: 'La clé d’API « {key} » n’est pas autorisée pour le compte « {account} ».',
  needs_session: 'Cette demande exige une session de la console, et non la clé d’API « {key} ».',
  key_rate: 'La clé d’API est limitée à {rate} demandes par seconde (API_RATE).',
  too_many_event_streams: 'La clé d’API a déjà le nombre maximal de flux d’événements dans ce processus.',
  too_many_keys: 'Le maximum de 1 000 clés d’API est atteint. Révoquez les clés inutilisées.',
  key_not_found: 'La clé d’API {id} est introuvable. Retirez une clé de API_KEYS de ce paramètre.',
  account_not_found: 'Le compte {name} est introuvable.',
  account_not_configured: 'Le compte « {name} » n’est pas réglé ici.',
  method_not_allowed: '{asked} n’est pas pris en charge ; utilisez {allowed}.',
  problem_type_not_found: 'Le type de problème {kind} est introuvable.',
  operation_not_found: 'L’opération {id} est introuvable.',
  limit_not_found: 'Le plafond {name} est introuvable. Les plafonds sont {limits}.',
  queue_not_found: 'La file {name} est introuvable. Les files sont {queues}.',
  endpoint_not_found: 'L’adresse de webhook {id} est introuvable.',
  event_not_found: 'L’événement {event} est introuvable, ou {endpoint} n’y est pas inscrite.',
  record_not_found: 'Introuvable : {id} ({kind}).',
  path_not_found: 'Introuvable : {method} {path}. /openapi.json donne tous les chemins.',
  path_not_found_meant:
    'Introuvable : {method} {path}. Vouliez-vous dire {meant} ? /openapi.json donne tous les chemins.',
  console_file_not_found: 'Ce fichier de la console est introuvable.',
  record_unreadable: 'Une autre version a écrit cette fiche, ou la fiche est abîmée. Lancez `relais doctor`.',
  path_invalid: 'Le chemin est invalide.',
  not_read: 'La lecture de PostgreSQL a échoué. Réessayez.',
  maybe_done: 'La demande a peut-être été exécutée. Avec la même identité, réessayer est sans danger.',
  internal_error:
    'Les journaux techniques ont la cause sous ce X-Request-Id. Avec la même identité, réessayer est sans danger.',
  provider_rate_used: 'La limite de requêtes au prestataire est atteinte (UPSTREAM_RATE). Réessayez plus tard.',
  batch_too_large: 'Un lot de paiements est limité à {bytes} octets. Envoyez plusieurs lots.',
  json_too_large: 'Cette demande JSON est limitée à {bytes} octets.',
  campaign_takes_no_recipients:
    'La campagne est à l’état {state}. Les destinataires ne s’ajoutent qu’avant son démarrage.',
  campaign_sends_no_more: 'La campagne est à l’état {state} : plus aucun SMS ne part.',
  campaign_cannot: 'La campagne est à l’état {state}, qui ne permet pas cette action : {action}.',
  no_check_needed: 'L’état est {state} : aucune vérification n’est nécessaire.',
  no_review_of: 'L’état est {state} : il n’y a rien à vérifier.',
  invoice_not_pending: 'La facture est à l’état {state}. Seule une facture en attente peut être payée.',
  state_forbids: 'L’état est {state} : {why}.',
  campaign_without_recipients: 'La campagne n’a pas de destinataires. Ajoutez d’abord des destinataires.',
  campaign_in_quiet_hours:
    'La campagne attend la fin de la plage sans envoi, puis reprend. Pour envoyer maintenant : PATCH {"quietHours": false}.',
  deleted_meanwhile: 'La fiche a été supprimée pendant la demande.',
  campaign_changed_during_upload: 'La campagne a changé pendant l’ajout ; rien n’a été ajouté. Renvoyez le fichier.',
  campaign_changed_since_read: 'La campagne a changé depuis sa lecture ; rien n’a été ajouté. Relisez la campagne.',
  campaign_without_file: 'La campagne n’a pas de fichier enregistré, ou il a expiré. Renvoyez le fichier.',
  campaign_takes_no_file:
    'La campagne est à l’état {state}. Un fichier ne s’enregistre qu’avant l’ajout des destinataires.',
  decisions_missing: 'Décisions manquantes : {decisions}.',
  no_recipient_left: 'Aucun destinataire ne recevrait de SMS.',
  campaign_text_fixed:
    'La campagne a déjà des destinataires avec des valeurs pour ce texte. Annulez-la et créez une autre campagne.',
  body_ended: 'L’envoi s’est interrompu.',
  identity_used:
    'La même clé ou référence est déjà utilisée par {id}. Répétez cette demande sans changement, ou utilisez une nouvelle identité.',
  idempotency_key_used:
    'L’Idempotency-Key est déjà utilisée par {id}, avec un autre contenu ou d’autres options. Envoyez une autre Idempotency-Key.',
  provider_not_asked: 'Le prestataire n’a pas été interrogé ({why}). Rien n’a changé. Réessayez.',
  no_callback_body:
    'Aucune notification n’est conservée pour {id}. Une notification est conservée 30 jours, et seulement si elle contredit une réussite. GET /v1/explain/{id} dit si une notification a été reçue.',
  data_was_lost:
    'Des données ont été perdues ({why}) : on ne peut pas confirmer le contraire. Vérifiez les opérations en cours, puis envoyez {"apply": true}.',
  batch_in_recovery:
    'Une reprise est en cours, et des lignes du fichier ont peut-être été payées : d’abord relais recover.',
  campaign_in_recovery:
    'Une reprise est en cours, et des SMS sont peut-être partis dans le temps perdu. Mettez la campagne en pause, ou d’abord relais recover.',
  payment_in_recovery:
    'Une reprise est en cours, et il est peut-être parti dans le temps perdu : une personne doit maintenant le vérifier.',
  batch_not_finished: 'Le lot est à l’état {state}. Seul un lot terminé peut être payé de nouveau.',
  nothing_to_retry: 'Aucune ligne ne peut être payée de nouveau : chacune est payée, en cours ou non confirmée.',
  all_retried_already: 'Chaque ligne non payée a déjà été redemandée dans un autre lot.',
  retried_too_often: 'Ce lot a été redemandé trop souvent. Déposez les lignes non payées dans un fichier.',
  other_key_lacks_role: 'La clé d’API « {key} » est aussi à {person}, et n’a pas le rôle {roles}.',
  key_name_taken: 'Une clé de {holder} s’appelle déjà {name}. Utilisez un autre nom.',
  prepared_by: '{by} l’a préparé. Une autre personne doit l’approuver avec une autre clé.',
  retry_unapproved:
    'La campagne dépasse CAMPAIGN_APPROVAL_ABOVE et n’a jamais été approuvée : une seule clé ne peut pas la renvoyer. Créez une campagne des destinataires en échec.',
  file_is_batch: 'Le même fichier est déjà le lot de paiements {id}, encore en attente. Approuvez ou annulez ce lot.',
  batch_hash_differs:
    'L’empreinte n’est pas celle du fichier déposé. Vérifiez le lot de nouveau avant de l’approuver.',
  campaign_changed: 'La campagne a changé. Vérifiez-la de nouveau avant de l’approuver.',
  campaign_hours_fixed:
    'La campagne a été approuvée avec ses heures, qui ne changent plus. Annulez-la et créez une autre campagne.',
  batch_new_problems: 'Le lot a {count} nouveau(x) problème(s) depuis le dépôt. Rien n’a été approuvé.',
  selection_changed:
    'La sélection a changé : {reviewed} ont été vérifiés, et elle en a maintenant {now}. Rien n’a été décidé.',
  campaign_not_finished: 'La campagne est à l’état {state}. Seule une campagne terminée peut être renvoyée.',
  changed_during_request: 'elle a changé pendant la demande',
  no_approval_needed: 'aucune approbation n’est nécessaire',
  upload_again: 'déposez-le de nouveau avec une autre Idempotency-Key',
  batch_cancelled_too_late: 'un lot ne s’annule qu’avant son approbation ; annulez ses lignes une par une',
  no_review_needed: 'aucune vérification n’est nécessaire, ou un autre utilisateur s’en occupe',
  submitted_already: 'seul un décaissement jamais transmis peut être annulé',
  provider_not_asked_later: 'Le prestataire n’a pas été interrogé ({why}). Rien n’a changé. Réessayez plus tard.',
  provider_reports_only: 'Le prestataire indique {state}, ce qui l’emporte. Rien d’autre n’a changé.',
  provider_reports: 'Le prestataire indique {state}, ce qui l’emporte. Rien n’a changé.',
  provider_reports_of_token:
    'Le prestataire indique {state}, ce qui l’emporte. Rien n’a changé. C’est le statut du jeton connu. Si le tableau de bord le montre payé, statuez avec sa transaction.',
  transaction_taken: 'Cette transaction est déjà celle de {by}. Rien n’a changé.',
  amount_limited: 'Son montant {limit}.',
  events_deleted:
    'Les événements de ce curseur sont supprimés, et aucun événement n’est conservé. Relisez l’état, puis lisez sans curseur.',
  events_deleted_until:
    'Les événements de ce curseur sont supprimés ; le plus ancien conservé est {oldest}. Relisez l’état, puis lisez sans curseur.',
  send_utf8_or_compressed: 'Envoyez de l’UTF-8, sans compression ou compressé par gzip, deflate ou br.',
  send_content_type: 'Envoyez le contenu avec `Content-Type: {types}`.',
  send_utf8_plain: 'Envoyez de l’UTF-8, sans compression.',
  send_file_plain: 'Envoyez le fichier sans compression.',
  body_coding: 'Le contenu ne correspond pas à son Content-Encoding, ou est incomplet.',
  body_not_utf8: 'Le contenu n’est pas en UTF-8.',
  body_not_json: 'Le contenu n’est pas du JSON.',
  body_wrong: 'Le contenu {what}.',
  charset_not_supported: 'L’encodage {charset} n’est pas pris en charge. Envoyez de l’UTF-8.',
  too_many_stop_links: 'Le fichier a trop de destinataires pour un texte avec {{stop}}.',
  identity_provider_silent: '{host} n’a pas répondu. Connectez-vous avec une clé d’API.',
  no_identity_provider:
    'Aucun fournisseur d’identité n’est configuré (OIDC_ISSUER). Connectez-vous avec une clé d’API.',
  confirm_again:
    'La clé d’API a été confirmée il y a plus de cinq minutes. Confirmez-la avec `POST /v1/session/confirm`, puis renvoyez la demande.',
  another_person_asked:
    'La clé d’API « {key} » est à {person}, et {by} en a fait la demande. Une autre personne doit l’approuver avec une autre clé.',
  another_person_uploaded:
    'La clé d’API « {key} » est à {person}, et {by} a déposé le fichier. Une autre personne doit l’approuver avec une autre clé.',
  no_failed_recipient: 'Aucun destinataire n’est en échec : il n’y a rien à renvoyer.',
  no_failed_or_unknown_recipient: 'Aucun destinataire n’est en échec ni incertain : il n’y a rien à renvoyer.',
  was_paid:
    'Le paiement a été annoncé comme payé. Statuez par succeeded ou, si l’argent est revenu, par reversed. Rien n’a changé.',
  was_never_paid: 'Le paiement n’a jamais été annoncé comme payé. Statuez par failed. Rien n’a changé.',
  in_recovery:
    'PostgreSQL a peut-être perdu des données : rien n’est accepté et rien ne part tant qu’une personne n’a pas décidé : relais recover.',
  problem_list: '{problems}',
  problem_at: '{pointer} {problem}',
  sealing_secret_missing: 'SEALING_SECRET n’est pas réglé ici ; il chiffre les secrets des webhooks.',
  too_many_endpoints: 'Il y a déjà mille adresses de webhook ; supprimez celles qui ne servent pas.',
  cursor_ahead:
    'Le curseur est d’une époque antérieure, ou après le dernier événement : une reprise a peut-être perdu des événements. Relisez l’état, puis lisez sans curseur.',
  send_type: 'Envoyez {types}.',
  console_only:
    'Une session est réservée à la page de la console : en https, ou sur cette machine, avec `X-Relais-Console: 1`. Un programme envoie sa clé par `Authorization: Bearer`.',
  too_many_uploads:
    'La campagne a {most} ajouts de fichiers, le maximum. Mettez ses destinataires dans moins de fichiers.',
  upload_under_way: 'Un autre fichier de la campagne est en cours d’ajout.',
  with_detail: '{said} ({detail})',
  no_approval_waits: 'aucune approbation n’est en attente',
  message_in_recovery: 'Une reprise est en cours, et le SMS est peut-être parti. Lancez d’abord relais recover.',
  message_cancelled_too_late: 'seul un SMS en attente peut être annulé',
};
