/** Each program of examples/webhook accepts a delivery of relais, and refuses similar ones. */
import { describe, expect, test } from 'vitest';
import { newEndpointSecret, signedHeaders } from '../../src/events/outgoing/webhook-sender.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { languagesOfWebhooks, runProgram } from '../support/languages.ts';

const [secret, older] = [newEndpointSecret(systemRandom), newEndpointSecret(systemRandom)];
const body = JSON.stringify({ id: 'dsb_1.1', type: 'disbursement.succeeded', data: { note: 'payé à Thiès ✓' } });

interface Sent {
  readonly body?: string;
  readonly agoS?: number;
  readonly signers?: Parameters<typeof signedHeaders>[0];
  readonly id?: string;
}

describe.for(languagesOfWebhooks())('$name', (language) => {
  const verify = ({ body: posted = body, agoS = 0, signers = [secret], id = 'dsb_1.1' }: Sent = {}) => {
    const timestampS = Math.floor(Date.now() / 1_000) - agoS;
    const headers = signedHeaders(signers, { id: 'dsb_1.1', timestampS, body });
    return runProgram(language, [id, String(timestampS), headers['webhook-signature'] ?? ''], {
      env: { WEBHOOK_SECRET: secret.reveal() },
      input: posted,
    });
  };

  test('accepts a delivery, also while the secret is rotated', async (context) => {
    if (language.missing !== undefined) context.skip(language.missing);
    for (const signers of [[secret], [older, secret]]) {
      const { status, said, errors } = await verify({ signers });
      expect([status, errors]).toEqual([0, '']);
      expect(said).toContain('disbursement.succeeded');
    }
  });

  test('refuses another body, another id, another secret and an old delivery', async (context) => {
    if (language.missing !== undefined) context.skip(language.missing);
    const refused = [
      { body: body.replace('succeeded', 'reversed!') },
      { id: 'dsb_2.1' },
      { signers: [older] },
      { agoS: 400 },
    ];
    for (const sent of refused) {
      const { status, said } = await verify(sent);
      expect([status === 0, said.includes('disbursement')], JSON.stringify(sent)).toEqual([false, false]);
    }
  });
});
