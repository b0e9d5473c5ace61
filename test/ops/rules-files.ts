/** The parsed files of ops/prometheus. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export const OPS = new URL('../../ops/', import.meta.url);

export interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

interface FiredAlert {
  readonly exp_annotations: { readonly runbook_url: string };
}

interface RuleTest {
  readonly name: string;
  readonly alert_rule_test?: readonly { readonly alertname: string; readonly exp_alerts: readonly FiredAlert[] }[];
}

export function readOps(path: string): string {
  return readFileSync(new URL(path, OPS), 'utf8');
}

export function rulesOf(file: 'alerts' | 'recording'): readonly Rule[] {
  const { groups } = parse(readOps(`prometheus/rules/${file}.yml`)) as { groups: { rules: Rule[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

export function ruleTests(): readonly RuleTest[] {
  return (parse(readOps('prometheus/tests/alerts.yml')) as { tests: RuleTest[] }).tests;
}

/** Our metrics in an expression, without the suffixes of histograms. */
export function metricsIn(expr: string): readonly string[] {
  const names = [...expr.matchAll(/(?<![\w:])relais_\w+/g)].map(([name]) => name);
  return names.map((name) => name.replace(/_(bucket|count|sum)$/, ''));
}
