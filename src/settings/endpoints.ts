/** Settings of webhook endpoints: the hosts to which relais can deliver. */
import { readWebhookHost } from '../lib/webhook-hosts.ts';
import { onOff, words } from './types.ts';

export const endpoints = {
  WEBHOOK_HOSTS: [
    words(readWebhookHost),
    'Hosts of your own network to which webhooks can be delivered, also over http: host:port, *.name:port or a network, separated by commas. Unset: only public hosts, over https on port 443.',
  ],
  ALLOW_LOOPBACK_ENDPOINTS: [
    onOff,
    '`on`: webhook endpoints can be on this machine and use http, for tests. `off`: they are refused.',
  ],
} as const;
