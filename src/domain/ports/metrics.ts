// Metrics: counters, gauges and histograms, and their text format for Prometheus (exposition format 0.0.4).

/** Values of a metric's labels, in the order in which the metric names them. */
export type LabelValues = readonly string[];

/** Counts upwards. */
export interface Counter {
  add(labels: LabelValues, amount?: number): void;
  /** What counts one up for these labels, for who does so often: they are there from then on. */
  of(labels: LabelValues): () => void;
}

/** Sorts values into buckets. */
export interface Histogram {
  /** `value` is in the metric's unit. */
  observe(labels: LabelValues, value: number): void;
  /** What observes values of these labels, for who does so often: they are there from then on. */
  of(labels: LabelValues): (value: number) => void;
}

/** One value of a gauge at this moment. */
export interface GaugeValue {
  labels?: LabelValues;
  value: number;
}

/** A metric. Its name ends in its unit, a counter's in `_total` (Prometheus' conventions). */
export interface MetricDescription {
  name: string;
  help: string;
  labels?: readonly string[];
}

/** Where modules register their metrics. */
export interface Metrics {
  counter(description: MetricDescription): Counter;
  /** `bounds` are the buckets' upper ones, ascending. */
  histogram(description: MetricDescription & { bounds: readonly number[] }): Histogram;
  /** `read` is called each time the metrics are read; if it throws, the gauge is left out that time. */
  gauge(description: MetricDescription, read: () => Promise<GaugeValue[]> | GaugeValue[]): void;
}

/** Metrics that can be read. */
export interface MetricsRegistry extends Metrics {
  /** Every metric as text. */
  render(): Promise<string>;
}

/** The media type of {@link MetricsRegistry.render}. */
export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Maximum number of label combinations per metric: input must not fill the memory. */
const MAX_SERIES = 2_000;
/** Stands for every further combination. */
const OTHER = "other";

/** Buckets for the time that something takes, seconds. */
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

/** Counts nothing. */
export const NO_METRICS: Metrics = {
  counter: () => ({ add: () => {}, of: () => () => {} }),
  histogram: () => ({ observe: () => {}, of: () => () => {} }),
  gauge: () => {},
};

/** Makes an empty registry. Throws for a name that is none, and for a second metric of one name. */
export function createMetrics(): MetricsRegistry {
  const metrics = new Map<string, () => Promise<string>>();
  const register = (description: MetricDescription, type: string, render: () => Promise<string> | string) => {
    const { name, help, labels = [] } = description;
    if (![name, ...labels].every((word) => /^[a-z][a-z0-9_]*$/.test(word))) {
      throw new Error(`no metric's name: ${name}`);
    }
    if (metrics.has(name)) throw new Error(`two metrics are called ${name}`);
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
      return {
        add: (labels, amount = 1) => void (series.of(labels).value += amount),
        of(labels) {
          const one = series.of(labels);
          return () => void one.value++;
        },
      };
    },
    histogram(description) {
      const { name, bounds } = description;
      const series = createSeries(
        description,
        (): Sorted => ({ counts: bounds.map(() => 0), sum: 0, count: 0 }),
      );
      register(
        description,
        "histogram",
        () => series.render((sorted, labels) => histogramSamples(name, labels, { bounds, sorted })),
      );
      return {
        observe: (labels, value) => sortIn(series.of(labels), bounds, value),
        of(labels) {
          const one = series.of(labels);
          return (value) => sortIn(one, bounds, value);
        },
      };
    },
    gauge(description, read) {
      const { name, labels = [] } = description;
      register(description, "gauge", async () => {
        try {
          const values = await read();
          return values.map((one) => sample(name, named(labels, one.labels ?? []), one.value)).join("");
        } catch {
          return ""; // what cannot be read now is not there now: its absence is what an alert sees
        }
      });
    },
    async render() {
      const texts = await Promise.all(Array.from(metrics.values(), (render) => render()));
      return texts.join("");
    },
  };
}

/** The values of one series of a histogram, by the bounds that they are not above. */
interface Sorted {
  counts: number[];
  sum: number;
  count: number;
}

function histogramSamples(
  name: string,
  labels: readonly Label[],
  { bounds, sorted: { counts, sum, count } }: { bounds: readonly number[]; sorted: Sorted },
): string {
  let below = 0;
  const buckets = bounds.map((bound, at) => {
    below += counts[at] ?? 0;
    return sample(`${name}_bucket`, [...labels, ["le", String(bound)]], below);
  });
  return buckets.join("") + sample(`${name}_bucket`, [...labels, ["le", "+Inf"]], count) +
    sample(`${name}_sum`, labels, sum) + sample(`${name}_count`, labels, count);
}

function sortIn(sorted: Sorted, bounds: readonly number[], value: number): void {
  const at = bounds.findIndex((bound) => value <= bound);
  if (at !== -1) sorted.counts[at] = (sorted.counts[at] ?? 0) + 1;
  sorted.sum += value;
  sorted.count++;
}

type Label = readonly [name: string, value: string];

/** The values of a metric by its labels, never more than {@link MAX_SERIES}. */
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
