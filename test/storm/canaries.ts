/** Secrets planted before the storm and searched for after it in places where they must not be. */
import { closeSync, openSync, readSync } from 'node:fs';
import { defaultCredentials } from '../../src/sandbox/sandbox.ts';
import { API_SECRET, CALLBACK_SECRET, SECOND_SECRET } from './plan.ts';

/** The searched places. */
export const places = ['logs', 'Redis', 'metrics', 'events', 'answers', 'PostgreSQL'] as const;
export type Place = (typeof places)[number];

export interface Leak {
  /** Its description, never the secret itself. */
  readonly what: string;
  readonly place: Place;
}

export interface Findings {
  readonly leaks: readonly Leak[];
  /** Characters searched, by place: an empty search proves nothing. */
  readonly searched: Readonly<Record<Place, number>>;
  /** Descriptions of canaries that were used during the storm. */
  readonly used: readonly string[];
}

/** A payer's checkout input. No character of it may outlive the request. */
export const PAYER = {
  otp: 'otp-canary-7Q2M',
  password: 'payer-canary-password',
  card: { number: '5399838383838381', cvv: '9371', expiryYear: '31', expiryMonth: '07' },
} as const;

const { masterKey, privateKey, token, smsUserKey, smsSecretKey, smsAppKey } = defaultCredentials;

/** Allowed nowhere. */
const SECRETS: Readonly<Record<string, string>> = {
  'the master key': masterKey,
  'the private key': privateKey,
  'the application token': token,
  'the SMS user key': smsUserKey,
  'the SMS secret key': smsSecretKey,
  'the SMS application key': smsAppKey,
  'the callback secret': CALLBACK_SECRET,
  'an API key': API_SECRET,
  'the API key of a second person': SECOND_SECRET,
  'a one-time code of a payer': PAYER.otp,
  'a password of a payer': PAYER.password,
  'a card number': PAYER.card.number,
};

/** Phone numbers are in records and in answers to authorised readers, but not in these places. */
const WITHOUT_PHONES: readonly Place[] = ['logs', 'metrics', 'events'];

const LONGEST = 200;

export class Search {
  readonly #phones: ReadonlySet<string>;
  readonly #secrets: readonly (readonly [what: string, text: string])[];
  readonly #found = new Map<string, Leak>();
  readonly #searched: Record<Place, number> = {
    logs: 0,
    Redis: 0,
    metrics: 0,
    events: 0,
    answers: 0,
    PostgreSQL: 0,
  };
  readonly #used: readonly string[];

  /** `bearers` are tokens seen on the wire; `phones` are digits, with and without the country code. */
  constructor(bearers: readonly string[], phones: ReadonlySet<string>, used: readonly string[]) {
    this.#phones = phones;
    this.#secrets = [...Object.entries(SECRETS), ...bearers.map((bearer) => ['a bearer token', bearer] as const)];
    this.#used = [...used, ...(bearers.length > 0 ? ['a bearer token'] : [])];
  }

  text(place: Place, text: string): void {
    this.#searched[place] += text.length;
    for (const [what, secret] of this.#secrets) if (text.includes(secret)) this.#tell(what, place);
    if (!WITHOUT_PHONES.includes(place)) return;
    for (const [digits] of text.matchAll(/(?<!\w)\d{8,15}(?!\w)/g)) {
      if (this.#phones.has(digits)) this.#tell('a telephone number', place);
    }
  }

  /** A file of any size, in overlapping pieces. */
  file(place: Place, path: string): void {
    const file = openSync(path, 'r');
    const buffer = Buffer.alloc(1 << 20);
    let before = '';
    for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer)) {
      const text = before + buffer.toString('latin1', 0, read);
      this.text(place, text);
      before = text.slice(-LONGEST);
    }
    closeSync(file);
  }

  findings(): Findings {
    return { leaks: [...this.#found.values()], searched: this.#searched, used: this.#used };
  }

  #tell(what: string, place: Place): void {
    this.#found.set(`${what} ${place}`, { what, place });
  }
}
