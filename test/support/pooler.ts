/** A pooler in transaction mode in front of a PostgreSQL without passwords: all clients share one session. */
import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
/** Authentication is done, and the numbers to cancel by are of the pooler itself. */
const WELCOME = Buffer.concat([
  Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]),
  Buffer.from([0x4b, 0, 0, 0, 12, 0x7f, 0, 0, 1, 0, 0, 0, 1]),
  READY,
]);
const TERMINATE = 0x58;
const READY_FOR_QUERY = 0x5a;
const IN_NO_TRANSACTION = 0x49;

export interface Pooler {
  readonly url: string;
  close(): Promise<void>;
}

export async function startPooler(url: string): Promise<Pooler> {
  const { hostname: host, port } = new URL(url);
  let upstream: Socket | undefined;
  let owner: Socket | undefined;
  const waiting: { readonly client: Socket; readonly bytes: Buffer }[] = [];
  const next = (): void => {
    const at = owner === undefined ? 0 : waiting.findIndex(({ client }) => client === owner);
    const [one] = at < 0 ? [] : waiting.splice(at, 1);
    if (one === undefined) return;
    owner = one.client;
    upstream?.write(one.bytes);
    next();
  };
  const answered = messages((type, message) => {
    owner?.write(message);
    if (type !== READY_FOR_QUERY || message[5] !== IN_NO_TRANSACTION) return;
    owner = undefined;
    next();
  });
  const server = createServer((client) => {
    client.on('error', () => undefined);
    client.once('data', (startup: Buffer) => {
      void begun(startup).then(() => client.write(WELCOME));
      client.on('data', (bytes: Buffer) => {
        if (bytes[0] === TERMINATE) return void client.end();
        waiting.push({ client, bytes });
        next();
      });
    });
  }).listen(0, '127.0.0.1');
  /** The first client begins the session. */
  let beginning: Promise<void> | undefined;
  const begun = (startup: Buffer): Promise<void> => {
    beginning ??= new Promise((resolve) => {
      upstream = connect({ host, port: Number(port) }, () => upstream?.write(startup));
      const first = messages((type) => {
        if (type !== READY_FOR_QUERY) return;
        upstream?.off('data', first).on('data', answered);
        resolve();
      });
      upstream.on('data', first).on('error', () => undefined);
    });
    return beginning;
  };
  await once(server, 'listening');
  const { port: own } = server.address() as AddressInfo;
  return {
    url: Object.assign(new URL(url), { port: `${own}` }).href,
    close: async () => {
      upstream?.destroy();
      server.close();
    },
  };
}

/** Calls back for each whole message. */
function messages(each: (type: number, message: Buffer) => void): (bytes: Buffer) => void {
  let kept: Buffer = Buffer.alloc(0);
  return (bytes) => {
    kept = Buffer.concat([kept, bytes]);
    while (kept.length > 4 && kept.length > kept.readUInt32BE(1)) {
      const end = kept.readUInt32BE(1) + 1;
      const message = kept.subarray(0, end);
      kept = kept.subarray(end);
      each(message[0] ?? 0, message);
    }
  };
}
