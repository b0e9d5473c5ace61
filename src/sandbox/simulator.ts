import type { Random } from '../lib/random.ts';
import type { Answer } from './answers.ts';
import type { Callbacks } from './callbacks.ts';
import type { Faults } from './faults.ts';
import type { Endpoint } from './operations.ts';
import type { Records } from './records.ts';
import type { Settings } from './settings.ts';
import type { BearerTokens } from './sms-login.ts';
import type { SandboxTime } from './time.ts';

/** Credentials of a client. Not secrets: they open only this program. */
export interface Credentials {
  readonly masterKey: string;
  readonly privateKey: string;
  readonly token: string;
  readonly smsUserKey: string;
  readonly smsSecretKey: string;
  readonly smsAppKey: string;
  /** The sender ID configured on the messaging account. */
  readonly smsSender: string;
}

/** The state of the simulated provider. Handlers take time and randomness only from here. */
export interface Simulator {
  readonly time: SandboxTime;
  random: Random;
  /** How often the file of its records was opened before. */
  starts: number;
  /** Raised by every change of records or balances: the file is written when it differs. */
  revision: number;
  readonly settings: Settings;
  readonly faults: Faults;
  readonly credentials: Credentials;
  /** Prefix of the key headers, in lower case. */
  readonly headerPrefix: string;
  readonly callbacks: Callbacks;
  readonly bearerTokens: BearerTokens;
  /** Replaced by a reset. */
  records: Records;
  /** The address of the payment host, once it listens. */
  base: string;
}

/** One request to an operation. */
export interface Call {
  readonly endpoint: Endpoint;
  readonly operation: string;
  readonly url: string;
  /** The body as it was received. */
  readonly text: string;
  readonly headers: NodeJS.Dict<string | string[]>;
}

export type Handler = (call: Call, simulator: Simulator) => Answer | Promise<Answer>;
