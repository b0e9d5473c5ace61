/**
 * People who sign in with an identity provider. An address can change and be given to another person; the subject
 * cannot. So the first sign-in binds a person to the subject, and the person keeps one name.
 */
import type { Database, Run } from './pool.ts';

interface Subject {
  readonly issuer: string;
  readonly sub: string;
  /** In lower case, and only an address verified by the identity provider. */
  readonly address: string | undefined;
}

interface PersonsOptions {
  readonly database: Database;
}

interface Named {
  readonly name: string;
}

export class Persons {
  readonly #options: PersonsOptions;

  constructor(options: PersonsOptions) {
    this.#options = options;
  }

  /** The name of the person. At the first sign-in it is the address, unless another person has that name. */
  async bind(subject: Subject): Promise<string> {
    const { database } = this.#options;
    const { issuer, sub, address } = subject;
    const [known] = await database.run<Named>('person_of', [issuer, sub]);
    const name = known?.name ?? (await database.transaction((run) => bound(run, subject)));
    if (address !== undefined && address !== name) await database.run('note_address', [name, address]);
    return name;
  }

  /** Name and address of each person whose address differs from the name. */
  async alsoCalled(): Promise<(readonly [person: string, address: string])[]> {
    const rows = await this.#options.database.run<Named & { address: string }>('addresses');
    return rows.map(({ name, address }) => [name, address] as const);
  }
}

async function bound(run: Run, { issuer, sub, address }: Subject): Promise<string> {
  await run('lock_deployment');
  const names = [...(address === undefined ? [] : [address]), sub, `${sub} of ${issuer}`];
  const [now] = await run<Named>('bind_person', [issuer, sub, names]);
  // Another process bound the person meanwhile.
  const [row = now] = now === undefined ? await run<Named>('person_of', [issuer, sub]) : [now];
  if (row === undefined) throw new Error('a person was neither bound nor found');
  return row.name;
}
