/** Rules beyond the schemas: consistency of the objects, of our settings, and of the stop time of a process. */
import { describeSettings, loadConfig, missingFor } from '../../../src/config.ts';
import { timingOf } from '../../../src/app/container.ts';
import { roles } from '../../../src/cli/io.ts';
import { type Labels, type Manifest, readKubernetes } from './manifests.ts';
import { textOf } from '../../../src/messages/texts.ts';

const described = describeSettings();
const settingNames = new Set(described.map(({ name }) => name));
/** An address of Redis contains its password. */
const secretNames = new Set(['REDIS_URL', ...described.flatMap(({ name, secret }) => (secret ? [name] : []))]);

export const secretsInTheExample: readonly string[] = readKubernetes('secrets.env.example')
  .split('\n')
  .flatMap((line) => (/^[A-Z]/.test(line) ? [line.slice(0, line.indexOf('='))] : []));

const ofKind = (objects: readonly Manifest[], kind: string): readonly Manifest[] =>
  objects.filter((object) => object.kind === kind);

const containerOf = (deployment: Manifest) => deployment.spec.template.spec.containers[0];

interface Env {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef?: { readonly name: string; readonly key: string } };
}

const envOf = (deployment: Manifest): readonly Env[] => containerOf(deployment).env;

export const secretsOf = (deployment: Manifest): readonly string[] =>
  envOf(deployment).flatMap(({ name, valueFrom }) => (valueFrom?.secretKeyRef ? [name] : []));

/** The settings of a process: shared ones, its own, and a value for each secret. */
export function settingsOf(deployment: Manifest, objects: readonly Manifest[]): Record<string, string> {
  const maps = containerOf(deployment).envFrom.map(({ configMapRef }: any) => configMapRef.name as string);
  const shared = ofKind(objects, 'ConfigMap').filter(({ metadata }) => maps.includes(metadata.name));
  const own = envOf(deployment).map(({ name, value }) => [name, value ?? secretFor(name)] as const);
  return Object.assign({}, ...shared.map(({ data }) => data), Object.fromEntries(own)) as Record<string, string>;
}

function secretFor(name: string): string {
  if (name === 'REDIS_URL') return 'rediss://redis.example.com:6379';
  if (name === 'DATABASE_URL') return 'postgres://postgres.example.com/relais';
  return name === 'API_KEYS' ? `somebody:read:${'s'.repeat(48)}` : 's'.repeat(48);
}

