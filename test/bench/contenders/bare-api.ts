/** Acceptance without relais: Express, the same checks, one INSERT per request. */
import type { AddressInfo } from 'node:net';
import express from 'express';
import { Pool } from 'pg';
import { disbursementRequest } from '../../../src/kinds/disbursement-fields.ts';

/** Its address. It stays open until its process ends. */
export async function openBareApi({ databaseUrl }: { readonly databaseUrl: string }): Promise<string> {
  const pool = new Pool({ connectionString: databaseUrl, max: 10 });
  await pool.query('create table if not exists bare (id text primary key, request jsonb not null)');
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.post('/v1/disbursements', express.json(), async (request, response) => {
    const parsed = disbursementRequest.safeParse(request.body);
    if (!parsed.success) return void response.status(422).json({});
    const { reference } = parsed.data;
    await pool.query('insert into bare values ($1, $2) on conflict do nothing', [reference, parsed.data]);
    response.status(202).json({ id: reference, state: 'queued' });
  });
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
