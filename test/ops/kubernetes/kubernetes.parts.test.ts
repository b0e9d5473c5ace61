import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { loadConfig } from '../../../src/config.ts';
import { metricNames } from '../../../src/metrics/declarations.ts';
import { queueNames } from '../../../src/queues/index.ts';
import { missing as noPrometheus, promtool } from '../prometheus.ts';
import { metricsIn } from '../rules-files.ts';
import { complaintsAbout, secretsInTheExample, secretsOf, settingsOf } from './complaints.ts';
import { type Manifest, missing, render, schemaComplaints, typeComplaints } from './manifests.ts';

const overlays = ['overlays/small', 'overlays/scaled'] as const;
const rendered = new Map(overlays.map((overlay) => [overlay, render(overlay)] as const));
const small = rendered.get('overlays/small') ?? [];
const scaled = rendered.get('overlays/scaled') ?? [];

const find = (objects: readonly Manifest[], kind: string, name: string): Manifest => {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  if (found === undefined) throw new Error(`no ${kind} ${name}`);
  return found;
};
const deployments = (objects: readonly Manifest[]) => objects.filter(({ kind }) => kind === 'Deployment');

describe.skipIf(missing)('rendered for a cluster', () => {
  test('matches the schemas and types of Kubernetes, its Prometheus and KEDA', async () => {
    const all = [...rendered].flatMap(([overlay, objects]) =>
      objects.map((object) => [`${overlay} ${object.kind} ${object.metadata.name}`, object] as const),
    );
    expect(all.length).toBeGreaterThan(25);
    expect(all.flatMap(([, object]) => schemaComplaints(object))).toEqual([]);
    const complaints = await typeComplaints(new Map(all));
    expect([...complaints].filter(([, some]) => some.length > 0)).toEqual([]);
  });

  test.for(overlays)('%s fits itself, the settings and the time to stop', (overlay) => {
    expect(complaintsAbout(rendered.get(overlay) ?? [])).toEqual([]);
  });

  test.for(overlays)('%s lies in one namespace, and each of its processes can read its settings', (overlay) => {
    const objects = rendered.get(overlay) ?? [];
    expect(new Set(objects.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['relais']));
    for (const deployment of deployments(objects))
      expect(loadConfig(settingsOf(deployment, objects)).HOST).toBe('0.0.0.0');
  });

  test.for(overlays)('%s gives each process the secrets that it uses, and no others', (overlay) => {
    const given = (role: string) => secretsOf(find(rendered.get(overlay) ?? [], 'Deployment', `relais-${role}`));
    const keys = 'SERVICE_MASTER_KEY SERVICE_PRIVATE_KEY SERVICE_TOKEN SMS_USER_KEY SMS_SECRET_KEY SMS_APP_KEY';
    const worker = ['DATABASE_URL', 'REDIS_URL', 'CALLBACK_SECRET', 'SEALING_SECRET', ...keys.split(' ')];
    expect(given('worker')).toEqual(worker);
    expect(given('api').toSorted()).toEqual([...worker, 'API_KEYS'].toSorted());
    expect(given('webhooks').toSorted()).toEqual(['CALLBACK_SECRET', 'DATABASE_URL', 'REDIS_URL']);
    expect(secretsInTheExample.toSorted()).toEqual([...worker, 'API_KEYS'].toSorted());
  });

  test('small keeps a witness, in a volume that only one process at a time has', () => {
    const api = find(small, 'Deployment', 'relais-api');
    expect(api.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
    const [{ volumeMounts }] = api.spec.template.spec.containers;
    expect(settingsOf(api, small)['WITNESS_FILE']).toBe(`${volumeMounts[0].mountPath}/witness`);
  });
});

describe.skipIf(missing)('the number of workers', () => {
  const { spec } = missing ? { spec: undefined } : find(scaled, 'ScaledObject', 'relais-worker');

  test('is scaled by KEDA: two or more, and one less in ten minutes', () => {
    expect(find(scaled, 'Deployment', 'relais-worker').spec.replicas).toBeUndefined();
    expect(spec.scaleTargetRef).toEqual({ name: 'relais-worker' });
    expect(spec.minReplicaCount).toBeGreaterThanOrEqual(2);
    expect(spec.advanced.horizontalPodAutoscalerConfig.behavior.scaleDown).toEqual({
      stabilizationWindowSeconds: 600,
      policies: [{ type: 'Pods', value: 1, periodSeconds: 600 }],
    });
  });

  test('follows metrics and queues that there are, of this namespace, and does not take silence for rest', () => {
    const [{ metadata }] = spec.triggers;
    expect(metricsIn(metadata.query).length).toBeGreaterThan(0);
    for (const name of metricsIn(metadata.query)) expect(metricNames).toContain(name);
    const [, queues = ''] = /queue=~"([^"]+)"/.exec(metadata.query) ?? [];
    for (const queue of queues.split('|')) expect(queueNames).toContain(queue);
    const { labels, namespace } = find(scaled, 'PodMonitor', 'relais').metadata;
    expect(metadata.query).toContain(`job="${labels?.['app.kubernetes.io/name']}", namespace="${namespace}"`);
    expect(metadata.ignoreNullValues).toBe('false');
  });

  test.skipIf(noPrometheus)('is queried as Prometheus understands it: the latest of what is late, here', async () => {
    const [{ metadata }] = spec.triggers;
    const late = (name: string, labels: string, seconds: number) => ({
      series: `${name}{job="relais", ${labels}}`,
      values: String(seconds),
    });
    const input_series = [
      late('relais_backlog_seconds', 'namespace="relais", pod="a", queue="disbursement"', 7),
      late('relais_backlog_seconds', 'namespace="relais", pod="b", queue="disbursement"', 7),
      late('relais_oldest_job_age_seconds', 'namespace="relais", pod="a", queue="sms-batch"', 45),
      late('relais_backlog_seconds', 'namespace="relais", pod="a", queue="event-delivery"', 400),
      late('relais_backlog_seconds', 'namespace="another", pod="a", queue="disbursement"', 900),
    ];
    const expected = { expr: metadata.query, eval_time: '0m', exp_samples: [{ labels: '{}', value: 45 }] };
    const folder = mkdtempSync(join(tmpdir(), 'relais-query-'));
    try {
      const file = join(folder, 'test.yml');
      writeFileSync(file, stringify({ tests: [{ interval: '1m', input_series, promql_expr_test: [expected] }] }));
      expect(await promtool(['test', 'rules', file])).toMatchObject({ ok: true });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe.skipIf(missing)('a mistake', () => {
  const container = (objects: Manifest[]) =>
    find(objects, 'Deployment', 'relais-worker').spec.template.spec.containers[0];
  const planted: readonly (readonly [string, (objects: Manifest[]) => void, string])[] = [
    [
      'an unknown setting',
      (all) => container(all).env.push({ name: 'WORKERS', value: '3' }),
      'WORKERS is no setting',
    ],
    [
      'a secret in clear',
      (all) => (container(all).env[2] = { name: 'CALLBACK_SECRET', value: 's'.repeat(48) }),
      'CALLBACK_SECRET stands there in clear',
    ],
    [
      'a secret that nobody makes',
      (all) => (container(all).env[2].valueFrom.secretKeyRef.key = 'CALLBACK'),
      'no secret relais with CALLBACK is asked for in secrets.env.example',
    ],
    [
      'a secret that is missing',
      (all) => container(all).env.splice(2, 1),
      'it would not start: CALLBACK_SECRET: is not set',
    ],
    [
      'a key that is missing',
      (all) =>
        (container(all).env = container(all).env.filter(({ name }: { name: string }) => name !== 'SERVICE_TOKEN')),
      'it would not start: SERVICE_TOKEN: is not set',
    ],
    [
      'a grace shorter than the drain',
      (all) => (find(all, 'Deployment', 'relais-worker').spec.template.spec.terminationGracePeriodSeconds = 120),
      '120 s to stop, and 135 s may be needed',
    ],
    [
      'a drain longer than the grace',
      (all) => container(all).env.push({ name: 'DRAIN_TIMEOUT', value: '5m' }),
      '150 s to stop, and 365 s may be needed',
    ],
    ['another port', (all) => (container(all).ports[0].containerPort = 9100), 'metrics is 9100, METRICS_PORT is not'],
    [
      'a probe of readiness that restarts',
      (all) => (container(all).livenessProbe.httpGet.path = '/readyz'),
      'the probes ask /healthz /readyz /readyz',
    ],
    ['a tag that moves', (all) => (container(all).image = 'relais:latest'), 'runs whatever the tag means today'],
    [
      'an image that can be written',
      (all) => delete container(all).securityContext.readOnlyRootFilesystem,
      'may write its image',
    ],
  ];

  test.for(planted)('is found: %s', ([, plant, complaint]) => {
    const objects = structuredClone(small);
    plant(objects);
    expect(complaintsAbout(objects)).toEqual([`relais-worker: ${complaint}`]);
  });

  test('is found: a Service that selects nothing, or names a port that does not exist', () => {
    const objects = structuredClone(small);
    find(objects, 'Service', 'relais-api').spec.selector['app.kubernetes.io/component'] = 'app';
    find(objects, 'Service', 'relais-webhooks').spec.ports[0].targetPort = 'api';
    expect(complaintsAbout(objects)).toEqual([
      'relais-api: selects nothing',
      'relais-webhooks: asks for the port api, which is not there',
    ]);
  });

  test('is found: an unknown field, wherever it is, and a wrong type', async () => {
    const plant = (kind: string, name: string, change: (object: Manifest) => void): Manifest => {
      const object = structuredClone(find(scaled, kind, name));
      change(object);
      return object;
    };
    const wrong = new Map([
      ['top', plant('Service', 'relais-api', (one) => Object.assign(one, { spce: {} }))],
      ['metadata', plant('Service', 'relais-api', ({ metadata }) => Object.assign(metadata, { lables: {} }))],
      ['deep', plant('Deployment', 'relais-api', ({ spec }) => (spec.template.spec.gracePeriodSeconds = 150))],
      ['type', plant('Deployment', 'relais-api', ({ spec }) => (spec.replicas = '2'))],
      ['keda', plant('ScaledObject', 'relais-worker', ({ spec }) => (spec.minReplicas = 2))],
      ['monitor', plant('PodMonitor', 'relais', ({ spec }) => (spec.podMetricsEndpoints[0].prot = 'metrics'))],
      ['rule', plant('PrometheusRule', 'relais', ({ spec }) => (spec.groups[0].rules[0].severity = 'critical'))],
    ]);
    const complaints = await typeComplaints(wrong);
    for (const [name, field] of Object.entries({
      top: 'spce',
      metadata: 'lables',
      deep: 'gracePeriodSeconds',
      keda: 'minReplicas',
      monitor: 'prot',
      rule: 'severity',
    }))
      expect(complaints.get(name)?.join()).toMatch(new RegExp(`known properties, and '"${field}"' does not exist`));
    expect(complaints.get('type')?.join()).toContain("'string' is not assignable to type 'number'");
    expect(schemaComplaints(wrong.get('type')!).join()).toContain('replicas');
  });
});
