// Charts of aggregations: bars, columns, figures and maps of cells. A bucket that can become a filter is a button.
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useCell } from '../cell.ts';
import { countText, numberText } from '../format.ts';
import { theme } from '../shell/theme.ts';
import type { Bucket, Cell, Chart, Filter } from './chart-model.ts';

export interface ChartsProps {
  readonly charts: readonly Chart[];
  /** null if buckets cannot become filters. */
  readonly onFilter: ((filter: Filter) => void) | null;
}

export function Charts({ charts, onFilter }: ChartsProps): JSX.Element {
  return (
    <div class="charts">
      {charts.map((chart) => (
        <section key={chart.name} class="chart card" aria-label={`Aggregation ${chart.name}`}>
          <h2>{chart.name}</h2>
          <OneChart chart={chart} onFilter={onFilter} />
        </section>
      ))}
    </div>
  );
}

function OneChart({ chart, onFilter }: { readonly chart: Chart; readonly onFilter: ChartsProps['onFilter'] }): JSX.Element {
  switch (chart.kind) {
    case 'figures':
      return (
        <dl class="figures">
          {chart.figures.map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{typeof value === 'number' ? numberText(value) : value}</dd>
            </div>
          ))}
        </dl>
      );
    case 'group':
      return (
        <>
          <p class="muted">{countText(chart.count, 'document')}</p>
          {chart.children.length > 0 && <Charts charts={chart.children} onFilter={null} />}
        </>
      );
    case 'map':
      return <CellMap cells={chart.cells} onFilter={onFilter} />;
    default:
      return <BucketChart chart={chart} onFilter={onFilter} />;
  }
}

type BucketsOf = Extract<Chart, { kind: 'bars' | 'columns' }>;

/** Series beyond this number share a colour. */
const COLORS = 7;
const colorOf = (i: number): string => `var(--chart-${Math.min(i, COLORS) + 1})`;

