/**
 * Refund an order: the refund and its payment are one transaction.
 *
 *   DATABASE_URL=postgresql://shop:password@127.0.0.1:5432/shop node enqueue.ts 1042 25000
 */
import { Client } from 'pg';

const [order, amount] = process.argv.slice(2).map(Number);
const request = {
  reference: `order-${order}`,
  accountAlias: '771234567',
  amount,
  withdrawMode: 'wallet-a-senegal',
};

const client = new Client({ connectionString: process.env['DATABASE_URL'] });
await client.connect();
try {
  await client.query('begin');
  const { rows } = await client.query<{ id: string }>("select relais.enqueue('disbursement', $1) as id", [request]);
  await client.query('insert into refunds (order_id, amount) values ($1, $2) on conflict (order_id) do nothing', [
    order,
    amount,
  ]);
  await client.query('commit');
  console.log(rows[0]?.id);
} catch (error) {
  // Both are rolled back, and nothing is paid.
  await client.query('rollback');
  throw error;
} finally {
  await client.end();
}
