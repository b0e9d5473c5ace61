/**
 * Who people are that come by a provider of identities. An address changes, and is given to somebody else; what the
 * provider calls somebody (`sub`) does neither. So a person is bound to that when they first come, and is called the
 * same ever after.
 */
import type { Redis } from 'ioredis';
import { keys } from './keys.ts';
import { bindPerson } from './scripts/generated/scripts.ts';

export interface Subject {
  readonly issuer: string;
  readonly sub: string;
  /** In small letters, and only one that the provider has verified. */
  readonly address: string | undefined;
}

export class Persons {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** The name of the person; the first time, the address unless it is another one's. */
  async bind({ issuer, sub, address }: Subject): Promise<string> {
    const { person } = await bindPerson(this.#redis, {
      persons: keys.persons,
      subjects: keys.personSubjects,
      called: keys.personsCalled,
      subject: `${issuer} ${sub}`,
      provider: issuer,
      address,
      names: [...(address === undefined ? [] : [address]), sub, `${sub} of ${issuer}`],
    });
    return person;
  }

  /** Of each who came with another address than they are called: both. */
  async alsoCalled(): Promise<(readonly [person: string, address: string])[]> {
    const called = await this.#redis.smembers(keys.personsCalled);
    return called.map((one) => {
      const at = one.lastIndexOf('\n');
      return [one.slice(0, at), one.slice(at + 1)] as const;
    });
  }
}