function BucketChart({ chart, onFilter }: { readonly chart: BucketsOf; readonly onFilter: ChartsProps['onFilter'] }): JSX.Element {
  const [measure, setMeasure] = useState('');
  const valueOf = (bucket: Bucket): number => (measure === '' ? bucket.count : (bucket.metrics.get(measure) ?? 0));
  const { buckets, series, metrics, otherCount } = chart;
  if (buckets.length === 0) return <p class="muted">No buckets.</p>;
  const isStacked = measure === '' && series.length > 0;
  return (
    <>
      {metrics.length > 0 && (
        <label class="measure">
          <span class="visually-hidden">Value of {chart.name}</span>
          <select value={measure} onChange={(event) => setMeasure(event.currentTarget.value)}>
            <option value="">documents</option>
            {metrics.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      {chart.kind === 'bars' ? (
        <Bars buckets={buckets} valueOf={valueOf} series={isStacked ? series : []} onFilter={onFilter} />
      ) : (
        <Columns buckets={buckets} valueOf={valueOf} series={isStacked ? series : []} onFilter={onFilter} />
      )}
      {isStacked && (
        <ul class="legend">
          {series.slice(0, COLORS).map((label, i) => (
            <li key={label}>
              <span class="swatch" style={{ background: colorOf(i) }} />
              {label}
            </li>
          ))}
          {series.length > COLORS && (
            <li>
              <span class="swatch" style={{ background: colorOf(COLORS) }} />
              {series.length - COLORS} others
            </li>
          )}
        </ul>
      )}
      {otherCount > 0 && <p class="muted small">{countText(otherCount, 'document')} in other buckets</p>}
    </>
  );
}

export interface BucketsProps {
  readonly buckets: readonly Bucket[];
  valueOf(bucket: Bucket): number;
  readonly series: readonly string[];
  readonly onFilter: ChartsProps['onFilter'];
}

const MAX_BARS = 100;

function Bars({ buckets, valueOf, series, onFilter }: BucketsProps): JSX.Element {
  const max = Math.max(...buckets.map(valueOf), 0) || 1;
  return (
    <ol class="bars">
      {buckets.slice(0, MAX_BARS).map((bucket) => {
        const value = valueOf(bucket);
        const content = (
          <>
            <span class="bar-label" title={bucket.label}>
              {bucket.label === '' ? '(empty)' : bucket.label}
            </span>
            <span class="bar-track">
              <span class="bar" style={{ width: `${(Math.max(0, value) / max) * 100}%` }}>
                <Parts bucket={bucket} series={series} />
              </span>
            </span>
            <span class="bar-value">{numberText(value)}</span>
          </>
        );
        return (
          <li key={bucket.label}>
            <Pick filter={bucket.filter} onFilter={onFilter} label={bucket.label}>
              {content}
            </Pick>
          </li>
        );
      })}
    </ol>
  );
}

/** The parts of a bar, as shares of the documents of its bucket; a bar without parts has one colour. */
function Parts({ bucket, series }: { readonly bucket: Bucket; readonly series: readonly string[] }): JSX.Element {
  if (series.length === 0) return <span class="part" style={{ background: colorOf(0), flexGrow: 1 }} />;
  const known = series.reduce((sum, label) => sum + (bucket.parts.get(label) ?? 0), 0);
  return (
    <>
      {series.map((label, i) => {
        const count = bucket.parts.get(label) ?? 0;
        return count === 0 ? null : (
          <span key={label} class="part" title={`${label}: ${numberText(count)}`} style={{ background: colorOf(i), flexGrow: count }} />
        );
      })}
      {bucket.count > known && (
        <span
          class="part"
          title={`others: ${numberText(bucket.count - known)}`}
          style={{ background: colorOf(COLORS), flexGrow: bucket.count - known }}
        />
      )}
    </>
  );
}

export function Columns({ buckets, valueOf, series, onFilter }: BucketsProps): JSX.Element {
  const max = Math.max(...buckets.map(valueOf), 0) || 1;
  const middle = buckets[Math.floor(buckets.length / 2)];
  return (
    <div class="columns-chart">
      <span class="axis-max muted">{numberText(max)}</span>
      <div class="columns">
        {buckets.map((bucket) => {
          const value = valueOf(bucket);
          return (
            <Pick
              key={bucket.label}
              filter={bucket.filter}
              onFilter={onFilter}
              label={`${bucket.label}: ${numberText(value)}`}
              class="column"
            >
              <span class="column-bar" style={{ height: `${(Math.max(0, value) / max) * 100}%` }}>
                <Parts bucket={bucket} series={series} />
              </span>
            </Pick>
          );
        })}
      </div>
      <div class="axis muted">
        <span>{buckets[0].label}</span>
        {buckets.length > 2 && <span>{middle.label}</span>}
        <span>{buckets[buckets.length - 1].label}</span>
      </div>
    </div>
  );
}

interface PickProps {
  readonly filter: Filter | null;
  readonly onFilter: ChartsProps['onFilter'];
  readonly label: string;
  readonly class?: string;
  readonly children: JSX.Element;
}

function Pick({ filter, onFilter, label, class: name = 'bar-row', children }: PickProps): JSX.Element {
  if (filter === null || onFilter === null)
    return (
      // The bar of a column has no text of its own.
      <span class={name} title={label} {...(name === 'column' && { role: 'img', 'aria-label': label })}>
        {children}
      </span>
    );
  return (
    <button
      type="button"
      class={name}
      title={`${label} – click to filter by it`}
      aria-label={name === 'column' ? `Filter by ${label}` : undefined}
      onClick={() => onFilter(filter)}
    >
      {children}
    </button>
  );
}

const MAP_WIDTH = 720;
const LARGEST_CELLS = 10;

function CellMap({ cells, onFilter }: { readonly cells: readonly Cell[]; readonly onFilter: ChartsProps['onFilter'] }): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [hovered, setHovered] = useState<Cell | null>(null);
  const shownTheme = useCell(theme);
  const view = viewOf(cells);
  const largest = useMemo(() => largestOf(cells), [cells]);
  const height = Math.round((MAP_WIDTH * (view.north - view.south)) / (view.east - view.west));
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!context || canvas.current === null) return;
    const style = getComputedStyle(canvas.current);
    drawCells(context, cells, view, {
      width: MAP_WIDTH,
      height,
      color: style.getPropertyValue('--chart-1'),
      line: style.getPropertyValue('--border'),
    });
  }, [cells, shownTheme]);
  const cellAt = (event: MouseEvent): Cell | null => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const longitude = view.west + ((event.clientX - box.left) / box.width) * (view.east - view.west);
    const latitude = view.north - ((event.clientY - box.top) / box.height) * (view.north - view.south);
    return (
      cells.find(({ west, east, south, north }) => longitude >= west && longitude < east && latitude >= south && latitude < north) ?? null
    );
  };
  return (
    <>
      <canvas
        ref={canvas}
        class="cell-map"
        width={MAP_WIDTH}
        height={height}
        role="img"
        aria-label={`Map of ${countText(cells.length, 'cell')}`}
        onMouseMove={(event) => setHovered(cellAt(event))}
        onMouseLeave={() => setHovered(null)}
        onClick={(event) => {
          const cell = cellAt(event);
          if (cell && onFilter) onFilter(cell.filter);
        }}
      />
      <p class="muted small">
        {hovered
          ? `${hovered.label}: ${countText(hovered.count, 'document')}`
          : `${countText(cells.length, 'cell')}, equirectangular projection`}
      </p>
      <Bars buckets={largest} valueOf={({ count }) => count} series={[]} onFilter={onFilter} />
    </>
  );
}

