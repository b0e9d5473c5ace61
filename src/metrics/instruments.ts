/** The prom-client instruments of `declarations`. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import {
  declarationOf,
  type Labels,
  type MetricName,
  metricNames,
  type QueuesName,
  type WholeName,
} from './declarations.ts';
import { ACCOUNT_NAMES, fold, words } from './label-words.ts';

export interface Sample<Name extends MetricName = MetricName> {
  readonly labels: Labels<Name>;
  readonly value: number;
}

/** The counters, histograms and gauges of one process. An undeclared label value is counted as `other`. */
export interface Instruments {
  readonly count: <Name extends MetricName<'counter'>>(name: Name, labels: Labels<Name>, by?: number) => void;
  readonly observe: <Name extends MetricName<'histogram'>>(name: Name, labels: Labels<Name>, seconds: number) => void;
  /** Replaces all samples of the gauge. None: the gauge is absent. */
  readonly replace: <Name extends WholeName | QueuesName | MetricName<'gauge'>>(
    name: Name,
    samples: readonly Sample<Name>[],
  ) => void;
  readonly contentType: string;
  /** All metrics in the text format of Prometheus. */
  readonly print: () => Promise<string>;
}

type Instrument = Counter | Gauge | Histogram;
type AnyLabels = Readonly<Record<string, string>>;

export function createInstruments(): Instruments {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const instruments = new Map(metricNames.map((name) => [name, instrumentOf(name, registry)]));
  const find = <T extends Instrument>(name: MetricName, type: new (...args: never[]) => T): T => {
    const found = instruments.get(name);
    if (found instanceof type) return found;
    throw new TypeError(`${name} is not declared as a ${type.name}`);
  };
  return {
    count: (name, labels, by = 1) => find(name, Counter).inc(folded(name, labels), by),
    observe: (name, labels, seconds) => find(name, Histogram).observe(folded(name, labels), seconds),
    replace(name, samples) {
      const instrument = instruments.get(name);
      if (!(instrument instanceof Gauge || instrument instanceof Counter))
        throw new TypeError(`${name} has no value`);
      instrument.reset();
      // A reset leaves metrics without labels at 0, but an unknown value must be absent.
      if (Object.keys(declarationOf(name).labels).length === 0) instrument.remove();
      // Added, not set: several values may have been mapped to one.
      for (const { labels, value } of samples) instrument.inc(folded(name, labels), value);
    },
    contentType: registry.contentType,
    print: () => registry.metrics(),
  };
}

function instrumentOf(name: MetricName, registry: Registry): Instrument {
  const { type, help, labels, buckets } = declarationOf(name);
  const configuration = { name, help, labelNames: Object.keys(labels), registers: [registry] };
  if (type === 'gauge') return new Gauge(configuration);
  if (type === 'histogram') return new Histogram({ ...configuration, ...(buckets ? { buckets: [...buckets] } : {}) });
  const counter = new Counter(configuration);
  for (const combination of combinationsFromZero(name)) counter.inc(combination, 0);
  return counter;
}

const MOST_FROM_ZERO = 100;

/**
 * Prometheus sees no increase in a series that begins at 1, so an alert misses the first event. Small combinations of
 * labels all begin at 0.
 */
function combinationsFromZero(name: MetricName): readonly AnyLabels[] {
  let combinations: readonly AnyLabels[] = [{}];
  for (const [label, set] of Object.entries(declarationOf(name).labels)) {
    const values: readonly string[] = set === ACCOUNT_NAMES ? [] : words[set];
    combinations = combinations.flatMap((so) => values.map((value) => ({ ...so, [label]: value })));
  }
  return combinations.length <= MOST_FROM_ZERO ? combinations : [];
}

function folded(name: MetricName, labels: AnyLabels): Record<string, string> {
  const sets = Object.entries(declarationOf(name).labels);
  return Object.fromEntries(
    sets.map(([label, set]) => {
      const value = labels[label] ?? '';
      return [label, set === ACCOUNT_NAMES ? value : fold(set, value)];
    }),
  );
}
