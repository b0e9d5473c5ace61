/**
 * What a file of recipients has beside the numbers. Values of the text are kept with the recipients anyway, and are
 * given back from there.
 */
import { headingOf, ownCells } from '../../files/own-cells.ts';
import type { UploadColumn } from '../../kinds/campaign-fields.ts';
import { packValues } from '../../lib/packed-values.ts';

/** Where the number and the values of the text stand in a row. -1: this row has no such cell. */
export interface Layout {
  readonly phone: number;
  readonly variables: readonly { readonly name: string; readonly at: number }[];
}

export class OwnColumns {
  readonly #filled = new Set<number>();
  #cut = 0;

  /** Rows of which a part was cut off. */
  get cut(): number {
    return this.#cut;
  }

  /** Packed; '' where there is nothing. `elsewhere`: columns that are kept in another place. */
  keep(cells: readonly string[], elsewhere: ReadonlySet<number>): string {
    // Most files have nothing else.
    if (cells.every((cell, at) => cell === '' || elsewhere.has(at))) return '';
    const { kept, cut } = ownCells(cells.map((cell, at) => (elsewhere.has(at) ? '' : cell)));
    if (cut) this.#cut += 1;
    for (const [at, cell] of kept.entries()) if (cell !== '') this.#filled.add(at);
    return packValues(kept).replace(/\t+$/, '');
  }

  /** Those of the file but the number; one without a name counts where a row has something in it. */
  columns(names: readonly string[], { phone, variables }: Layout, inText: readonly string[]): UploadColumn[] {
    return names.flatMap((name, at): UploadColumn[] => {
      const heading = headingOf(name);
      if (at === phone || (heading === '' && !this.#filled.has(at))) return [];
      const value = inText.indexOf(variables.find((one) => one.at === at)?.name ?? '');
      return [{ at, heading, ...(value >= 0 && { value }) }];
    });
  }
}
