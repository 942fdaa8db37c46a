// `gannet top`: activity of a running service: rates, memory, queues, indices by activity, tasks.

import { addSection, countText, type Frame, plainText, rateText, runLiveScreen } from '../../common/terminal/live-screen.ts';
import type { Paint } from '../../common/terminal/paint.ts';
import { formatByteSize } from '../../common/text/byte-size.ts';
import { checkFlags, flagValue, parseArguments, UsageError } from '../arguments.ts';
import { type MetricRow, parseMetrics, sumOf } from '../metrics-text.ts';
import { type ServiceClient, withClient } from '../service-client.ts';

interface IndexFigures {
  readonly docs: { readonly count: number };
  readonly store: { readonly size_in_bytes: number };
  readonly indexing: { readonly index_total: number; readonly index_time_in_millis: number };
  readonly segments: { readonly count: number };
}

interface Task {
  readonly action: string;
  readonly description?: string;
  readonly running_time_in_nanos: number;
  readonly cancellable: boolean;
  readonly node: string;
  readonly id: number;
}

interface NodeStats {
  readonly name: string;
  readonly indices: IndexFigures & {
    readonly merges: { readonly current: number; readonly total: number };
    readonly refresh: { readonly total: number };
  };
  readonly process: { readonly cpu: { readonly percent: number } };
  readonly jvm: {
    readonly uptime_in_millis: number;
    readonly mem: { readonly heap_used_in_bytes: number; readonly heap_max_in_bytes: number };
  };
  readonly breakers: Readonly<
    Record<string, { readonly limit_size_in_bytes: number; readonly estimated_size_in_bytes: number; readonly tripped: number }>
  >;
  readonly thread_pool: Readonly<Record<string, { readonly active: number; readonly queue: number; readonly rejected: number }>>;
}

export interface TopSample {
  readonly node: NodeStats;
  readonly indices: Readonly<Record<string, { readonly total: IndexFigures }>>;
  readonly tasks: readonly Task[];
  /** of `_metrics` */
  readonly metrics: ReadonlyMap<string, readonly MetricRow[]>;
}

const MAX_APIS = 10;
const MAX_INDICES = 20;
const MAX_TASKS = 10;
const OWN_ACTIONS = /^(?:cluster|indices):monitor\//;

/** @returns exit code: 0, 1 if the service does not respond */
export async function topCommand(argv: string[]): Promise<number> {
  const args = parseArguments(argv);
  checkFlags(args, ['url', 'user', 'interval'], ['once']);
  if (args.positionals.length > 0) throw new UsageError(`unexpected argument [${args.positionals[0]}]`);
  const intervalMs = Number(flagValue(args, 'interval') ?? 1) * 1000;
  if (!(intervalMs >= 100 && intervalMs <= 3_600_000)) throw new UsageError('flag [--interval] must be from 0.1 to 3600 seconds');
  return withClient(args, (client) =>
    runLiveScreen<TopSample>({ sample: () => readSample(client), render: renderTop, intervalMs, once: args.flags.once !== undefined }),
  );
}

async function readSample(client: ServiceClient): Promise<TopSample> {
  const [{ nodes }, { indices }, tasks, metrics] = await Promise.all([
    client.call<{ nodes: Record<string, NodeStats> }>('GET', '/_nodes/stats/indices,process,jvm,breaker,thread_pool'),
    client.call<Pick<TopSample, 'indices'>>('GET', '/_stats/docs,store,indexing,segments?expand_wildcards=open,hidden'),
    client.call<{ tasks: Task[] }>('GET', '/_tasks?detailed&group_by=none'),
    client.send('GET', '/_metrics'),
  ]);
  const node = Object.values(nodes)[0];
  if (node === undefined) throw new Error('the service reports no node');
  return { node, indices, tasks: tasks.tasks.filter(({ action }) => !OWN_ACTIONS.test(action)), metrics: parseMetrics(metrics.text) };
}

export function renderTop({ now, before, seconds }: Frame<TopSample>, paint: Paint): string[] {
  const { node } = now;
  const old = before?.node;
  const rate = (read: (node: NodeStats) => number): string => (old ? rateText(Math.max(0, read(node) - read(old)), seconds) : '-');
  const { heap_used_in_bytes: heap, heap_max_in_bytes: heapMax } = node.jvm.mem;
  const { parent } = node.breakers;
  const out = [
    `${paint.bold(`gannet ${plainText(node.name)}`)}  up ${durationText(node.jvm.uptime_in_millis)}  cpu ${node.process.cpu.percent} %  ` +
      `heap ${formatByteSize(heap)} of ${formatByteSize(heapMax)}  memory ${formatByteSize(parent.estimated_size_in_bytes)} of ${formatByteSize(parent.limit_size_in_bytes)}`,
    `${requestRate(now, before, seconds)} requests/s  ` +
      `${rate((n) => n.indices.indexing.index_total)} docs/s indexed  ${rate((n) => n.indices.refresh.total)} refreshes/s  ` +
      `${node.indices.merges.current} merges running`,
    `${countText(node.indices.docs.count)} documents, ${formatByteSize(node.indices.store.size_in_bytes)} in ${node.indices.segments.count} segments`,
  ];
  addSection(out, paint, 'queues', ['pool', 'active', 'queue', 'rejected'], queueRows(node));
  addSection(out, paint, 'requests', ['api', 'per second', 'ms', 'total', '4xx', '5xx'], apiRows(now, before, seconds));
  addSection(
    out,
    paint,
    'indices',
    ['index', 'searches/s', 'ms/search', 'docs/s', 'documents', 'size', 'segments'],
    indexRows(now, before, seconds),
  );
  addSection(out, paint, 'tasks', ['task', 'running', 'action', 'description'], taskRows(now.tasks));
  return out;
}

