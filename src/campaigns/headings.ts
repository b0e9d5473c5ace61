/** Headings under which a report returns the additional columns of a campaign's files. */
import { freeHeading } from '../files/own-cells.ts';
import type { UploadColumn, UploadRecord } from '../kinds/campaign-fields.ts';
import { unpackValues } from '../lib/packed-values.ts';

export type OwnCells = Readonly<Record<string, string>>;

/** A heading that another column already has, including ours, gets a number, so that each can be read by name. */
export class Headings {
  readonly names: readonly string[];
  readonly #ofUpload = new Map<string, readonly (UploadColumn & { readonly name: string })[]>();

  constructor(uploads: readonly UploadRecord[], ours: readonly string[]) {
    const names = new Set<string>();
    for (const { tag, columns = [] } of uploads) {
      const taken = new Set(ours);
      const named = columns.map((column) => ({ ...column, name: freeHeading(column.heading, taken) }));
      for (const { name } of named) names.add(name);
      this.#ofUpload.set(tag, named);
    }
    this.names = [...names];
  }

  /** A row of an upload. `values`: those of the text, if they are stored; otherwise they are in the line. */
  cells({ tag }: UploadRecord, line: string, values?: readonly string[]): { readonly own?: OwnCells } {
    const cells = unpackValues(line);
    const own = (this.#ofUpload.get(tag) ?? []).flatMap(({ at, value, name }): [string, string][] => {
      const cell = (value === undefined || !values ? cells[at] : values[value]) ?? '';
      return cell === '' ? [] : [[name, cell]];
    });
    return own.length === 0 ? {} : { own: Object.fromEntries(own) };
  }
}
