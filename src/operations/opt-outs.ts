/**
 * The numbers that do not want to be texted, by account: for every sender, or for one. Kept as bare digits in sets,
 * and asked for a whole slice at once, right before it is sent.
 *
 * The opt-out of a person who was forgotten stays, as a hash: their number is no longer written anywhere, and they are
 * still not texted. A hash of a number can be found by trying all numbers, so it hides from readers, not from thieves.
 *
 * A sender is the same in any letters: the service writes it in its own. A list is written as it is asked for, so that
 * workers of earlier versions find what they found, and a person is looked for in all lists that are called alike.
 *
 * Where a country has put digits in front of every number, a person is the same by today's number and by the old one.
 */
import type { Redis } from 'ioredis';
import { digitsOf } from '../lib/phone.ts';
import { fingerprint } from '../lib/ids.ts';
import { numberingsOf, subscriberOf } from '../lib/renumbering.ts';
import { isSameSender } from '../lib/sender.ts';
import { type Read, answersOf, flag } from '../redis/scripts.ts';
import { type Act, told } from './audit.ts';
import { keys } from './keys.ts';
import { changeOptOuts, forgetOptOuts } from './scripts/generated/scripts.ts';

/** '' is every sender. */
export interface OptOutList {
  readonly account: string;
  readonly sender: string;
}

export interface Addressee {
  /** E.164, with or without the plus sign. */
  readonly to: string;
  /** The sender that they would see; absent where nobody knows it. */
  readonly sender?: string | undefined;
}

export interface OptOutPage {
  /** E.164. */
  readonly phones: readonly string[];
  /** To go on from; absent at the end. */
  readonly next?: string;
}

/** A cursor of Redis is asked again until a page has something, but never more often than this. */
const SCANS_PER_PAGE = 50;
const AT_ONCE = 1_000;

export class OptOuts {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** How many of them were not in the list before. */
  add(list: OptOutList, phones: readonly string[], act?: Act): Promise<number> {
    return this.#change('add', list, phones, act);
  }

  /** How many of them were in the list, however it writes its sender. A person who was forgotten is taken out too. */
  remove(list: OptOutList, phones: readonly string[], act?: Act): Promise<number> {
    return this.#change('remove', list, phones, act);
  }

  /** In no order, a page at a time; a number may come twice while the list changes. */
  async page(list: OptOutList, { after = '0', limit }: { after?: string; limit: number }): Promise<OptOutPage> {
    let cursor = after;
    const phones: string[] = [];
    for (let scans = 0; scans < SCANS_PER_PAGE; scans += 1) {
      const [next, members] = await this.#redis.sscan(keyOf(list), cursor, 'COUNT', limit);
      phones.push(...members.map((digits) => `+${digits}`));
      cursor = next;
      if (cursor === '0' || phones.length >= limit) break;
    }
    return { phones, ...(cursor === '0' ? {} : { next: cursor }) };
  }