/** What a map tells without eyes and pointer: its cells with the most documents. */
function largestOf(cells: readonly Cell[]): Bucket[] {
  const sorted = [...cells].sort((a, b) => b.count - a.count).slice(0, LARGEST_CELLS);
  return sorted.map(({ label, count, filter }) => ({ label, count, filter, metrics: new Map(), parts: new Map() }));
}

type View = Pick<Cell, 'west' | 'east' | 'south' | 'north'>;

/** Bounds of the cells with a margin, at least twice as wide as high and within the world map. */
function viewOf(cells: readonly Cell[]): View {
  if (cells.length === 0) return { west: -180, east: 180, south: -90, north: 90 };
  const west = Math.min(...cells.map((cell) => cell.west));
  const east = Math.max(...cells.map((cell) => cell.east));
  const south = Math.min(...cells.map((cell) => cell.south));
  const north = Math.max(...cells.map((cell) => cell.north));
  const high = Math.max((north - south) * 1.1, (east - west) / 2.5, 0.01);
  const wide = Math.max((east - west) * 1.1, high * 1.6);
  const [x, y] = [(west + east) / 2, (south + north) / 2];
  return { west: x - wide / 2, east: x + wide / 2, south: y - high / 2, north: y + high / 2 };
}

interface Surface {
  readonly width: number;
  readonly height: number;
  readonly color: string;
  readonly line: string;
}

function drawCells(context: CanvasRenderingContext2D, cells: readonly Cell[], view: View, { width, height, color, line }: Surface): void {
  const x = (longitude: number): number => ((longitude - view.west) / (view.east - view.west)) * width;
  const y = (latitude: number): number => ((view.north - latitude) / (view.north - view.south)) * height;
  context.clearRect(0, 0, width, height);
  context.strokeStyle = line;
  context.lineWidth = 1;
  const step = [0.1, 0.5, 1, 5, 10, 30].find((degrees) => (view.east - view.west) / degrees < 16) ?? 30;
  context.beginPath();
  for (let at = Math.ceil(view.west / step) * step; at <= view.east; at += step) {
    context.moveTo(x(at), 0);
    context.lineTo(x(at), height);
  }
  for (let at = Math.ceil(view.south / step) * step; at <= view.north; at += step) {
    context.moveTo(0, y(at));
    context.lineTo(width, y(at));
  }
  context.stroke();
  const max = Math.log1p(Math.max(...cells.map(({ count }) => count), 1));
  context.fillStyle = color;
  for (const cell of cells) {
    context.globalAlpha = 0.15 + 0.85 * (Math.log1p(cell.count) / max);
    context.fillRect(
      x(cell.west),
      y(cell.north),
      Math.max(1, x(cell.east) - x(cell.west) - 0.5),
      Math.max(1, y(cell.south) - y(cell.north) - 0.5),
    );
  }
  context.globalAlpha = 1;
}
