<?php

/**
 * Asks for a disbursement over HTTP and waits for its event, with nothing but PHP.
 *
 * Start `./bin/relais.js dev`, then:  php examples/php/disburse.php order-1042
 * Another address or key: RELAIS_URL, RELAIS_API_KEY.
 */

declare(strict_types=1);

/** One request, repeated while nobody answers: the reference makes that harmless. */
function ask(string $method, string $path, ?array $body = null): array
{
    $url = getenv('RELAIS_URL') ?: 'http://127.0.0.1:3000';
    $key = getenv('RELAIS_API_KEY') ?: 'dev';
    $context = stream_context_create(['http' => [
        'method' => $method,
        'header' => ["Authorization: Bearer $key", 'Content-Type: application/json'],
        'content' => $body === null ? '' : json_encode($body, JSON_THROW_ON_ERROR),
        'timeout' => 30,
        'ignore_errors' => true, // the body of a refusal says why
    ]]);
    foreach ([1, 2, 4, 8, 0] as $wait) {
        $http_response_header = [];
        $text = @file_get_contents($url . $path, false, $context);
        $status = (int) (explode(' ', $http_response_header[0] ?? '')[1] ?? 0);
        if ($status >= 200 && $status < 300) {
            return json_decode($text, true, flags: JSON_THROW_ON_ERROR);
        }
        // `application/problem+json`: `type` is for programs, `detail` for people.
        if ($status !== 0 && $status !== 429 && $status !== 503) {
            throw new RuntimeException("$status " . json_decode($text, true)['detail']);
        }
        sleep($wait);
    }
    throw new RuntimeException("$url does not answer");
}

/** Every event from a place on, the oldest first, without end. A service would keep the place. */
function events(string $after = '0-0'): Generator
{
    while (true) {
        $page = ask('GET', '/v1/events?' . http_build_query(['after' => $after, 'limit' => 100]));
        yield from $page['events'];
        if ($page['next'] === $after) {
            usleep(500_000);
        }
        $after = $page['next'];
    }
}

$order = $argv[1] ?? 'order-1042';
$asked = ask('POST', '/v1/disbursements', [
    'reference' => $order,
    'accountAlias' => '771234567',
    'amount' => 25000, // whole XOF: 25000.0 or '25000' is refused
    'withdrawMode' => 'wallet-a-senegal',
    'metadata' => ['orderId' => $order], // your own data: it comes back with the event
]);
echo $asked['id'], ' ', $asked['state'], "\n";
foreach (events() as $event) {
    if ($event['data']['id'] !== $asked['id']) {
        continue;
    }
    echo $event['type'], ' ', json_encode($event['data']), "\n";
    if ($event['data']['state'] !== 'held') { // held goes on by itself
        break;
    }
}
