// `_metrics`: counters and measurements of the node in Prometheus's text format.
import { nodeTotals } from '../../api/cluster/node-totals.ts';
import { fileDescriptors, heap } from '../../api/cluster/process-stats.ts';
import { defineApi, type RestContext } from '../core/api.ts';
import type { ApiRequest } from '../core/request.ts';
import { BUCKETS_SECONDS, type Histogram, type RequestMetrics, STATUS_CLASSES } from '../core/request-metrics.ts';
import type { ApiResponse } from '../core/response.ts';

export const metricsApi = defineApi({
  name: 'gannet.metrics',
  needs: 'cluster:monitor/nodes/stats',
  isText: true,
  routes: { 'GET /_metrics': metrics },
});

const TYPE = 'text/plain; version=0.0.4; charset=utf-8';
/** Label of requests to several indices, to aliases, and to more indices than have a label of their own. */
const OTHER_INDICES = '_other';

/** 200 with the metrics as text. */
async function metrics(_request: ApiRequest, { engine, startedMs, metrics: requests }: RestContext): Promise<ApiResponse> {
  const text = new MetricsText();
  if (requests !== null) writeRequests(text, requests, (index) => Object.hasOwn(engine.cluster.indices, index));
  const totals = await nodeTotals(engine.whole);
  const count = (name: string): number => totals.counters[name] ?? 0;
  text.family('gannet_documents', 'gauge', 'Documents in all indices', [[{}, totals.docs]]);
  text.family('gannet_store_bytes', 'gauge', 'Size of all segments', [[{}, totals.sizeBytes]]);
  text.family('gannet_segments', 'gauge', 'Number of segments', [[{}, totals.segments]]);
  text.family('gannet_shards', 'gauge', 'Number of shards', [[{}, totals.shards]]);
  text.family('gannet_translog_operations', 'gauge', 'Operations that are in the log only', [[{}, totals.translogOperations]]);
  text.family('gannet_translog_bytes', 'gauge', 'Size of the log', [[{}, totals.translogBytes]]);
  text.family('gannet_operations_total', 'counter', 'Operations on documents', [
    [{ operation: 'index' }, count('indexed')],
    [{ operation: 'delete' }, count('deleted')],
    [{ operation: 'failed' }, count('failed')],
    [{ operation: 'noop' }, count('noops')],
    [{ operation: 'get' }, count('gets')],
  ]);
  text.family('gannet_refreshes_total', 'counter', 'Refreshes of shards', [[{}, count('refreshes')]]);
  text.family('gannet_flushes_total', 'counter', 'Flushes of shards', [[{}, count('flushes')]]);
  text.family('gannet_merges_total', 'counter', 'Merges of segments', [[{}, count('merges')]]);
  text.family('gannet_merge_seconds_total', 'counter', 'Time of merges', [[{}, count('mergeMillis') / 1000]]);
  writeMemory(text, engine.memory.stats());
  writeProcess(text, startedMs, requests);
  return { status: 200, text: text.toString(), headers: { 'content-type': TYPE } };
}

function writeRequests(text: MetricsText, requests: RequestMetrics, isVisible: (index: string) => boolean): void {
  const apis = [...requests.apis()];
  text.histograms(
    'gannet_request_duration_seconds',
    'Time from reading a request to its response, by API',
    apis.map(([api, histogram]) => [{ api }, histogram]),
  );
  text.family(
    'gannet_requests_total',
    'counter',
    'Requests by API and class of status',
    apis.flatMap(([api, { statuses }]) => statuses.map((n, i): Row => [{ api, status: STATUS_CLASSES[i] }, n])),
  );
  const merged = new Map<string, [Labels, Histogram]>();
  for (const { index, group, histogram } of requests.indices()) {
    const label = index !== '' && isVisible(index) ? index : OTHER_INDICES;
    const key = JSON.stringify([label, group]);
    const before = merged.get(key);
    merged.set(key, [{ index: label, group }, before ? addHistograms(before[1], histogram) : histogram]);
  }
  text.histograms('gannet_index_request_duration_seconds', 'Time of requests that name an index, by index and kind', [...merged.values()]);
}

