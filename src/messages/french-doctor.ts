import { someInFrench } from './counts.ts';
import type { Words } from './english.ts';

export const frenchDoctor: Words['doctor'] = {
  checks: {
    settings: 'paramètres',
    postgres: 'postgres',
    durability: 'durabilité',
    clock: 'horloge',
    logging: 'journaux',
    schema: 'schéma',
    permissions: 'droits',
    recovery: 'reprise',
    deployment: 'déploiement',
    limits: 'plafonds',
    state: 'état',
    storage: 'stockage',
    events: 'événements',
    audit: 'journal d’audit',
    redis: 'redis',
    intake: 'arrivées',
    keys: 'clés',
    'sms login': 'accès SMS',
    balance: 'solde',
    callbacks: 'rappels',
    console: 'console',
  },
  faults: (count) => (count === 0 ? 'Aucun problème trouvé.' : `${someInFrench(count, 'problème', 'problèmes')}.`),
};
