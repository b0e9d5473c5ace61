/** The doors as a good programmer would write them without relais: Express, the same parse, one durable write. */
import { messageRequest } from '../../../src/kinds/message.ts';
import { disbursementRequest } from '../../../src/kinds/disbursement-fields.ts';
import type { AddressInfo } from 'node:net';
import express, { type Request, type Response } from 'express';
import { Redis } from 'ioredis';

interface DoorsOrder {
  readonly port: number;
}

/** Where they are. They stay open until their process ends. */
export async function openBareDoors({ port }: DoorsOrder): Promise<string> {
  const redis = new Redis({ host: '127.0.0.1', port });
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  let next = 0;
  /** The write is durable when Redis answers: it runs with `appendfsync always`. */
  const keep = (body: string): Promise<number> => redis.hset(`bare:${next++}`, 'body', body);
  const accept =
    (schema: typeof disbursementRequest | typeof messageRequest) =>
    async (request: Request, response: Response): Promise<void> => {
      const parsed = schema.safeParse(request.body);
      if (!parsed.success) return void response.status(422).json({});
      await keep(JSON.stringify(parsed.data));
      response.status(202).json({ id: `bare-${next}`, state: 'queued' });
    };
  app.post('/v1/disbursements', express.json(), accept(disbursementRequest));
  app.post('/v1/messages', express.json(), accept(messageRequest));
  app.post(/^\/cb\//, express.json(), async (request, response) => {
    await keep(JSON.stringify(request.body));
    response.status(200).end();
  });
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
