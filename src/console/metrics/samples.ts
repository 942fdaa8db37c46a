// Samples of `_metrics` as time series: rates of counters, quantiles of histograms. Independent of the page's components.

/** Values by name and labels, as in Prometheus's text format: `gannet_requests_total{api="search"}`. */
export type Metrics = ReadonlyMap<string, readonly Row[]>;

export interface Row {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Sample {
  readonly atMs: number;
  readonly metrics: Metrics;
}

const ROW = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/** Lines of another form are left out. */
export function parseMetrics(text: string): Metrics {
  const metrics = new Map<string, Row[]>();
  for (const line of text.split('\n')) {
    const match = ROW.exec(line);
    if (!match) continue;
    const labels = Object.fromEntries(
      [...(match[2] ?? '').matchAll(LABEL)].map(([, name, value]) => [
        name,
        value.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char)),
      ]),
    );
    const rows = metrics.get(match[1]);
    const row = { labels, value: Number(match[3]) };
    if (rows) rows.push(row);
    else metrics.set(match[1], [row]);
  }
  return metrics;
}

const matches = ({ labels }: Row, wanted: Readonly<Record<string, string>>): boolean =>
  Object.entries(wanted).every(([name, value]) => labels[name] === value);

/** Sum of the rows with these labels. */
export function sumOf(metrics: Metrics, name: string, wanted: Readonly<Record<string, string>> = {}): number {
  return (metrics.get(name) ?? []).filter((row) => matches(row, wanted)).reduce((sum, { value }) => sum + value, 0);
}

/** Growth of a counter per second; 0 after a restart of the service. */
export function rateOf(before: Sample, now: Sample, name: string, wanted: Readonly<Record<string, string>> = {}): number {
  const seconds = (now.atMs - before.atMs) / 1000;
  return seconds <= 0 ? 0 : Math.max(0, sumOf(now.metrics, name, wanted) - sumOf(before.metrics, name, wanted)) / seconds;
}

/**
 * A quantile of the observations between two samples of a histogram, computed as by Prometheus's histogram_quantile: linear within a
 * bucket.
 * @returns null if it counted nothing
 */
export function quantileOf(
  before: Sample,
  now: Sample,
  name: string,
  quantile: number,
  wanted: Readonly<Record<string, string>> = {},
): number | null {
  const counts = new Map<number, number>();
  for (const [{ metrics }, sign] of [
    [before, -1],
    [now, 1],
  ] as const)
    for (const row of metrics.get(`${name}_bucket`) ?? []) {
      if (!matches(row, wanted)) continue;
      const bound = row.labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(row.labels.le);
      counts.set(bound, (counts.get(bound) ?? 0) + sign * row.value);
    }
  const buckets = [...counts].sort(([a], [b]) => a - b);
  const total = buckets.at(-1)?.[1] ?? 0;
  if (total <= 0) return null;
  const rank = quantile * total;
  let [lower, below] = [0, 0];
  for (const [bound, cumulative] of buckets) {
    if (cumulative >= rank) {
      if (bound === Number.POSITIVE_INFINITY) return lower;
      return cumulative === below ? bound : lower + ((bound - lower) * (rank - below)) / (cumulative - below);
    }
    [lower, below] = [bound, cumulative];
  }
  return lower;
}

/** Values of a label, those with the largest growth of a counter first. */
export function busiest(before: Sample, now: Sample, name: string, label: string): string[] {
  const values = new Set((now.metrics.get(name) ?? []).map(({ labels }) => labels[label]).filter((value) => value !== undefined));
  return [...values].sort((a, b) => rateOf(before, now, name, { [label]: b }) - rateOf(before, now, name, { [label]: a }));
}
