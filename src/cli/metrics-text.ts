// Reads the response of `_metrics`: lines in Prometheus's text format.

export interface MetricRow {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const ROW = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-z]+)="((?:[^"\\]|\\.)*)"/g;

/** Rows by name; lines of another form are left out. */
export function parseMetrics(text: string): Map<string, MetricRow[]> {
  const found = new Map<string, MetricRow[]>();
  for (const line of text.split('\n')) {
    const match = ROW.exec(line);
    if (!match) continue;
    const labels: Record<string, string> = {};
    for (const [, name, value] of (match[2] ?? '').matchAll(LABEL))
      labels[name] = value.replace(/\\(.)/g, (_, c: string) => (c === 'n' ? '\n' : c));
    let rows = found.get(match[1]);
    if (!rows) found.set(match[1], (rows = []));
    rows.push({ labels, value: Number(match[3]) });
  }
  return found;
}

/** Sum of the rows of a name that have these labels. */
export function sumOf(metrics: ReadonlyMap<string, readonly MetricRow[]>, name: string, labels: Readonly<Record<string, string>>): number {
  let sum = 0;
  for (const row of metrics.get(name) ?? []) {
    if (Object.entries(labels).every(([key, value]) => row.labels[key] === value)) sum += row.value;
  }
  return sum;
}