const queueRows = ({ thread_pool: pools, breakers }: NodeStats): string[][] => [
  ...Object.entries(pools)
    .filter(([, { active, queue, rejected }]) => active + queue + rejected > 0)
    .map(([name, { active, queue, rejected }]) => [name, String(active), String(queue), String(rejected)]),
  ...Object.entries(breakers)
    .filter(([, { tripped }]) => tripped > 0)
    .map(([name, { tripped }]) => [`breaker ${name}`, '-', '-', String(tripped)]),
];

const REQUESTS = 'gannet_request_duration_seconds';
const INDEX_REQUESTS = 'gannet_index_request_duration_seconds';

/** Growth of a counter since the previous sample. */
function sinceMetric({ metrics }: TopSample, before: TopSample | null, name: string, labels: Readonly<Record<string, string>>): number {
  return before === null ? 0 : Math.max(0, sumOf(metrics, name, labels) - sumOf(before.metrics, name, labels));
}

const requestRate = (now: TopSample, before: TopSample | null, seconds: number): string =>
  before === null ? '-' : rateText(sinceMetric(now, before, `${REQUESTS}_count`, {}), seconds);

/** APIs by requests since the previous sample, then in total. */
function apiRows(now: TopSample, before: TopSample | null, seconds: number): string[][] {
  return (now.metrics.get(`${REQUESTS}_count`) ?? [])
    .map(({ labels, value }) => ({
      api: labels.api,
      total: value,
      recent: sinceMetric(now, before, `${REQUESTS}_count`, labels),
      ms: sinceMetric(now, before, `${REQUESTS}_sum`, labels) * 1000,
    }))
    .sort((a, b) => b.recent - a.recent || b.total - a.total)
    .slice(0, MAX_APIS)
    .map(({ api, total, recent, ms }) => [
      api,
      before === null ? '-' : rateText(recent, seconds),
      recent > 0 ? (ms / recent).toFixed(1) : '-',
      countText(total),
      ...['client_error', 'server_error'].map((status) => countText(sumOf(now.metrics, 'gannet_requests_total', { api, status }))),
    ]);
}

/** Indices with the most searches and documents since the previous sample come first. */
function indexRows(now: TopSample, before: TopSample | null, seconds: number): string[][] {
  return Object.entries(now.indices)
    .map(([name, { total }]) => {
      const old = before?.indices[name]?.total;
      const since = (read: (figures: IndexFigures) => number): number => (old ? Math.max(0, read(total) - read(old)) : 0);
      const labels = { index: name, group: 'search' };
      const searches = sinceMetric(now, before, `${INDEX_REQUESTS}_count`, labels);
      const searchMs = sinceMetric(now, before, `${INDEX_REQUESTS}_sum`, labels) * 1000;
      return { name, total, hasOld: old !== undefined, searches, searchMs, docs: since((f) => f.indexing.index_total) };
    })
    .sort((a, b) => b.searches + b.docs - (a.searches + a.docs) || b.total.docs.count - a.total.docs.count)
    .slice(0, MAX_INDICES)
    .map(({ name, total, hasOld, searches, searchMs, docs }) => [
      name,
      hasOld ? rateText(searches, seconds) : '-',
      searches > 0 ? (searchMs / searches).toFixed(1) : '-',
      hasOld ? rateText(docs, seconds) : '-',
      countText(total.docs.count),
      formatByteSize(total.store.size_in_bytes),
      String(total.segments.count),
    ]);
}

const taskRows = (tasks: readonly Task[]): string[][] =>
  [...tasks]
    .sort((a, b) => b.running_time_in_nanos - a.running_time_in_nanos)
    .slice(0, MAX_TASKS)
    .map(({ node, id, action, description, running_time_in_nanos: nanos }) => [
      `${node}:${id}`,
      durationText(nanos / 1e6),
      action,
      description ?? '',
    ]);

/** `3.2 s`, `5 min 10 s`, `2 h 3 min`, `4 d 1 h`. */
function durationText(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