  /** In the list, and of all lists of the account those that are kept as hashes. */
  async count({ account, sender }: OptOutList): Promise<{ listed: number; forgotten: number }> {
    const listed = await this.#redis.scard(keyOf({ account, sender }));
    return { listed, forgotten: await this.#redis.scard(keys.optOutsForgotten(account)) };
  }

  /** Which of them have opted out, by position. */
  async among(account: string, people: readonly Addressee[]): Promise<boolean[]> {
    if (people.length === 0) return [];
    const senders = await this.#spellingsOf(account, ['', ...people.flatMap(({ sender }) => sender ?? [])]);
    const digits = people.map(({ to }) => numberingsOf(digitsOf(to)));
    const asked = digits.flat();
    const pipeline = this.#redis.pipeline();
    for (const sender of senders) pipeline.smismember(keyOf({ account, sender }), ...asked);
    pipeline.exists(keys.optOutsForgotten(account));
    const answers = await answersOf(pipeline, flags);
    const forgotten = answers.at(-1)?.[0] === true ? await this.#forgottenAmong(account, people, senders) : [];
    let end = 0;
    return people.map(({ sender }, index) => {
      const from = end;
      end += digits[index]?.length ?? 0;
      const isIn = (at: number): boolean => answers[at]?.slice(from, end).includes(true) === true;
      return senders.some((name, at) => isFor(name, sender) && isIn(at)) || forgotten[index] === true;
    });
  }

  /** Takes the number out of every list and leaves its hash there. Answers in how many it was. */
  async forget(phone: string, act?: Act): Promise<number> {
    const lists = (await this.#redis.smembers(keys.optOutLists)).map(listOf);
    const numbers = numberingsOf(digitsOf(phone));
    return forgetOptOuts(this.#redis, {
      lists: lists.flatMap((list) =>
        numbers.map((digits) => ({
          list: keyOf(list),
          forgotten: keys.optOutsForgotten(list.account),
          digits,
          hash: hashOf(list.sender, digits),
        })),
      ),
      ...told(act),
    });
  }

  /** These senders, each as it is asked for, and as the lists of the account write it. */
  async #spellingsOf(account: string, senders: readonly string[]): Promise<string[]> {
    const asked = [...new Set(senders)];
    const lists = (await this.#redis.smembers(keys.optOutLists)).map(listOf);
    const alike = lists.filter(
      (list) => list.account === account && asked.some((one) => isSameSender(one, list.sender)),
    );
    return [...new Set([...asked, ...alike.map(({ sender }) => sender)])];
  }

  async #forgottenAmong(
    account: string,
    people: readonly Addressee[],
    senders: readonly string[],
  ): Promise<boolean[]> {
    const hashes = people.map(({ to, sender }) => {
      const names = senders.filter((name) => isFor(name, sender));
      return numberingsOf(digitsOf(to)).flatMap((digits) => names.map((name) => hashOf(name, digits)));
    });
    const found = await this.#redis.smismember(keys.optOutsForgotten(account), ...hashes.flat());
    let end = 0;
    return hashes.map((own) => found.slice(end, (end += own.length)).includes(1));
  }

  async #change(how: 'add' | 'remove', list: OptOutList, phones: readonly string[], act?: Act): Promise<number> {
    const { account, sender } = list;
    const senders = how === 'add' ? [sender] : await this.#spellingsOf(account, [sender]);
    const atOnce = Math.ceil(AT_ONCE / senders.length);
    let changed = 0;
    for (let from = 0; from < phones.length; from += atOnce) {
      const part = phones.slice(from, from + atOnce).map(digitsOf);
      const digits = how === 'add' ? part : part.flatMap(numberingsOf);
      changed += await changeOptOuts(this.#redis, {
        list: keyOf(list),
        lists: keys.optOutLists,
        alike: senders.slice(1).map((name) => keyOf({ account, sender: name })),
        forgotten: keys.optOutsForgotten(account),
        ...told(act),
        name: nameOf(list),
        how,
        digits,
        hashes: how === 'remove' ? senders.flatMap((name) => digits.map((one) => hashOf(name, one))) : [],
        people: how === 'remove' ? digits.map(subscriberOf) : [],
      });
    }
    return changed;
  }
}

/** Whether a list of this sender is about a text of that one. */
function isFor(list: string, sender: string | undefined): boolean {
  return list === '' || (sender !== undefined && isSameSender(list, sender));
}

function keyOf({ account, sender }: OptOutList): string {
  return keys.optOuts(account, sender);
}

// The name of an account has no slash.
export function nameOf({ account, sender }: OptOutList): string {
  return `${account}/${sender}`;
}

function listOf(name: string): OptOutList {
  const slash = name.indexOf('/');
  return { account: name.slice(0, slash), sender: name.slice(slash + 1) };
}

function hashOf(sender: string, phone: string): string {
  return fingerprint(`${sender}\n${digitsOf(phone)}`);
}

/** One for each member that was asked for, or a single one. */
const flags: Read<readonly boolean[]> = (answer) => (Array.isArray(answer) ? answer.map(flag) : [flag(answer)]);
