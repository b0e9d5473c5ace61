/** Answers about sessions of the console. */
import { z } from 'zod';
import { languages } from '../../messages/languages.ts';
import { count, perhaps, text, time } from './answers-shared.ts';

export const sessionAnswer = z
  .looseObject({
    name: text('awa-phone').meta({ description: 'The name of the key.' }),
    person: perhaps(text('awa')).meta({ description: 'Whose key it is, where that is said.' }),
    roles: z.array(text('approve')).meta({ description: 'What it may do now.' }),
    accounts: perhaps(z.array(text('main'))).meta({ description: 'null: all.' }),
    signedInBy: z.enum(['key', 'provider']).meta({
      description: 'What a fresh sign-in asks for: the key again, or the provider of identities.',
    }),
    language: perhaps(z.enum(languages)).meta({
      description: 'The first that the browser asks for of those that there are here.',
    }),
    expiresAt: time.meta({ description: 'The end, whatever is done until then: eight hours after it began.' }),
    idleUntil: time.meta({ description: 'The end where nothing is asked until then.' }),
    confirmedUntil: time.meta({ description: 'Until then, what asks for a fresh sign-in is done without one.' }),
  })
  .meta({ id: 'Session' });

export const providerAnswer = z
  .looseObject({
    host: perhaps(text('login.example.sn')).meta({ description: 'What people see of it; null: sign in with a key.' }),
  })
  .meta({ id: 'IdentityProvider' });

export const sendingAnswer = z
  .looseObject({
    url: text('https://login.example.sn/auth?client_id=relais').meta({ description: 'At the provider.' }),
  })
  .meta({ id: 'ProviderSignIn' });

export const doctorAnswer = z
  .looseObject({
    at: time.meta({ description: 'When it was looked at.' }),
    faults: count,
    findings: z.array(
      z.looseObject({
        check: text('storage'),
        name: text('storage').meta({ description: 'The check, in the language that was asked for.' }),
        is: z.enum(['ok', 'fault', 'skipped']).meta({
          description: '`skipped`: it could not be looked at, or is not used here; no fault by itself.',
        }),
        says: text('no old transaction is open, and partitions exist ahead'),
        fix: perhaps(text('End that transaction.')).meta({ description: 'Of a fault: what to do.' }),
      }),
    ),
  })
  .meta({ id: 'Findings' });
