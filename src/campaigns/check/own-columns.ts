/**
 * Additional columns of a file of recipients. Values of the text are stored with the recipients anyway, and are
 * returned from there.
 */
import { headingOf, ownCells } from '../../files/own-cells.ts';
import type { UploadColumn } from '../../kinds/campaign-fields.ts';
import { packValues } from '../../lib/packed-values.ts';

/** Positions of the number and of the text's values in a row. -1: no such cell. */
export interface Layout {
  readonly phone: number;
  readonly variables: readonly { readonly name: string; readonly at: number }[];
}

export class OwnColumns {
  readonly #filled = new Set<number>();
  #cut = 0;

  /** Number of truncated rows. */
  get cut(): number {
    return this.#cut;
  }

  /** Packed; '' if empty. `elsewhere`: columns that are stored in another place. */
  keep(cells: readonly string[], elsewhere: ReadonlySet<number>): string {
    // Most files have no additional columns.
    if (cells.every((cell, at) => cell === '' || elsewhere.has(at))) return '';
    const { kept, cut } = ownCells(cells.map((cell, at) => (elsewhere.has(at) ? '' : cell)));
    if (cut) this.#cut += 1;
    for (const [at, cell] of kept.entries()) if (cell !== '') this.#filled.add(at);
    return packValues(kept).replace(/\t+$/, '');
  }

  /** The file's columns except the number; an unnamed one counts if a row has a value in it. */
  columns(names: readonly string[], { phone, variables }: Layout, inText: readonly string[]): UploadColumn[] {
    return names.flatMap((name, at): UploadColumn[] => {
      const heading = headingOf(name);
      if (at === phone || (heading === '' && !this.#filled.has(at))) return [];
      const value = inText.indexOf(variables.find((one) => one.at === at)?.name ?? '');
      return [{ at, heading, ...(value >= 0 && { value }) }];
    });
  }
}
