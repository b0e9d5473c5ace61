import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { metricNames } from '../../src/metrics/declarations.ts';
import { failures } from '../../src/provider/verdict.ts';
import { metricsIn, readOps, ruleTests, rulesOf } from './rules-files.ts';

const alerts = rulesOf('alerts');
const runbook = readFileSync(new URL('../../docs/runbook.md', import.meta.url), 'utf8');
const entries = new Map(
  (runbook.split('\n## The alerts\n')[1] ?? '')
    .split('\n## ')[0]
    ?.split('\n### ')
    .slice(1)
    .map((entry) => [entry.slice(0, entry.indexOf('\n')), entry] as const),
);

describe('an alert', () => {
  test.for(alerts)('$alert has a severity, a description, and a link', (rule) => {
    expect(rule.alert).toMatch(/^Relais[A-Z]\w+$/);
    expect(['critical', 'warning']).toContain(rule.labels?.['severity']);
    expect(rule.annotations?.['summary']).toMatch(/\.$/);
    const anchor = `#${rule.alert?.toLowerCase()}`;
    expect(rule.annotations?.['runbook_url']).toBe(`{{ $externalLabels.relais_runbook }}${anchor}`);
  });

  test('leads to the runbook by one setting, which is an absolute URL', () => {
    const { global } = parse(readOps('prometheus/prometheus.yml')) as { global: { external_labels: unknown } };
    expect(global.external_labels).toEqual({ relais_runbook: expect.stringMatching(/^https:\/\/.*[^/#]$/) });
    for (const { exp_annotations } of ruleTests().flatMap(({ alert_rule_test = [] }) =>
      alert_rule_test.flatMap(({ exp_alerts }) => exp_alerts),
    ))
      expect(exp_annotations.runbook_url).toMatch(/^https:\/\/[\w./]+#relais[a-z]+$/);
  });

  test.for(alerts)('$alert has a runbook entry with symptom, evidence and steps', ({ alert = '' }) => {
    const entry = entries.get(alert);
    for (const part of ['- *Noticed*: ', '- *See*: ', '- *Do*: ']) expect(entry).toContain(part);
    expect(entry).toMatch(/\*See\*: [^*]*`/);
    const severity = alerts.find((rule) => rule.alert === alert)?.labels?.['severity'];
    expect(entry?.toLowerCase()).toContain(`\n\n${severity}: `);
  });

  test('that is in the runbook is in the rules', () => {
    expect([...entries.keys()]).toEqual(alerts.map(({ alert }) => alert));
  });

  test.for(alerts)('$alert has a test that fires and one that does not', ({ alert }) => {
    const cases = ruleTests().flatMap(({ alert_rule_test = [] }) =>
      alert_rule_test.filter(({ alertname }) => alertname === alert),
    );
    expect(cases.some(({ exp_alerts }) => exp_alerts.length > 0)).toBe(true);
    expect(cases.some(({ exp_alerts }) => exp_alerts.length === 0)).toBe(true);
  });
});

describe('an expression', () => {
  test.for([...alerts, ...rulesOf('recording')])('asks for metrics that are declared ($alert$record)', ({ expr }) => {
    for (const name of metricsIn(expr)) expect(metricNames).toContain(name);
  });

  test('uses only recordings that are made', () => {
    const made = rulesOf('recording').map(({ record }) => record);
    const used = [...alerts, ...rulesOf('recording')].flatMap(({ expr }) => expr.match(/job:[\w:]+/g) ?? []);
    expect(used.length).toBeGreaterThan(4);
    for (const name of used) expect(made).toContain(name);
  });
});

describe('a failure of the provider', () => {
  /** Ordinary events, such as an expired token or an unknown id, which are handled at once. */
  const EVERYDAY = ['4004', 'ERROR_121', 'ERROR_122', 'ERROR_123', 'ERROR_124', 'token_refused', 'login_awaited'];
  const rule = rulesOf('recording').find(({ record }) => record === 'job:relais_upstream_failures:rate5m');
  const counted = /code=~"([^"]+)"/.exec(rule?.expr ?? '')?.[1]?.split('|') ?? [];

  test('is one of the codes that are declared', () => {
    for (const code of counted) expect(Object.keys(failures)).toContain(code);
  });

  test('is every failure that the provider causes, except everyday ones', () => {
    const theirs = Object.entries(failures).flatMap(([code, { blame }]) => (blame === 'upstream' ? [code] : []));
    for (const code of theirs) expect([...counted, ...EVERYDAY]).toContain(code);
  });
});
