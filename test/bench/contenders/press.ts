/** Sends prepared requests over raw sockets at full speed, at a far lower cost than the measured server. */
import { connect } from 'node:net';
import { CONCURRENCY, paymentOf, referenceOf } from '../work.ts';

export interface PressOrder {
  readonly url: string;
  readonly first: number;
  readonly count: number;
}

/** Requests this many payments, and waits for every answer. */
export async function press({ url, first, count }: PressOrder): Promise<void> {
  const written = Array.from({ length: count }, (_, index) => requestOf(first + index));
  const { hostname, port } = new URL(url);
  let next = 0;
  const take = (): string | undefined => written[next++];
  const lanes = Array.from({ length: CONCURRENCY }, () => lane({ host: hostname, port: Number(port) }, take));
  await Promise.all(lanes);
}

function requestOf(index: number): string {
  const body = JSON.stringify({ ...paymentOf(index), reference: referenceOf(index) });
  const headers = ['host: 127.0.0.1', 'authorization: Bearer dev', 'content-type: application/json'];
  const head = ['POST /v1/disbursements HTTP/1.1', ...headers, `content-length: ${Buffer.byteLength(body)}`];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** One connection: a request as soon as the previous answer is complete. Only the length of an answer is read. */
function lane(where: { host: string; port: number }, take: () => string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    let missing = 0;
    const socket = connect({ ...where, noDelay: true });
    const next = (): void => {
      const text = take();
      if (text === undefined) socket.end(resolve);
      else socket.write(text);
    };
    socket.on('connect', next).on('error', reject);
    socket.on('data', (data) => {
      try {
        missing = missing > 0 ? missing - data.length : lengthOf(data) - data.length;
        if (missing === 0) next();
      } catch (error) {
        socket.destroy();
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  });
}

/** The length of the whole answer. All measured servers declare it, and their head arrives in one piece. */
function lengthOf(data: Buffer): number {
  const end = data.indexOf('\r\n\r\n');
  const head = data.toString('latin1', 0, end);
  const [, length] = /content-length: (\d+)/i.exec(head) ?? [];
  if (length === undefined || !/^HTTP\/1.1 2/.test(head))
    throw new Error(`refused: ${data.toString().slice(0, 600)}`);
  return end + 4 + Number(length);
}
