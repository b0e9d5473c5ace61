/** Ce que les gens lisent, en français. Same keys as `english.ts`. */
import { frenchBatch } from './french-batch.ts';
import { frenchCampaign } from './french-campaign.ts';
import { frenchCommands } from './french-commands.ts';
import { frenchFile } from './french-file.ts';
import { frenchFigures, frenchShell } from './french-shell.ts';
import { frenchStatus } from './french-status.ts';
import type { Words } from './english.ts';
import { frenchDoctor } from './french-doctor.ts';

export const french: Words = {
  batch: frenchBatch,
  campaign: frenchCampaign,
  commands: frenchCommands,
  doctor: frenchDoctor,
  file: frenchFile,
  figures: frenchFigures,
  shell: frenchShell,
  /** Comme on les nomme dans une liste. */
  states: {
    awaiting_approval: 'en attente d’approbation',
    queued: 'en attente',
    held: 'retenu',
    created: 'créé',
    submitting: 'en cours de transmission',
    unknown: 'incertain',
    pending: 'en cours',
    needs_review: 'à vérifier',
    succeeded: 'réussi',
    failed: 'en échec',
    reversed: 'repris après paiement',
    rejected: 'refusé',
    cancelled: 'annulé',
    sending: 'en cours d’envoi',
    sent: 'envoyé',
    skipped: 'écarté',
    expired: 'expiré',
    draft: 'brouillon',
    ready: 'prêt',
    scheduled: 'programmé',
    running: 'en cours',
    paused: 'en pause',
    finished: 'fini',
    invalid: 'non valable',
    creating: 'en création',
    completed: 'payé',
  },
  status: frenchStatus,
  stop: {
    title: 'Ne plus recevoir ces SMS',
    ask: 'Vous avez ouvert le lien d’un SMS que vous avez reçu. Appuyez sur le bouton, et son expéditeur ne vous enverra plus de SMS.',
    nothingYet:
      'Rien ne change tant que vous n’appuyez pas. Les codes que vous demandez vous-même arrivent toujours.',
    button: 'Ne plus recevoir de SMS de cet expéditeur',
    doneTitle: 'C’est noté',
    done: 'L’expéditeur n’enverra plus de SMS au numéro qui a reçu ce lien. Un SMS déjà parti peut encore arriver.',
    unknownTitle: 'Ce lien n’est pas valide',
    unknown:
      'Rien n’a été enregistré : le lien est incomplet ou trop ancien. Ouvrez de nouveau le lien du SMS, ou demandez à l’expéditeur de retirer votre numéro.',
    laterTitle: 'Pas encore',
    later:
      'Rien n’a changé : il y a trop de demandes en ce moment. Appuyez de nouveau sur le bouton dans une minute.',
    otherLanguage: 'In English',
  },
  payer: {
    title: 'Paiement (bac à sable)',
    sandbox: 'Vous êtes dans le bac à sable\u00a0: aucun argent ne circule.',
    pay: (amount) => `Payer ${amount}`,
    cancel: 'Annuler',
    fail: 'Faire échouer',
    receipt: 'Reçu (PDF)',
    asked: 'Demande de paiement',
    strange: 'Il n’y a rien à payer à cette adresse.',
    states: {
      pending: 'En attente du paiement.',
      completed: 'Payée.',
      cancelled: 'Annulée ; elle peut encore être payée.',
      failed: 'Échouée ; elle peut encore être payée.',
    },
  },
  dev: {
    title: 'Cette machine exécute relais\u00a0: un simulateur remplace le prestataire, aucun argent ne circule.',
    labels: {
      console: 'Console',
      key: 'Clés',
      api: 'API',
      sandbox: 'Sandbox',
      redis: 'Redis',
      database: 'PostgreSQL',
      metrics: 'Métriques',
    },
    keys: 'dev (demande et paie)  checker (approuve)  root (administre)',
    stop: 'Ctrl-C l’arrête. Ses données sont alors supprimées.',
  },
  init: {
    hello:
      'Rien n’est envoyé nulle part. Laissez vide ce que vous ne savez pas encore ; vous pourrez compléter plus tard.',
    asks: {
      DATABASE_URL: 'Base PostgreSQL, postgres://utilisateur:mot-de-passe@hôte:port/base (non affichée)',
      SERVICE_BASE_URL: 'Adresse du prestataire de paiement ; vide : pas de paiements',
      SERVICE_MASTER_KEY: 'Sa clé principale (non affichée)',
      SERVICE_PRIVATE_KEY: 'Sa clé privée (non affichée)',
      SERVICE_TOKEN: 'Son jeton (non affiché)',
      SERVICE_CRM_URL: 'Adresse du prestataire de SMS ; vide : pas de SMS',
      SMS_USER_KEY: 'Sa clé d’utilisateur (non affichée)',
      SMS_SECRET_KEY: 'Sa clé secrète (non affichée)',
      SMS_APP_KEY: 'Sa clé d’application (non affichée)',
      SMS_SENDER: 'Expéditeur affiché aux destinataires',
      DEFAULT_COUNTRY: 'Pays des numéros sans indicatif, par exemple SN ou CI',
      PUBLIC_URL: 'Adresse à laquelle le prestataire vous joint, https://…',
    },
    written: (file) => `${file} est écrit, lisible par vous seul (0600). Ses secrets ont été créés ici.`,
    leftOpen: (names) => `À compléter, selon vos besoins : ${names}`,
    next: (file) => `Ensuite : set -a; . ${file}; set +a; relais doctor`,
    thereAlready: (file) => `${file} existe déjà et n’a pas été modifié.`,
    removeIt: 'Ses secrets servent peut-être. Choisissez un autre nom avec --file, ou déplacez-le d’abord.',
    cannotWrite: (file, code) => `Impossible d’écrire ${file} (${code}).`,
    writeElsewhere: 'Choisissez un autre endroit avec --file, dans un dossier existant où vous pouvez écrire.',
    head: [
      'Créé par relais init. Ce fichier permet de payer et d’envoyer des SMS en votre nom : jamais dans git ni par e-mail.',
      'Dans un terminal : set -a; . ./.env; set +a    docker compose le lit de lui-même.',
    ],
    keep: 'À garder : avec d’autres secrets, les réponses attendues du prestataire seront refusées, et ce qui est scellé le restera.',
    keys: [
      'Qui peut demander quoi. service : vos programmes. operator : la personne qui mène les campagnes. approver : une autre personne,',
      'car personne n’approuve ce que sa propre clé a demandé. Donnez à chacun sa clé, et seulement la sienne.',
    ],
    commands: 'La clé dont se servent les commandes ici.',
    service: 'Le vrai service. Sans ces lignes, docker compose parle au bac à sable.',
  },
};
