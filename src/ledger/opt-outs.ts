/**
 * Numbers that opted out of SMS, by account: for every sender ID, or for one. Two spellings of a sender ID are one
 * list, and every number of one subscriber counts as one person.
 *
 * After an erasure the opt-out stays as a hash, so the person still gets no SMS. A hash of a number can be reversed
 * by trying all numbers: it protects against readers, not against attackers.
 */
import { createHash } from 'node:crypto';
import { comparable } from '../lib/letters.ts';
import { digitsOf } from '../lib/phone.ts';
import { subscriberOf } from '../lib/renumbering.ts';
import { type Act, noteAct } from './acts.ts';
import type { OnCommitted } from './committed.ts';
import type { Database, Run } from './pool.ts';

/** `sender` '': every sender ID. */
export interface OptOutList {
  readonly account: string;
  readonly sender: string;
}

export interface Addressee {
  /** E.164, with or without the plus sign. */
  readonly to: string;
  /** Absent: the sender ID is unknown. */
  readonly sender?: string | undefined;
}

export interface OptOutPage {
  /** E.164. */
  readonly phones: readonly string[];
  /** Absent at the end. */
  readonly next?: string;
}

interface Person {
  readonly phone: string;
  readonly subscriber: string;
}

const AT_ONCE = 1_000;
const EVERY_SENDER = '';

interface OptOutsOptions {
  readonly database: Database;
  readonly onCommitted?: OnCommitted | undefined;
}

export class OptOuts {
  readonly #database: Database;
  readonly #onCommitted: OnCommitted | undefined;

  constructor({ database, onCommitted }: OptOutsOptions) {
    this.#database = database;
    this.#onCommitted = onCommitted;
  }

  /** Returns the number of new entries. */
  async add(list: OptOutList, phones: readonly string[], act?: Act): Promise<number> {
    const [account, sender] = [list.account, senderKey(list.sender)];
    const changed = await this.#change(phones, factsAs(act, 'added'), async (run, people) => {
      const added = await run('add_opt_outs', [
        account,
        sender,
        people.map(({ phone }) => phone),
        people.map(({ subscriber }) => subscriber),
        people.map(({ subscriber }) => hashOf(sender, subscriber)),
        null,
      ]);
      return added.length;
    });
    // Also for existing entries: the process may have died before the journal entry.
    await this.#onCommitted?.('opt_out.added', { ...list, phones: phones.map(digitsOf) });
    return changed;
  }

  /** Returns the number of removed entries, including erased people. */
  remove(list: OptOutList, phones: readonly string[], act?: Act): Promise<number> {
    const [account, sender] = [list.account, senderKey(list.sender)];
    return this.#change(phones, factsAs(act, 'removed'), async (run, people) => {
      const removed = await run('remove_opt_outs', [
        account,
        sender,
        people.map(({ subscriber }) => subscriber),
        people.map(({ subscriber }) => hashOf(sender, subscriber)),
      ]);
      return removed.length;
    });
  }

  /** Ordered by number. */
  async page(list: OptOutList, { after = '0', limit }: { after?: string; limit: number }): Promise<OptOutPage> {
    const values = [list.account, senderKey(list.sender), after, limit + 1];
    const rows = await this.#database.run<{ phone: string }>('opt_outs_page', values);
    const phones = rows.slice(0, limit).map(({ phone }) => `+${phone}`);
    const last = rows.length > limit ? rows[limit - 1]?.phone : undefined;
    return { phones, ...(last === undefined ? {} : { next: last }) };
  }

  /** Entries of the list, and the account's entries that are only hashes. */
  async count(list: OptOutList): Promise<{ listed: number; forgotten: number }> {
    const values = [list.account, senderKey(list.sender)];
    const [row] = await this.#database.run<{ listed: string; forgotten: string }>('count_opt_outs', values);
    return { listed: Number(row?.listed ?? 0), forgotten: Number(row?.forgotten ?? 0) };
  }

  /** Whether each person has opted out, by position. */
  async among(account: string, people: readonly Addressee[]): Promise<boolean[]> {
    if (people.length === 0) return [];
    const asked = people.flatMap(({ to, sender }, place) => {
      const subscriber = subscriberOf(digitsOf(to));
      const senders = new Set([EVERY_SENDER, senderKey(sender ?? EVERY_SENDER)]);
      return [...senders].map((name) => ({ place, name, subscriber }));
    });
    const rows = await this.#database.run<{ place: number }>('opted_out_among', [
      account,
      asked.map(({ place }) => place),
      asked.map(({ name }) => name),
      asked.map(({ subscriber }) => subscriber),
      asked.map(({ name, subscriber }) => hashOf(name, subscriber)),
    ]);
    const found = new Set(rows.map(({ place }) => place));
    return people.map((_, place) => found.has(place));
  }

  /** Replaces the number with its hash in every list. Returns the number of lists. */
  forget(phone: string, act?: Act): Promise<number> {
    const subscriber = subscriberOf(digitsOf(phone));
    return this.#database.transaction(async (run) => {
      const lists = await run<OptOutList>('opt_outs_of_person', [subscriber]);
      for (const { account, sender } of lists)
        await run('forget_opt_out', [account, sender, subscriber, hashOf(sender, subscriber)]);
      if (act) await noteAct(run, { ...act, facts: { ...act.facts, optOuts: lists.length } });
      return lists.length;
    });
  }

  /** In bounded parts, each in a transaction with its audit line. */
  async #change(
    phones: readonly string[],
    actOf: (changed: number) => Act | undefined,
    change: (run: Run, people: readonly Person[]) => Promise<number>,
  ): Promise<number> {
    let changed = 0;
    for (let from = 0; from < phones.length; from += AT_ONCE) {
      const people = phones.slice(from, from + AT_ONCE).map(personOf);
      changed += await this.#database.transaction(async (run) => {
        const count = await change(run, people);
        const act = actOf(count);
        if (act) await noteAct(run, act);
        return count;
      });
    }
    return changed;
  }
}

/** The audit line of a change; a change of nothing has none. */
const factsAs =
  (act: Act | undefined, name: 'added' | 'removed') =>
  (changed: number): Act | undefined =>
    act && changed > 0 ? { ...act, facts: { ...act.facts, [name]: changed } } : undefined;

/** The name of a list in the audit log. Account names have no slash. */
export function nameOf({ account, sender }: OptOutList): string {
  return `${account}/${sender}`;
}

function personOf(phone: string): Person {
  const digits = digitsOf(phone);
  return { phone: digits, subscriber: subscriberOf(digits) };
}

/** '' means every sender ID; entry points refuse a blank sender ID. */
const senderKey = (sender: string): string => comparable(sender);

function hashOf(sender: string, subscriber: string): Buffer {
  return createHash('sha256').update(`${sender}\n${subscriber}`).digest();
}
