// Metrics in the text format of Prometheus (exposition format 0.0.4): counters, gauges and histograms.

/** The values of a metric's labels, in the order of the labels. */
type LabelValues = readonly string[];

interface Counter {
  add(labels: LabelValues, amount?: number): void;
}

interface Histogram {
  observe(labels: LabelValues, value: number): void;
}

interface GaugeValue {
  labels?: LabelValues;
  value: number;
}

/** A metric. By the conventions of Prometheus, the name ends with the unit, or with `_total` for a counter. */
interface MetricDescription {
  name: string;
  help: string;
  labels?: readonly string[];
}

export interface Metrics {
  counter(description: MetricDescription): Counter;
  /** `bounds` are the upper bounds of the buckets, ascending. */
  histogram(description: MetricDescription & { bounds: readonly number[] }): Histogram;
  /** `read` is called each time the metrics are rendered. If it throws, the gauge is omitted. */
  gauge(description: MetricDescription, read: () => Promise<GaugeValue[]> | GaugeValue[]): void;
}

export interface MetricsRegistry extends Metrics {
  render(): Promise<string>;
}

export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Maximum number of label combinations per metric, so that untrusted input cannot exhaust the memory. */
const MAX_SERIES = 2_000;
/** The value of every label in the series that counts all combinations beyond {@link MAX_SERIES}. */
const OTHER = "other";

export const SECONDS_BOUNDS: readonly number[] = [
  0.001,
  0.0025,
  0.005,
  0.01,
  0.025,
  0.05,
  0.1,
  0.25,
  0.5,
  1,
  2.5,
  5,
  10,
  30,
];

export const NO_METRICS: Metrics = {
  counter: () => ({ add: () => {} }),
  histogram: () => ({ observe: () => {} }),
  gauge: () => {},
};

/** Creates a registry. Throws if a metric is registered with an invalid name or with the name of another one. */
export function createMetrics(): MetricsRegistry {
  const metrics = new Map<string, () => Promise<string>>();
  const register = (description: MetricDescription, type: string, render: () => Promise<string> | string) => {
    const { name, help, labels = [] } = description;
    if (![name, ...labels].every((word) => /^[a-z][a-z0-9_]*$/.test(word))) {
      throw new Error(`not a valid metric name: ${name}`);
    }
    if (metrics.has(name)) throw new Error(`two metrics have the name ${name}`);
    metrics.set(name, async () => {
      const samples = await render();
      return samples === "" ? "" : `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n${samples}`;
    });
  };

  return {
    counter(description) {
      const series = createSeries(description, () => ({ value: 0 }));
      register(
        description,
        "counter",
        () => series.render(({ value }, labels) => sample(description.name, labels, value)),
      );
      return { add: (labels, amount = 1) => void (series.of(labels).value += amount) };
    },
    histogram(description) {
      const { name, bounds } = description;
      const series = createSeries(
        description,
        (): Buckets => ({ counts: bounds.map(() => 0), sum: 0, count: 0 }),
      );
      register(
        description,
        "histogram",
        () => series.render((buckets, labels) => histogramSamples(name, labels, { bounds, buckets })),
      );
      return { observe: (labels, value) => addToBuckets(series.of(labels), bounds, value) };
    },
    gauge(description, read) {
      const { name, labels = [] } = description;
      register(description, "gauge", async () => {
        try {
          const values = await read();
          return values.map((one) => sample(name, named(labels, one.labels ?? []), one.value)).join("");
        } catch {
          return ""; // an alert can detect that the gauge is missing
        }
      });
    },
    async render() {
      const texts = await Promise.all(Array.from(metrics.values(), (render) => render()));
      return texts.join("");
    },
  };
}

interface Buckets {
  counts: number[];
  sum: number;
  count: number;
}

function histogramSamples(
  name: string,
  labels: readonly Label[],
  { bounds, buckets: { counts, sum, count } }: { bounds: readonly number[]; buckets: Buckets },
): string {
  let below = 0;
  const buckets = bounds.map((bound, at) => {
    below += counts[at] ?? 0;
    return sample(`${name}_bucket`, [...labels, ["le", String(bound)]], below);
  });
  return buckets.join("") + sample(`${name}_bucket`, [...labels, ["le", "+Inf"]], count) +
    sample(`${name}_sum`, labels, sum) + sample(`${name}_count`, labels, count);
}

function addToBuckets(buckets: Buckets, bounds: readonly number[], value: number): void {
  const at = bounds.findIndex((bound) => value <= bound);
  if (at !== -1) buckets.counts[at] = (buckets.counts[at] ?? 0) + 1;
  buckets.sum += value;
  buckets.count++;
}

type Label = readonly [name: string, value: string];

/** Stores a metric's values by label combination, for at most {@link MAX_SERIES} combinations. */
function createSeries<T>({ labels: names = [] }: MetricDescription, create: () => T) {
  const byKey = new Map<string, { labels: Label[]; value: T }>();
  const at = (labels: LabelValues): T => {
    const key = labels.join("\0");
    const known = byKey.get(key);
    if (known !== undefined) return known.value;
    if (byKey.size >= MAX_SERIES && labels.some((label) => label !== OTHER)) {
      return at(names.map(() => OTHER));
    }
    const value = create();
    byKey.set(key, { labels: named(names, labels), value });
    return value;
  };
  return {
    of: at,
    render: (text: (value: T, labels: Label[]) => string): string =>
      Array.from(byKey.values(), ({ labels, value }) => text(value, labels)).join(""),
  };
}

function named(names: readonly string[], values: LabelValues): Label[] {
  return names.map((name, at) => [name, values[at] ?? ""]);
}

function sample(name: string, labels: readonly Label[], value: number): string {
  const inside = labels.map(([label, text]) => `${label}="${escapeLabel(text)}"`).join(",");
  return `${name}${inside === "" ? "" : `{${inside}}`} ${formatValue(value)}\n`;
}

function formatValue(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}

function escapeLabel(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}
