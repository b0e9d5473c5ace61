/** An office list: a workbook with all common errors. */
import { rowOf, xlsxOf } from '../files/workbooks.ts';

const TITLE = ['Clients actifs – extrait du 3 novembre'];
const HEADER = ['N° Client', 'Prénom', 'Portable', 'Agence'];
const NAMES = ['Awa', 'Moussa', 'Fatou', 'Ousmane', 'Aïssatou', 'Modou', 'Ndèye', 'Cheikh'];
const AGENCIES = ['Dakar', 'Thiès', 'Kaolack', 'Mbour', 'Saint-Louis'];

export interface MessyList {
  readonly file: Buffer;
  readonly rows: number;
  /** The number that the provider refuses. */
  readonly refused: string;
}

const of = (list: readonly string[], at: number): string => list[at % list.length] ?? '';

/** One in a hundred has no country code, one in a thousand uses the old numbering, some are hidden. */
function phoneOf(at: number): string {
  const local = `77${String(1_000_000 + at * 7)}`;
  if (at % 1_000 === 17) return `+225 07 ${String(100_000 + (at % 800_000))}`;
  return at % 100 === 3 ? local : `+221 ${local}`;
}

export function messyList(rows: number): MessyList {
  const refused = '+221 779999902';
  const lines = Array.from({ length: rows }, (_, at) => {
    const phone = at === 11 ? refused : at === 12 ? 'demander à Awa' : at === 13 ? '+221 771000000' : phoneOf(at);
    const name = at % 5_000 === 19 ? '' : of(NAMES, at);
    return rowOf([`C-${String(at)}`, name, phone, of(AGENCIES, at)], at % 2_000 === 21 ? 'hidden="1"' : '');
  });
  return { file: xlsxOf({ rows: [rowOf(TITLE), rowOf(HEADER), ...lines].join('') }), rows, refused };
}
