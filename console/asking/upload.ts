/** A file upload with its progress, which `fetch` does not report in any browser. */
import { NoAnswer } from './answer.ts';
import { Refused, addressOf } from './ask.ts';
import type { Answer, Asked } from './ask.ts';

/** By the file's ending, if the device knows no type for it. */
const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  txt: 'text/csv',
  tsv: 'text/csv',
  ndjson: 'application/x-ndjson',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
};
export const TAKEN = '.csv,.txt,.tsv,.xlsx,.ods,.ndjson';

/** The content shows the actual type, whatever the file's name. */
const typeOf = ({ name }: File): string => TYPES[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'text/csv';

interface Watching {
  /** From 0 to 1. */
  readonly onProgress: (share: number) => void;
  readonly signal: AbortSignal;
}

export function upload(asked: Asked<'keepFile'>, file: File, { onProgress, signal }: Watching) {
  return new Promise<Answer<'keepFile'>>((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', addressOf('keepFile', { ...asked }));
    request.setRequestHeader('content-type', typeOf(file));
    request.setRequestHeader('accept', 'application/json');
    request.setRequestHeader('x-relais-console', '1');
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total));
    request.addEventListener('load', () => {
      const answer = read(request.responseText);
      if (request.status < 300) resolve(answer as Answer<'keepFile'>);
      else reject(new Refused(request.status, answer));
    });
    for (const end of ['error', 'abort', 'timeout']) request.addEventListener(end, () => reject(new NoAnswer(end)));
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}

/** A proxy may answer instead of relais, with its own text. */
function read(text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch {
    return {};
  }
}
