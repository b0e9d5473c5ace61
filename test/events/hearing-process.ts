/** A consumer over HTTP as a process: it can die between its handler and its cursor. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { onEvent } from '../../src/events/library.ts';

const [url, folder = '', dieAt = ''] = process.argv.slice(2);
const [cursor, handled] = [`${folder}/cursor`, `${folder}/handled`];

await onEvent({
  url,
  key: 'reader-secret',
  cursor: {
    read: () => (existsSync(cursor) ? readFileSync(cursor, 'utf8') : undefined),
    write: (place) => {
      if (dieAt !== '' && readFileSync(handled, 'utf8').includes(dieAt)) process.kill(process.pid, 'SIGKILL');
      writeFileSync(cursor, place);
    },
  },
  handler: ({ id }) => appendFileSync(handled, `${id}\n`),
  signal: new AbortController().signal,
});
