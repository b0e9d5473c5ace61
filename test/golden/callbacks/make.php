<?php
// Writes the callback bodies beside it, the way a PHP service would post them, and index.json that says what each holds.
// Run once: php test/golden/callbacks/make.php
declare(strict_types=1);

$hash = hash('sha512', 'golden-master-key');
$invoice = [
    'response_code' => '00',
    'response_text' => 'Transaction Found',
    'hash' => $hash,
    'invoice' => [
        'items' => [
            'item_0' => ['name' => 'Chaussures & sacs « été »', 'quantity' => '3', 'unit_price' => '10000', 'total_price' => '30000', 'description' => ''],
            'item_1' => ['name' => 'Chemise 100% coton', 'quantity' => '1', 'unit_price' => '5000', 'total_price' => '5000', 'description' => 'a=b&c=d'],
        ],
        'taxes' => ['tax_0' => ['name' => 'TVA (18%)', 'amount' => '6300']],
        'token' => 'test_jkEdPY8SuG',
        'total_amount' => '42300',
        'description' => 'Paiement de 42300 FCFA pour article(s) acheté(s)',
    ],
    'custom_data' => ['categorie' => 'Jeu', 'reference' => 'CMD-7'],
    'actions' => [
        'cancel_url' => 'https://shop.example/cancel?a=1&b=2',
        'callback_url' => 'https://relais.example/cb/i/x',
        'return_url' => 'https://shop.example/done?x=1&y=2',
    ],
    'mode' => 'test',
    'status' => 'completed',
    'fail_reason' => '',
    'customer' => ['name' => 'Awa Ndiaye', 'phone' => '+221771234567', 'email' => 'awa.ndiaye@example.sn'],
    'receipt_url' => 'https://pay.example/receipt/pdf/test_jkEdPY8SuG.pdf',
];
$invoiceFields = [
    'status' => 'completed', 'hash' => $hash, 'invoiceToken' => 'test_jkEdPY8SuG', 'totalAmount' => '42300', 'mode' => 'test',
];
$push = [
    'status' => 'success',
    'token' => 'GzVbqMZ1Yx1vrVPqpxkK',
    'withdraw_mode' => 'wallet-b-senegal',
    'amount' => '203.00',
    'updated_at' => '11/01/2024 14:30:32',
    'disburse_id' => '7d1f0c',
    'transaction_id' => 'TX9034567812345',
    'disburse_tx_id' => 'DTX-1122',
];
$pushFields = [
    'status' => 'success', 'token' => 'GzVbqMZ1Yx1vrVPqpxkK', 'withdrawMode' => 'wallet-b-senegal', 'amount' => '203.00',
    'updatedAt' => '11/01/2024 14:30:32', 'disburseId' => '7d1f0c', 'transactionId' => 'TX9034567812345', 'disburseTxId' => 'DTX-1122',
];

$form = 'application/x-www-form-urlencoded';
$json = 'application/json';
$made = [];
$put = function (string $name, string $body, ?string $type, array $fields) use (&$made): void {
    file_put_contents(__DIR__ . "/$name.body", $body);
    $made[] = ['name' => $name, 'contentType' => $type, 'fields' => $fields];
};
$multipart = function (array $flat, string $eol = "\r\n"): string {
    $text = '';
    foreach ($flat as $name => $value) {
        $text .= "--golden42{$eol}Content-Disposition: form-data; name=\"$name\"{$eol}{$eol}$value{$eol}";
    }
    return $text . "--golden42--{$eol}";
};
$flatten = function (array $tree, string $prefix) use (&$flatten): array {
    $flat = [];
    foreach ($tree as $key => $value) {
        $name = $prefix === '' ? (string) $key : "{$prefix}[$key]";
        $flat += is_array($value) ? $flatten($value, $name) : [$name => (string) $value];
    }
    return $flat;
};
$literalBrackets = fn (string $body): string => str_replace(['%5B', '%5D'], ['[', ']'], $body);

