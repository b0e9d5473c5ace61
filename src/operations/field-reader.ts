/** Reads the fields of a record, which are all text. */
export class FieldReader {
  readonly fields: Readonly<Record<string, string>>;

  constructor(fields: Readonly<Record<string, string>>) {
    this.fields = fields;
  }

  text(name: string): string {
    const value = this.fields[name];
    if (value === undefined) throw new Error(`record ${this.fields['id']} has no field ${name}`);
    return value;
  }

  number(name: string, absent = 0): number {
    return this.#numeric(name, this.fields[name] ?? absent);
  }

  /** One that must be there. */
  amount(name: string): number {
    return this.#numeric(name, this.text(name));
  }

  #numeric(name: string, stored: string | number): number {
    const value = Number(stored);
    if (stored !== '' && Number.isFinite(value)) return value;
    throw new Error(`record ${this.fields['id']}: its field ${name} is no number`);
  }

  /** The named fields that are present, as text. */
  texts<N extends string>(...names: N[]): { [Name in N]?: string } {
    return this.#present(names, (value) => value);
  }

  numbers<N extends string>(...names: N[]): { [Name in N]?: number } {
    return this.#present(names, (value, name) => this.#numeric(name, value));
  }

  #present<N extends string, V>(names: readonly N[], read: (value: string, name: N) => V): { [Name in N]?: V } {
    const present: { [Name in N]?: V } = {};
    for (const name of names) {
      const value = this.fields[name];
      if (value !== undefined && value !== '') present[name] = read(value, name);
    }
    return present;
  }
}