function ofSettings(deployment: Manifest, objects: readonly Manifest[]): readonly string[] {
  const complaints: string[] = [];
  for (const name of Object.keys(settingsOf(deployment, objects)))
    if (!settingNames.has(name)) complaints.push(`${name} is no setting`);
  for (const missing of missingFor(settingsOf(deployment, objects), [containerOf(deployment).args[2]]))
    complaints.push(`it would not start: ${textOf(missing).replace(/ \(.*/, '')}`);
  for (const { name, value, valueFrom } of envOf(deployment)) {
    if (secretNames.has(name) && value !== undefined) complaints.push(`${name} stands there in clear`);
    const { name: secret, key = '' } = valueFrom?.secretKeyRef ?? {};
    if (secret === undefined) continue;
    if (secret !== 'relais' || !secretsInTheExample.includes(key))
      complaints.push(`no secret ${secret} with ${key} is asked for in secrets.env.example`);
  }
  return complaints;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

const PORT_SETTINGS = { api: 'API_PORT', webhooks: 'WEBHOOKS_PORT', metrics: 'METRICS_PORT' } as const;

const portsOf = (deployment: Manifest): readonly { readonly name: string; readonly containerPort: number }[] =>
  containerOf(deployment).ports;

function ofPorts(deployment: Manifest, objects: readonly Manifest[]): readonly string[] {
  const settings = settingsOf(deployment, objects);
  const wrong = portsOf(deployment).flatMap(({ name, containerPort }) => {
    const setting = PORT_SETTINGS[name as keyof typeof PORT_SETTINGS];
    return settings[setting] === String(containerPort) ? [] : [`${name} is ${containerPort}, ${setting} is not`];
  });
  const { startupProbe, livenessProbe, readinessProbe } = containerOf(deployment);
  const paths = [startupProbe, livenessProbe, readinessProbe].map((probe?: Probe) => probe?.httpGet.path);
  if (paths.join(' ') !== '/healthz /healthz /readyz') wrong.push(`the probes ask ${paths.join(' ')}`);
  const asked = [startupProbe, livenessProbe, readinessProbe].map((probe?: Probe) => probe?.httpGet.port);
  return asked.every((port) => port === 'metrics') ? wrong : [...wrong, `the probes ask at ${asked.join(' ')}`];
}

/** From the signal: preStop, the drain, and one more exchange that may have just begun. */
function ofGrace(deployment: Manifest, objects: readonly Manifest[]): readonly string[] {
  const config = loadConfig(settingsOf(deployment, objects));
  const { terminationGracePeriodSeconds: grace } = deployment.spec.template.spec;
  const preStop: number = containerOf(deployment).lifecycle?.preStop.sleep.seconds ?? 0;
  const exchangeMs = config.UPSTREAM_TIMEOUT + config.UPSTREAM_CONNECT_TIMEOUT;
  const needed = preStop + (timingOf(config).drainMs + exchangeMs) / 1_000;
  return grace > needed ? [] : [`${grace} s to stop, and ${needed} s may be needed`];
}

function ofHardening(deployment: Manifest): readonly string[] {
  const { securityContext: pod, automountServiceAccountToken, enableServiceLinks } = deployment.spec.template.spec;
  const { securityContext: container, resources, image, args } = containerOf(deployment);
  const facts: Readonly<Record<string, boolean>> = {
    'is not held to a user other than root': pod.runAsNonRoot === true && pod.runAsUser === 1000,
    'has no seccomp profile': pod.seccompProfile?.type === 'RuntimeDefault',
    'may gain rights': container.allowPrivilegeEscalation === false && container.capabilities.drop.join() === 'ALL',
    'may write its image': container.readOnlyRootFilesystem === true,
    'has a token of the cluster': automountServiceAccountToken === false,
    'is told of services as settings': enableServiceLinks === false,
    'has no limit of memory': resources.limits?.memory !== undefined,
    'runs whatever the tag means today': /[:@](?!latest$)[\w.:-]+$/.test(image),
    'has no role': args[0] === 'run' && args[1] === '--roles' && (roles as readonly string[]).includes(args[2]),
  };
  return Object.entries(facts).flatMap(([complaint, holds]) => (holds ? [] : [complaint]));
}

/** Selectors must match some of our processes and no others, at ports that they have. */
function ofSelectors(object: Manifest, deployments: readonly Manifest[]): readonly string[] {
  const selector = selectorOf(object);
  if (selector === undefined) return [];
  const { matchLabels, matchExpressions = [] } = selector;
  const complaints = matchLabels['app.kubernetes.io/name'] === 'relais' ? [] : ['selects what is not ours'];
  const found = deployments.filter(({ spec: { template } }) => {
    const labels: Labels = template.metadata.labels;
    const equal = Object.entries(matchLabels).every(([name, value]) => labels[name] === value);
    return equal && matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''));
  });
  if (found.length === 0) complaints.push('selects nothing');
  const names = found.map((deployment) => portsOf(deployment).map(({ name }) => name));
  for (const port of portsAskedBy(object))
    if (!names.every((some) => some.includes(port))) complaints.push(`asks for the port ${port}, which is not there`);
  return complaints;
}

interface Selector {
  readonly matchLabels: Labels;
  readonly matchExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[];
}

function selectorOf({ kind, spec }: Manifest): Selector | undefined {
  if (kind === 'Service') return { matchLabels: spec.selector };
  if (kind === 'NetworkPolicy') return spec.podSelector;
  return kind === 'PodDisruptionBudget' || kind === 'PodMonitor' ? spec.selector : undefined;
}

function portsAskedBy({ kind, spec }: Manifest): readonly string[] {
  if (kind === 'Service') return spec.ports.map(({ targetPort }: { targetPort: string }) => targetPort);
  if (kind === 'PodMonitor') return spec.podMetricsEndpoints.map(({ port }: { port: string }) => port);
  if (kind !== 'NetworkPolicy') return [];
  return (spec.ingress ?? []).flatMap(({ ports }: any) => ports.map(({ port }: { port: string }) => port));
}

/** Each with the name of its object. */
export function complaintsAbout(objects: readonly Manifest[]): readonly string[] {
  const deployments = ofKind(objects, 'Deployment');
  const named = ({ metadata }: Manifest, complaints: readonly string[]) =>
    complaints.map((complaint) => `${metadata.name}: ${complaint}`);
  return [
    ...deployments.flatMap((one) =>
      named(one, [
        ...ofSettings(one, objects),
        ...ofPorts(one, objects),
        ...ofGrace(one, objects),
        ...ofHardening(one),
      ]),
    ),
    ...objects.flatMap((object) => named(object, ofSelectors(object, deployments))),
  ];
}
