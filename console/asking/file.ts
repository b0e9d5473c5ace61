/** A file with the media type that relais expects: browsers set it only for few files. */
const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  txt: 'text/csv',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
};

/** The endings that a file field offers first. */
export const FILE_ENDINGS = Object.keys(TYPES)
  .map((ending) => `.${ending}`)
  .join(',');

export function asRead(file: File): Blob {
  const ending = file.name.slice(file.name.lastIndexOf('.') + 1).toLowerCase();
  return file.slice(0, file.size, TYPES[ending] ?? 'text/csv');
}
