// The metrics page: activity of the service, from `_metrics`, as charts of the last minutes.
import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { bytesText, countText, msText, numberText } from '../format.ts';
import { reasonOf, send } from '../service.ts';
import { busiest, parseMetrics, quantileOf, rateOf, type Sample, sumOf } from './samples.ts';
import { type Series, TimeSeries } from './time-series.tsx';

const INTERVAL_MS = 2000;
const MAX_SAMPLES = 300;
const APIS = 6;
const REQUESTS = 'gannet_request_duration_seconds';

export function MetricsPage(): JSX.Element {
  const [isPaused, setPaused] = useState(false);
  const { samples, error } = useSamples(isPaused);
  const charts = useMemo(() => (samples.length < 2 ? null : chartsOf(samples)), [samples]);
  const last = samples.at(-1);
  return (
    <div class="page metrics">
      <header class="page-head with-actions">
        <h1>Metrics</h1>
        <p class="muted">
          {last
            ? `${countText(sumOf(last.metrics, 'gannet_documents'), 'document')} in ${countText(sumOf(last.metrics, 'gannet_segments'), 'segment')}, ${bytesText(sumOf(last.metrics, 'gannet_store_bytes'))} on disk. `
            : ''}
          Every {INTERVAL_MS / 1000} s from <code>GET /_metrics</code>, which Prometheus reads as well.
        </p>
        <button type="button" class="plain" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {isPaused ? 'Go on' : 'Pause'}
        </button>
      </header>
      {error !== null && (
        <p class="notice error" role="alert">
          {error}
        </p>
      )}
      {charts === null && error === null && <p class="muted">The second sample makes the first rates.</p>}
      <div class="metric-grid">
        {charts?.map(({ title, series, format }) => (
          <TimeSeries key={title} title={title} times={samples.slice(1).map(({ atMs }) => atMs / 1000)} series={series} format={format} />
        ))}
      </div>
    </div>
  );
}

function useSamples(isPaused: boolean): { samples: readonly Sample[]; error: string | null } {
  const [state, setState] = useState<{ samples: readonly Sample[]; error: string | null }>({ samples: [], error: null });
  useEffect(() => {
    if (isPaused) return;
    const controller = new AbortController();
    const take = async (): Promise<void> => {
      try {
        const answer = await send('GET', '/_metrics', undefined, { signal: controller.signal });
        if (answer.status !== 200) throw new Error(reasonOf(answer.json) ?? `Status ${answer.status}`);
        const sample = { atMs: Date.now(), metrics: parseMetrics(answer.text) };
        setState(({ samples }) => ({ samples: [...samples, sample].slice(-MAX_SAMPLES), error: null }));
      } catch (error) {
        if (!controller.signal.aborted) setState(({ samples }) => ({ samples, error: (error as Error).message }));
      }
    };
    void take();
    const timer = setInterval(() => void take(), INTERVAL_MS);
    return () => {
      clearInterval(timer);
      controller.abort();
    };
  }, [isPaused]);
  return state;
}

interface ChartOf {
  readonly title: string;
  readonly series: readonly Series[];
  format(value: number): string;
}

function chartsOf(samples: readonly Sample[]): ChartOf[] {
  const pairs = samples.slice(1).map((now, i) => [samples[i], now] as const);
  const [first, last] = [samples[0], samples[samples.length - 1]];
  const rate = (label: string, name: string, labels: Readonly<Record<string, string>> = {}): Series => ({
    label,
    values: pairs.map(([before, now]) => rateOf(before, now, name, labels)),
  });
  const level = (label: string, name: string, labels: Readonly<Record<string, string>> = {}): Series => ({
    label,
    values: pairs.map(([, now]) => sumOf(now.metrics, name, labels)),
  });
  const quantile = (label: string, share: number): Series => ({
    label,
    values: pairs.map(([before, now]) => {
      const seconds = quantileOf(before, now, REQUESTS, share);
      return seconds === null ? null : seconds * 1000;
    }),
  });
  const perSecond = (value: number): string => `${numberText(Number(value.toPrecision(3)))}/s`;
  return [
    {
      title: 'Requests by API',
      series: busiest(first, last, `${REQUESTS}_count`, 'api')
        .slice(0, APIS)
        .map((api) => rate(api, `${REQUESTS}_count`, { api })),
      format: perSecond,
    },
    { title: 'Request time', series: [quantile('median', 0.5), quantile('95 %', 0.95), quantile('99 %', 0.99)], format: msText },
    {
      title: 'Processor',
      series: [
        { label: 'user', values: rate('', 'gannet_cpu_seconds_total', { mode: 'user' }).values.map((n) => (n ?? 0) * 100) },
        { label: 'system', values: rate('', 'gannet_cpu_seconds_total', { mode: 'system' }).values.map((n) => (n ?? 0) * 100) },
      ],
      format: (value) => `${value < 10 ? value.toFixed(1) : Math.round(value)} %`,
    },
    {
      title: 'Memory',
      series: [
        level('resident', 'gannet_memory_bytes', { kind: 'resident' }),
        level('accounted', 'gannet_breaker_bytes', { breaker: 'parent' }),
        level('heap', 'gannet_memory_bytes', { kind: 'thread_heap' }),
      ],
      format: bytesText,
    },
    {
      title: 'Operations',
      series: [
        rate('indexed', 'gannet_operations_total', { operation: 'index' }),
        rate('deleted', 'gannet_operations_total', { operation: 'delete' }),
        rate('failed', 'gannet_operations_total', { operation: 'failed' }),
      ],
      format: perSecond,
    },
    {
      title: 'Segments',
      series: [rate('refreshes', 'gannet_refreshes_total'), rate('flushes', 'gannet_flushes_total'), rate('merges', 'gannet_merges_total')],
      format: perSecond,
    },
    {
      title: 'Refused and failed requests',
      series: [
        rate('4xx', 'gannet_requests_total', { status: 'client_error' }),
        rate('5xx', 'gannet_requests_total', { status: 'server_error' }),
        rate('breakers', 'gannet_breaker_tripped_total'),
      ],
      format: perSecond,
    },
    {
      title: 'Garbage collection',
      series: [{ label: 'share of time', values: rate('', 'gannet_gc_seconds_total').values.map((n) => (n ?? 0) * 100) }],
      format: (value) => `${value.toFixed(1)} %`,
    },
  ];
}
