<?php

/**
 * Verify a delivery of relais: the body comes on standard input.
 *
 *   WEBHOOK_SECRET=whsec_… php verify.php "$WEBHOOK_ID" "$WEBHOOK_TIMESTAMP" "$WEBHOOK_SIGNATURE" < body
 *
 * In a web page the four are $_SERVER['HTTP_WEBHOOK_ID'], $_SERVER['HTTP_WEBHOOK_TIMESTAMP'],
 * $_SERVER['HTTP_WEBHOOK_SIGNATURE'] and file_get_contents('php://input').
 */

declare(strict_types=1);

/** Returns the event. Throws if relais did not send exactly these bytes within the last five minutes. */
function verify(string $secret, string $id, string $timestamp, string $signatures, string $body): array
{
    if (abs(time() - (int) $timestamp) > 300) {
        throw new RuntimeException('the delivery is older than five minutes');
    }
    $key = base64_decode(substr($secret, strlen('whsec_')), true);
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    // During a rotation of the secret there are several signatures.
    foreach (explode(' ', $signatures) as $signature) {
        if (hash_equals($expected, $signature)) {
            return json_decode($body, true, flags: JSON_THROW_ON_ERROR);
        }
    }
    throw new RuntimeException('no signature fits');
}

[, $id, $timestamp, $signatures] = $argv;
$event = verify(getenv('WEBHOOK_SECRET'), $id, $timestamp, $signatures, stream_get_contents(STDIN));
echo $event['type'], "\n";