foreach (['invoice' => [$invoice, $invoiceFields], 'push' => [$push, $pushFields]] as $kind => [$record, $fields]) {
    $text = json_encode($record);
    $plain = json_encode($record, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
    $put("$kind-form-nested", http_build_query(['data' => $record]), $form, $fields);
    $put("$kind-form-nested-rfc3986", http_build_query(['data' => $record], '', '&', PHP_QUERY_RFC3986), $form, $fields);
    $put("$kind-form-nested-literal-brackets", $literalBrackets(http_build_query(['data' => $record])), $form, $fields);
    $put("$kind-form-nested-charset", http_build_query(['data' => $record]), "$form; charset=UTF-8", $fields);
    $put("$kind-form-flat", http_build_query($record), $form, $fields);
    $put("$kind-form-data-json", 'data=' . urlencode($text), $form, $fields);
    $put("$kind-form-data-json-twice", 'data=' . urlencode(urlencode($text)), $form, $fields);
    $put("$kind-form-data-json-rawtwice", 'data=' . rawurlencode(rawurlencode($plain)), $form, $fields);
    $put("$kind-form-data-json-unencoded", 'data=' . $plain, $form, $fields);
    $put("$kind-form-data-querystring", 'data=' . urlencode(http_build_query($record)), $form, $fields);
    $put("$kind-form-data-querystring-twice", 'data=' . urlencode(urlencode(http_build_query($record))), $form, $fields);
    $put("$kind-json-data", json_encode(['data' => $record]), $json, $fields);
    $put("$kind-json-flat", $text, $json, $fields);
    $put("$kind-json-pretty-bom", "\xEF\xBB\xBF" . json_encode(['data' => $record], JSON_PRETTY_PRINT), $json, $fields);
    $put("$kind-json-string", json_encode(json_encode(['data' => $record])), $json, $fields);
    $put("$kind-json-data-string", json_encode(['data' => $text]), $json, $fields);
    $put("$kind-multipart-nested", $multipart($flatten($record, 'data')), 'multipart/form-data; boundary=golden42', $fields);
    $put("$kind-multipart-data-json", $multipart(['data' => $plain]), 'multipart/form-data; boundary="golden42"', $fields);
    $put("$kind-multipart-no-type-lf", $multipart($flatten($record, ''), "\n"), null, $fields);
    $put("$kind-form-no-type", http_build_query(['data' => $record]), null, $fields);
    $put("$kind-form-as-json", http_build_query(['data' => $record]), $json, $fields);
    $put("$kind-json-as-form", $text, $form, $fields);
    $put("$kind-json-as-text", json_encode(['data' => $record]), 'text/plain', $fields);
    $put("$kind-json-percent-encoded", rawurlencode($text), $form, $fields);
}

// What only one kind shows.
$put('invoice-hash-at-root', http_build_query(['hash' => $hash, 'data' => array_diff_key($invoice, ['hash' => 1])]), $form, $invoiceFields);
$put('invoice-nested-part-json', http_build_query(['data' => ['invoice' => json_encode($invoice['invoice'])] + $invoice]), $form, $invoiceFields);
$put('invoice-numbers', json_encode(['data' => ['invoice' => ['total_amount' => 42300] + $invoice['invoice']] + $invoice]), $json, $invoiceFields);
$put('invoice-card', http_build_query(['data' => $invoice + ['pan' => '4111 1111 1111 1111']]), $form, $invoiceFields + ['panLast4' => '1111']);
$put('invoice-cancelled-card', http_build_query(['data' => ['status' => 'cancelled', 'fail_reason' => 'Fonds insuffisants', 'errors' => ['message' => 'Refus', 'description' => 'Carte refusée']] + $invoice]), $form, ['status' => 'cancelled'] + $invoiceFields);
$put('push-without-id', http_build_query(array_diff_key($push, ['disburse_id' => 1])), $form, array_diff_key($pushFields, ['disburseId' => 1]));
$put('push-spaces', http_build_query(['token' => " GzVbqMZ1Yx1vrVPqpxkK\n"] + $push), $form, $pushFields);
$put('push-numbers', json_encode(['amount' => 203, 'disburse_id' => 42] + $push), $json, ['amount' => '203', 'disburseId' => '42'] + $pushFields);
$put('push-nulls', json_encode(['disburse_tx_id' => null] + $push), $json, array_diff_key($pushFields, ['disburseTxId' => 1]));
$put('push-latin1', http_build_query($push + ['note' => "pay\xE9"]), "$form; charset=ISO-8859-1", $pushFields);

file_put_contents(__DIR__ . '/index.json', json_encode($made, JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES) . "\n");
echo count($made), " bodies\n";
