// Hits of a search as a table or as cards.
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { numberText } from '../format.ts';
import { indentJson } from '../json-text.ts';
import { Icon } from '../shell/icons.tsx';
import { Why } from './explanation-view.tsx';
import { cellText, columnsOf, compareValues, csvOf, valuesOf } from './hit-table.ts';
import type { Hit } from './search-answer.ts';

/** Rows and columns beyond these limits appear only in the JSON view and the CSV file. */
const MAX_ROWS = 500;
const FIRST_COLUMNS = 8;

export interface HitsViewProps {
  readonly hits: readonly Hit[];
  /** Query of the search, with which scores are explained; null if they cannot be. */
  readonly query: unknown;
}

export function HitsView({ hits, query }: HitsViewProps): JSX.Element {
  const hasHighlights = hits.some(({ highlight }) => highlight !== undefined);
  const [form, setForm] = useState<'table' | 'cards'>(hasHighlights ? 'cards' : 'table');
  const all = useMemo(() => columnsOf(hits), [hits]);
  const [chosen, setChosen] = useState<readonly string[] | null>(null);
  const columns = chosen ?? all.slice(0, FIRST_COLUMNS);
  if (hits.length === 0) return <p class="muted empty">No hits.</p>;
  return (
    <div class="hits">
      <div class="hit-tools">
        <div class="segmented">
          <button type="button" aria-pressed={form === 'table'} onClick={() => setForm('table')}>
            Table
          </button>
          <button type="button" aria-pressed={form === 'cards'} onClick={() => setForm('cards')}>
            Cards
          </button>
        </div>
        {form === 'table' && <ColumnChooser all={all} chosen={columns} onChange={setChosen} />}
        <button
          type="button"
          class="tool"
          onClick={() => download('hits.csv', csvOf(['_index', '_id', '_score', ...columns], hits.map(withMeta)))}
        >
          <Icon name="download" />
          <span>CSV</span>
        </button>
      </div>
      {form === 'table' ? <HitTable hits={hits} columns={columns} /> : <HitCards hits={hits} query={query} />}
    </div>
  );
}

const withMeta = (hit: Hit): Map<string, unknown> =>
  new Map([['_index', hit._index], ['_id', hit._id], ['_score', hit._score], ...valuesOf(hit)]);

/** Saves text as a file. */
export function download(name: string, text: string, type = 'text/csv'): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function ColumnChooser({
  all,
  chosen,
  onChange,
}: {
  readonly all: readonly string[];
  readonly chosen: readonly string[];
  onChange(columns: readonly string[]): void;
}): JSX.Element {
  return (
    <details class="chooser">
      <summary class="tool">
        Columns ({chosen.length} of {all.length})
      </summary>
      <fieldset class="menu-list">
        <legend class="visually-hidden">Columns</legend>
        {all.map((name) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={(event) =>
                onChange(
                  event.currentTarget.checked
                    ? all.filter((column) => column === name || chosen.includes(column))
                    : chosen.filter((column) => column !== name),
                )
              }
            />
            {name}
          </label>
        ))}
      </fieldset>
    </details>
  );
}

export interface HitTableProps {
  readonly hits: readonly Hit[];
  readonly columns: readonly string[];
}

export function HitTable({ hits, columns }: HitTableProps): JSX.Element {
  const [sort, setSort] = useState<{ readonly column: string; readonly isDown: boolean } | null>(null);
  const rows = useMemo(() => {
    const made = hits.slice(0, MAX_ROWS).map((hit) => ({ hit, values: withMeta(hit) }));
    if (sort === null) return made;
    const { column, isDown } = sort;
    return made.sort((a, b) => compareValues(a.values.get(column), b.values.get(column)) * (isDown ? -1 : 1));
  }, [hits, sort]);
  const shown = ['_id', ...(hits.some(({ _score }) => _score !== null) ? ['_score'] : []), ...columns];
  const sortBy = (column: string): void =>
    setSort((before) => (before?.column !== column ? { column, isDown: false } : before.isDown ? null : { column, isDown: true }));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class="table-scroll" aria-label="Hits" tabIndex={0}>
      <table class="data-table">
        <thead>
          <tr>
            {shown.map((column) => (
              <th key={column} scope="col" aria-sort={sort?.column === column ? (sort.isDown ? 'descending' : 'ascending') : undefined}>
                <button type="button" onClick={() => sortBy(column)}>
                  {column}
                  {sort?.column === column && <span aria-hidden="true">{sort.isDown ? ' ↓' : ' ↑'}</span>}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ hit, values }) => (
            <tr key={`${hit._index} ${hit._id}`}>
              {shown.map((column) => {
                const value = values.get(column);
                const text = column === '_score' && typeof value === 'number' ? value.toFixed(3) : cellText(value);
                return (
                  <td key={column} class={typeof value === 'number' ? 'number' : ''} title={text.length > 30 ? text : undefined}>
                    {text}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const MAX_CARDS = 100;

function HitCards({ hits, query }: HitsViewProps): JSX.Element {
  return (
    <ol class="hit-cards">
      {hits.slice(0, MAX_CARDS).map((hit) => (
        <li key={`${hit._index} ${hit._id}`} class="card">
          <p class="hit-head">
            <b>{hit._id}</b> <span class="muted">{hit._index}</span>
            {hit._score !== null && <span class="badge">{numberText(hit._score)}</span>}
          </p>
          <dl>
            {[...valuesOf(hit)].map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{hit.highlight?.[name] ? <Fragments fragments={hit.highlight[name]} /> : cellText(value)}</dd>
              </div>
            ))}
            {Object.entries(hit.highlight ?? {})
              .filter(([name]) => !valuesOf(hit).has(name))
              .map(([name, fragments]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>
                    <Fragments fragments={fragments} />
                  </dd>
                </div>
              ))}
          </dl>
          <Why hit={hit} query={query} />
          <details>
            <summary class="muted">JSON</summary>
            <pre>{indentJson(JSON.stringify(hit))}</pre>
          </details>
        </li>
      ))}
    </ol>
  );
}

/** Fragments with their marks; everything else in them is text. */
function Fragments({ fragments }: { readonly fragments: readonly string[] }): JSX.Element {
  return (
    <>
      {fragments.map((fragment, i) => (
        <span key={fragment}>
          {i > 0 && <span class="muted"> … </span>}
          {fragment.split(/(<em>.*?<\/em>)/gs).map((part, at) => {
            const marked = /^<em>(.*)<\/em>$/s.exec(part);
            return marked ? <mark key={at}>{marked[1]}</mark> : part;
          })}
        </span>
      ))}
    </>
  );
}
