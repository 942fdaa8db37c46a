// A chart of values over time (uPlot) in the colours of the theme.
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { useCell } from '../cell.ts';
import { shownTheme } from '../shell/theme.ts';

export interface TimeSeriesProps {
  readonly title: string;
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  /** Formats a value. */
  format(value: number): string;
}

export interface Series {
  readonly label: string;
  /** Parallel to `times`; null where there is no value. */
  readonly values: ReadonlyArray<number | null>;
}

const HEIGHT = 170;

export function TimeSeries({ title, times, series, format }: TimeSeriesProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const theme = useCell(shownTheme);
  const labels = series.map(({ label }) => label).join('\n');
  useEffect(() => {
    const { current } = host;
    if (current === null) return;
    const style = getComputedStyle(current);
    const color = (name: string): string => style.getPropertyValue(name);
    const axis: uPlot.Axis = {
      stroke: color('--muted'),
      grid: { stroke: color('--border'), width: 1 },
      ticks: { stroke: color('--border'), width: 1 },
      font: '11px system-ui, sans-serif',
    };
    plot.current = new uPlot(
      {
        width: current.clientWidth,
        height: HEIGHT,
        cursor: { y: false, sync: { key: 'metrics' } },
        legend: { live: true },
        padding: [10, 14, 0, 0],
        scales: { y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] } },
        axes: [
          { ...axis, space: 70, values: [[1, '{HH}:{mm}:{ss}', null, null, null, null, null, null, 1]] },
          { ...axis, size: 62, values: (_, values) => values.map(format) },
        ],
        series: [
          { label: 'time', value: '{HH}:{mm}:{ss}' },
          ...series.map(
            ({ label }, i): uPlot.Series => ({
              label,
              stroke: color(`--chart-${(i % 8) + 1}`),
              width: 1.6,
              points: { show: false },
              value: (_, value: number | null) => (value === null ? '–' : format(value)),
            }),
          ),
        ],
      },
      dataOf(times, series),
      current,
    );
    const resize = new ResizeObserver(() => plot.current?.setSize({ width: current.clientWidth, height: HEIGHT }));
    resize.observe(current);
    return () => {
      resize.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [labels, theme]);
  useEffect(() => {
    plot.current?.setData(dataOf(times, series));
    // Without a cursor the legend shows the last values.
    if (plot.current?.cursor.idx === null || plot.current?.cursor.idx === undefined) plot.current?.setLegend({ idx: times.length - 1 });
  }, [times, series, labels, theme]);
  const last = (values: Series['values']): string => {
    const value = values.at(-1);
    return value === null || value === undefined ? 'no value' : format(value);
  };
  return (
    <section class="card time-series" aria-label={title}>
      <h2>{title}</h2>
      <div ref={host} aria-hidden="true" />
      <p class="visually-hidden">{series.map(({ label, values }) => `${label}: ${last(values)}`).join(', ')}</p>
    </section>
  );
}

const dataOf = (times: readonly number[], series: readonly Series[]): uPlot.AlignedData => [
  [...times],
  ...series.map(({ values }) => [...values]),
];
