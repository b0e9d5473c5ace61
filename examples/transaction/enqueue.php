<?php

/**
 * Refund an order: the refund and its payment are one transaction.
 *
 *   DATABASE_URL=postgresql://shop:password@127.0.0.1:5432/shop php enqueue.php 1042 25000
 */

declare(strict_types=1);

[, $order, $amount] = $argv;
$url = parse_url(getenv('DATABASE_URL'));
$database = new PDO(
    sprintf('pgsql:host=%s;port=%d;dbname=%s', $url['host'], $url['port'] ?? 5432, ltrim($url['path'], '/')),
    urldecode($url['user'] ?? ''),
    urldecode($url['pass'] ?? ''),
);

$request = json_encode([
    'reference' => "order-$order",
    'accountAlias' => '771234567',
    'amount' => (int) $amount,
    'withdrawMode' => 'wallet-a-senegal',
], JSON_THROW_ON_ERROR);

$database->beginTransaction();
try {
    $enqueue = $database->prepare("select relais.enqueue('disbursement', ?)");
    $enqueue->execute([$request]);
    $id = $enqueue->fetchColumn();
    $refund = $database->prepare(
        'insert into refunds (order_id, amount) values (?, ?) on conflict (order_id) do nothing',
    );
    $refund->execute([$order, $amount]);
    $database->commit();
} catch (Throwable $error) {
    // Both are rolled back, and nothing is paid.
    $database->rollBack();
    throw $error;
}
echo $id, "\n";
