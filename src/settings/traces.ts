/** Settings of traces. */
import { z } from 'zod';
import { httpUrl, secret } from './types.ts';
import { says } from '../messages/schemas.ts';

export const traces = {
  OTEL_EXPORTER_OTLP_ENDPOINT: [
    httpUrl().optional(),
    'URL that receives traces over OTLP/HTTP (JSON): http://collector:4318. Unset: no tracing.',
  ],
  OTEL_EXPORTER_OTLP_HEADERS: [
    secret(),
    'Headers sent with traces, such as a key of the collector: name=value,name=value. Unset: none.',
    'secret',
  ],
  OTEL_SERVICE_NAME: [z.string().min(1).default('relais'), 'Name of this deployment in traces.'],
  OTEL_TRACES_SAMPLER_ARG: [
    z.coerce
      .number({ error: says('share') })
      .min(0)
      .max(1)
      .default(1),
    'Share of requests that are traced, 0 to 1, if the `traceparent` of the caller does not decide it.',
  ],
} as const;
