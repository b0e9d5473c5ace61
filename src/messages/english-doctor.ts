/** Names of the checks of the doctor, and its result. */
import { some } from './counts.ts';

export const englishDoctor = {
  checks: {
    settings: 'settings',
    postgres: 'postgres',
    durability: 'durability',
    clock: 'clock',
    logging: 'logging',
    schema: 'schema',
    permissions: 'permissions',
    recovery: 'recovery',
    deployment: 'deployment',
    limits: 'limits',
    state: 'state',
    storage: 'storage',
    events: 'events',
    audit: 'audit',
    redis: 'redis',
    intake: 'intake',
    keys: 'keys',
    'sms login': 'sms login',
    balance: 'balance',
    callbacks: 'callbacks',
    console: 'console',
  },
  faults: (count: number) => (count === 0 ? 'No fault was found.' : `${some(count, 'fault', 'faults')}.`),
} as const;
