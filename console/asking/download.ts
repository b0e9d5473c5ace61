/** Downloads a table as one file, with all of its pages. */
import { operations } from '../../src/client/generated/api.ts';
import { type Asked, type OperationId, addressOf, send } from './ask.ts';

export async function download<Id extends OperationId>(id: Id, asked: Asked<Id>, name: string): Promise<void> {
  const parts: string[] = [];
  let after: string | null = null;
  do {
    const address = addressOf(id, { limit: 500, ...asked, ...(after === null ? {} : { after }) });
    const { file } = asked as { readonly file?: Blob };
    const response = await send(operations[id].method, address, { headers: { accept: 'text/csv' }, file });
    const text = await response.text();
    // The heading and the byte order mark appear only at the beginning.
    parts.push(parts.length === 0 ? text : text.slice(text.indexOf('\n') + 1));
    after = response.headers.get('x-next');
  } while (after !== null);
  const link = document.createElement('a');
  // Without the mark, Excel misreads UTF-8; `text()` has removed it.
  link.href = URL.createObjectURL(new Blob(['\ufeff', ...parts], { type: 'text/csv' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
