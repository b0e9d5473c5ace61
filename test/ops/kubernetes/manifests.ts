/** The rendered files of ops/kubernetes, and the schema of each kind. */
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import { PodMonitor, PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { Deployment } from 'kubernetes-models/apps/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, PersistentVolumeClaim, Service, ServiceAccount } from 'kubernetes-models/v1';
import { parseAllDocuments } from 'yaml';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

export const readKubernetes = (path: string): string => readFileSync(join(ROOT, 'ops/kubernetes', path), 'utf8');

export type Labels = Readonly<Record<string, string>>;

/** Any object of a cluster, as far as the tests read it; its schema checks its shape. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Labels };
  data?: Record<string, string>;
  spec?: any;
}

function runs(command: string, args: readonly string[]): boolean {
  try {
    execFileSync(command, [...args], { stdio: 'ignore' });
    return true;
  } catch {
    return false; // it is not there
  }
}

/** kubectl includes kustomize; either is sufficient. */
const renderer = [
  { command: 'kubectl', asked: ['version', '--client'], args: ['kustomize'] },
  { command: 'kustomize', asked: ['version'], args: ['build'] },
].find(({ command, asked }) => runs(command, asked));

/** Why these tests cannot run here; undefined: they can. */
export const missing = renderer ? undefined : 'skipped: neither kubectl nor kustomize is here';

if (missing) console.warn(missing);

/** As in a copy of an overlay. */
export function render(overlay: string): Manifest[] {
  if (renderer === undefined) return [];
  const { command, args } = renderer;
  const folder = mkdtempSync(join(tmpdir(), 'relais-kubernetes-'));
  try {
    cpSync(join(ROOT, 'ops/kubernetes'), folder, { recursive: true });
    const text = execFileSync(command, [...args, join(folder, overlay)], { encoding: 'utf8' });
    return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Model {
  validate(): void;
}

const models: Readonly<Record<string, readonly [module: string, make: new (data: any) => Model]>> = {
  ConfigMap: ['kubernetes-models/v1', ConfigMap],
  PersistentVolumeClaim: ['kubernetes-models/v1', PersistentVolumeClaim],
  Service: ['kubernetes-models/v1', Service],
  ServiceAccount: ['kubernetes-models/v1', ServiceAccount],
  Deployment: ['kubernetes-models/apps/v1', Deployment],
  NetworkPolicy: ['kubernetes-models/networking.k8s.io/v1', NetworkPolicy],
  PodDisruptionBudget: ['kubernetes-models/policy/v1', PodDisruptionBudget],
  PodMonitor: ['@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1', PodMonitor],
  PrometheusRule: ['@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1', PrometheusRule],
  ScaledObject: ['@kubernetes-models/keda/keda.sh/v1alpha1', ScaledObject],
};

/** Violations of the published schema: a missing field, a wrong type or value. */
export function schemaComplaints({ kind, ...object }: Manifest): readonly string[] {
  const [, Known] = models[kind] ?? [];
  if (Known === undefined) return [`no schema of ${kind}`];
  try {
    new Known({ kind, ...object }).validate();
    return [];
  } catch (error) {
    return [String(error)];
  }
}

/**
 * The schemas accept unknown fields; their types do not, if an object is a literal. So each object becomes a file,
 * and the compiler checks all of them at once: its complaints by name.
 */
export async function typeComplaints(
  objects: ReadonlyMap<string, Manifest>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  mkdirSync(join(ROOT, '.relais'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, '.relais/kubernetes-'));
  try {
    const names = [...objects.keys()];
    [...objects.values()].forEach((object, index) => {
      const [module] = models[object.kind] ?? [];
      const lines = [`import type { I${object.kind} } from '${module}';`];
      lines.push(`export const object: I${object.kind} = ${JSON.stringify(object, null, 2)};`);
      writeFileSync(join(folder, `${index}.ts`), lines.join('\n'));
    });
    // The library's own files are checked too: a failed import would accept everything.
    const compilerOptions = { strict: true, noEmit: true, module: 'NodeNext', target: 'ES2023', types: [] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    const complaints = new Map<string, string[]>(names.map((name) => [name, []]));
    for (const line of await compile(folder)) {
      const [, index, says] = /^(?:.*\/)?(\d+)\.ts\(\d+,\d+\): error (.*)$/.exec(line) ?? [];
      const name = index === undefined ? undefined : names[Number(index)];
      if (name !== undefined && says !== undefined) complaints.get(name)?.push(says);
      else if (/error TS/.test(line)) throw new Error(`the compiler stumbled over something else: ${line}`);
    }
    return complaints;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compile(folder: string): Promise<readonly string[]> {
  const args = [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder, '--pretty', 'false'];
  try {
    await promisify(execFile)(process.execPath, args);
    return [];
  } catch (error) {
    // It exits with 1 or 2 if it has complaints, which it prints.
    if (error instanceof Error && 'stdout' in error && error.stdout !== '') return String(error.stdout).split('\n');
    throw error;
  }
}
