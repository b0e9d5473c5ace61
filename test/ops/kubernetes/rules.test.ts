import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { expectPage } from '../../docs/page.ts';
import { readOps } from '../rules-files.ts';

test('the operator of Prometheus is given the rules that Prometheus itself is given', () => {
  const files = ['recording', 'alerts'].map((file) => readOps(`prometheus/rules/${file}.yml`));
  const groups = files.flatMap((file) => (parse(file) as { groups: unknown[] }).groups);
  const rule = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'relais', labels: { 'app.kubernetes.io/name': 'relais' } },
    spec: { groups },
  };
  expect(groups.length).toBeGreaterThan(3);
  expectPage(
    'ops/kubernetes/components/prometheus/prometheus-rule.yaml',
    `# Made from ops/prometheus/rules: UPDATE_DOCS=1 npx vitest run --project unit\n${stringify(rule, { lineWidth: 0 })}`,
  );
});
