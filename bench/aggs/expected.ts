// Compares our answers, as rows, with those of DuckDB for the same request (bench/rivals/duckdb/aggregate.py).

type Bucket = { key: unknown; key_as_string?: string; doc_count: number; [name: string]: unknown };

const buckets = (agg: unknown) => (agg as { buckets: Bucket[] }).buckets.filter((bucket) => bucket.doc_count > 0);
const value = (agg: unknown) => (agg as { value: unknown }).value;
/** `2001-01-01 00:00:00`, as DuckDB's rows have times. */
const day = (bucket: Bucket) => new Date(bucket.key as number).toISOString().slice(0, 19).replace('T', ' ');

const ROWS: Readonly<Record<string, (json: Record<string, unknown>) => unknown[][]>> = {
  count_filter: ({ count }) => [[count]],
  stats: ({ delay }) => [['count', 'min', 'max', 'avg', 'sum'].map((name) => (delay as Record<string, unknown>)[name])],
  terms_origin: ({ origin }) => buckets(origin).map((b) => [b.key, b.doc_count]),
  terms_route: ({ route }) => buckets(route).map((b) => [b.key, b.doc_count]),
  terms_origin_avg_delay: ({ origin }) => buckets(origin).map((b) => [b.key, b.doc_count, value(b.delay)]),
  terms_route_avg_delay: ({ route }) => buckets(route).map((b) => [b.key, b.doc_count, value(b.delay)]),
  date_histogram_day: (json) => buckets(json.day).map((b) => [day(b), b.doc_count]),
  date_histogram_day_avg_delay: (json) => buckets(json.day).map((b) => [day(b), b.doc_count, value(b.delay)]),
  date_histogram_day_terms_state: (json) =>
    buckets(json.day).flatMap((b) =>
      buckets(b.state)
        .map((s) => [day(b), s.key, s.doc_count])
        .sort((x, y) => (String(x[1]) < String(y[1]) ? -1 : 1)),
    ),
  histogram_distance_100: ({ distance }) => buckets(distance).map((b) => [b.key, b.doc_count]),
  range_distance: ({ distance }) => buckets(distance).map((b, i) => [i, b.doc_count]),
  cardinality_route: ({ routes }) => [[value(routes)]],
  cardinality_delay: ({ delays }) => [[value(delays)]],
  cardinality_timestamp: ({ timestamps }) => [[value(timestamps)]],
  percentiles_delay: ({ delay }) => [[Object.values((delay as { values: object }).values)]],
  filter_terms: ({ destination }) => buckets(destination).map((b) => [b.key, b.doc_count]),
  filter_date_range_terms: ({ origin }) => buckets(origin).map((b) => [b.key, b.doc_count]),
  filter_terms_avg: ({ state }) => buckets(state).map((b) => [b.key, b.doc_count, value(b.delay)]),
};

/** @throws Error the answers differ (numbers by more than 1e-9 relative), naming the first place */
export function checkAnswer(name: string, json: Record<string, unknown>, rows: unknown[][]): void {
  const toRows = ROWS[name];
  if (!toRows) throw new Error(`no check for the request [${name}]`);
  compare(name, toRows(json), rows);
}

function compare(place: string, ours: unknown, theirs: unknown): void {
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    if (ours.length !== theirs.length) throw new Error(`${place}: ${ours.length} entries, DuckDB has ${theirs.length}`);
    ours.forEach((entry, i) => {
      compare(`${place}[${i}]`, entry, theirs[i]);
    });
    return;
  }
  const close = typeof ours === 'number' && typeof theirs === 'number' && Math.abs(ours - theirs) <= 1e-9 * Math.max(1, Math.abs(theirs));
  if (!close && String(ours) !== String(theirs)) throw new Error(`${place}: ${String(ours)}, DuckDB has ${String(theirs)}`);
}