const addHistograms = (a: Histogram, b: Histogram): Histogram => ({
  counts: a.counts.map((n, i) => n + b.counts[i]),
  statuses: a.statuses.map((n, i) => n + b.statuses[i]),
  sumSeconds: a.sumSeconds + b.sumSeconds,
});

function writeMemory(
  text: MetricsText,
  breakers: readonly { readonly name: string; readonly limit: number; readonly estimated: number; readonly tripped: number }[],
): void {
  const rows = (read: (breaker: (typeof breakers)[number]) => number): Row[] =>
    breakers.map((breaker) => [{ breaker: breaker.name }, read(breaker)]);
  text.family(
    'gannet_breaker_bytes',
    'gauge',
    'Memory accounted for by a circuit breaker',
    rows(({ estimated }) => estimated),
  );
  text.family(
    'gannet_breaker_limit_bytes',
    'gauge',
    'Limit of a circuit breaker',
    rows(({ limit }) => limit),
  );
  text.family(
    'gannet_breaker_tripped_total',
    'counter',
    'Requests refused by a circuit breaker',
    rows(({ tripped }) => tripped),
  );
  const { heapUsed, external, arrayBuffers, rss } = process.memoryUsage();
  text.family('gannet_memory_bytes', 'gauge', 'Memory by kind: of the process, and of the thread that answers', [
    [{ kind: 'resident' }, rss],
    [{ kind: 'thread_heap' }, heapUsed],
    [{ kind: 'thread_external' }, external],
    [{ kind: 'thread_buffers' }, arrayBuffers],
    [{ kind: 'heap_limit' }, heap().max],
  ]);
}

function writeProcess(text: MetricsText, startedMs: number, requests: RequestMetrics | null): void {
  const { user, system } = process.cpuUsage();
  text.family('gannet_cpu_seconds_total', 'counter', 'Processor time of the process', [
    [{ mode: 'user' }, user / 1e6],
    [{ mode: 'system' }, system / 1e6],
  ]);
  const files = fileDescriptors();
  text.family('gannet_open_files', 'gauge', 'Open file descriptors', [[{}, files.current]]);
  text.family('gannet_start_time_seconds', 'gauge', 'Start of the service as Unix time', [[{}, Math.floor(startedMs / 1000)]]);
  if (requests === null) return;
  const { count, seconds } = requests.gc();
  text.family('gannet_gc_total', 'counter', 'Garbage collections of the http workers since the first request of this page', [[{}, count]]);
  text.family('gannet_gc_seconds_total', 'counter', 'Time of garbage collections', [[{}, seconds]]);
}

// ------------------------------------------------------------------------------------------------------------- format

type Labels = Readonly<Record<string, string>>;
type Row = readonly [labels: Labels, value: number];

class MetricsText {
  readonly #lines: string[] = [];

  family(name: string, type: 'counter' | 'gauge', help: string, rows: readonly Row[]): void {
    this.#head(name, type, help);
    for (const [labels, value] of rows) this.#row(name, labels, value);
  }

  histograms(name: string, help: string, rows: ReadonlyArray<readonly [Labels, Histogram]>): void {
    this.#head(name, 'histogram', help);
    for (const [labels, { counts, sumSeconds }] of rows) {
      let total = 0;
      counts.forEach((n, i) => {
        total += n;
        this.#row(`${name}_bucket`, { ...labels, le: BUCKETS_SECONDS[i] === undefined ? '+Inf' : String(BUCKETS_SECONDS[i]) }, total);
      });
      this.#row(`${name}_sum`, labels, sumSeconds);
      this.#row(`${name}_count`, labels, total);
    }
  }

  toString(): string {
    return `${this.#lines.join('\n')}\n`;
  }

  #head(name: string, type: string, help: string): void {
    this.#lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
  }

  #row(name: string, labels: Labels, value: number): void {
    const texts = Object.entries(labels).map(
      ([key, text]) => `${key}="${text.replace(/[\\"\n]/g, (c) => (c === '\n' ? '\\n' : `\\${c}`))}"`,
    );
    this.#lines.push(`${name}${texts.length > 0 ? `{${texts.join(',')}}` : ''} ${value}`);
  }
}
