// Documents over time: a click filters by one column, dragging by a range of columns.
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Bucket, Chart, Filter } from '../answers/chart-model.ts';
import { Columns } from '../answers/charts.tsx';

export interface TimeChartProps {
  readonly charts: readonly Chart[];
  readonly field: string;
  onFilter(filter: Filter): void;
}

export function TimeChart({ charts, field, onFilter }: TimeChartProps): JSX.Element | null {
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number } | null>(null);
  const host = useRef<HTMLElement>(null);
  const chart = charts.find(({ kind }) => kind === 'columns' || kind === 'bars');
  if (chart === undefined || (chart.kind !== 'columns' && chart.kind !== 'bars') || chart.buckets.length === 0) return null;
  const { buckets } = chart;
  const shareAt = (event: PointerEvent): number => {
    const box = host.current?.querySelector('.columns')?.getBoundingClientRect();
    return box ? Math.min(0.9999, Math.max(0, (event.clientX - box.left) / box.width)) : 0;
  };
  const endDrag = (event: PointerEvent): void => {
    if (drag === null) return;
    setDrag(null);
    const [first, last] = [drag.from, shareAt(event)].sort((a, b) => a - b).map((share) => Math.floor(share * buckets.length));
    const filter = first === last ? null : rangeOf(field, buckets[first], buckets[last]);
    if (filter) onFilter(filter);
  };
  return (
    <section
      ref={host}
      class="time-chart"
      aria-label={`Documents by ${field}`}
      onPointerDown={(event) => event.button === 0 && setDrag({ from: shareAt(event), to: shareAt(event) })}
      onPointerMove={(event) => drag && setDrag({ from: drag.from, to: shareAt(event) })}
      onPointerUp={endDrag}
      onPointerLeave={() => setDrag(null)}
    >
      <Columns buckets={buckets} valueOf={({ count }) => count} series={[]} onFilter={onFilter} />
      {drag && Math.abs(drag.to - drag.from) > 0.01 && (
        <span class="brush" style={{ left: `${Math.min(drag.from, drag.to) * 100}%`, width: `${Math.abs(drag.to - drag.from) * 100}%` }} />
      )}
    </section>
  );
}

/** The range filter from the start of one column to the end of another. */
function rangeOf(field: string, first: Bucket, last: Bucket): Filter | null {
  const bounds = ({ filter }: Bucket): Readonly<Record<string, unknown>> | null => {
    const range = filter?.range;
    return typeof range === 'object' && range !== null ? ((range as Record<string, Record<string, unknown>>)[field] ?? null) : null;
  };
  const [from, to] = [bounds(first), bounds(last)];
  if (from === null || to === null) return null;
  return { range: { [field]: { ...from, lt: undefined, ...(to.lt === undefined ? {} : { lt: to.lt }) } } };
}
