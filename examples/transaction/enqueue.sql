-- Refund an order: the refund and its payment are one transaction.
--
--   psql "$DATABASE_URL" -v ON_ERROR_STOP=1 -v order=1042 -v amount=25000 -qAt -f enqueue.sql
begin;
select relais.enqueue(
  'disbursement',
  jsonb_build_object(
    'reference', 'order-' || :order,
    'accountAlias', '771234567',
    'amount', :amount,
    'withdrawMode', 'wallet-a-senegal'
  )
);
-- An error here rolls both back, and nothing is paid.
insert into refunds (order_id, amount) values (:order, :amount) on conflict (order_id) do nothing;
commit;
