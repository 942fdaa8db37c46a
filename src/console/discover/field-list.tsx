// The fields of an index; expanding one shows how many documents have it, and its most frequent values.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { countText, numberText } from '../format.ts';
import { call, pathPart } from '../service.ts';
import { type DiscoverFilter, type DiscoverState, queryOf } from './discover-search.ts';

export interface FieldListProps {
  readonly state: DiscoverState;
  readonly fields: ReadonlyMap<string, string>;
  onFilter(filter: DiscoverFilter): void;
  /** Shows or hides a column. */
  onColumn(name: string): void;
}

export function FieldList({ state, fields, onFilter, onColumn }: FieldListProps): JSX.Element {
  const [word, setWord] = useState('');
  const [isOpen, setOpen] = useState(false);
  const names = [...fields.keys()].filter((name) => name.toLowerCase().includes(word.toLowerCase()));
  return (
    <aside class={`field-list${isOpen ? ' open' : ''}`} aria-label="Fields">
      {/* Narrow windows show the list only on request. */}
      <button type="button" class="tool field-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {countText(fields.size, 'field')}
      </button>
      <input
        type="search"
        value={word}
        onInput={(event) => setWord(event.currentTarget.value)}
        placeholder={`Find among ${numberText(fields.size)} fields`}
        aria-label="Find fields"
      />
      <ul>
        {names.slice(0, 500).map((name) => (
          <Field
            key={`${state.index} ${name}`}
            name={name}
            type={fields.get(name) ?? ''}
            state={state}
            onFilter={onFilter}
            onColumn={onColumn}
          />
        ))}
      </ul>
    </aside>
  );
}

interface FieldProps extends Omit<FieldListProps, 'fields'> {
  readonly name: string;
  readonly type: string;
}

function Field({ name, type, state, onFilter, onColumn }: FieldProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const isColumn = state.columns.includes(name);
  return (
    <li>
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span class="field-name" title={name}>
            {name}
          </span>
          <span class="muted small">{type}</span>
        </summary>
        {isOpen && (
          <div class="field-values">
            <TopValues name={name} type={type} state={state} onFilter={onFilter} />
            <button type="button" class="link small" onClick={() => onColumn(name)}>
              {isColumn ? 'Hide the column' : 'Show as column'}
            </button>
          </div>
        )}
      </details>
    </li>
  );
}

interface Values {
  readonly total: number;
  readonly withField: number;
  readonly buckets: ReadonlyArray<{ readonly key: string | number; readonly key_as_string?: string; readonly doc_count: number }> | null;
}

const WITHOUT_TERMS = new Set([
  'text',
  'match_only_text',
  'search_as_you_type',
  'geo_point',
  'geo_shape',
  'dense_vector',
  'sparse_vector',
  'binary',
  'completion',
  'percolator',
  'nested',
]);

function TopValues({ name, type, state, onFilter }: Omit<FieldProps, 'onColumn'>): JSX.Element {
  const values = useTopValues(name, type, state);
  if (typeof values === 'string') return <p class="muted small">{values}</p>;
  const { total, withField, buckets } = values;
  const share = total === 0 ? 0 : (withField / total) * 100;
  return (
    <>
      <p class="muted small">
        in {share === 100 || share === 0 ? share : share.toFixed(1)} % of {numberText(total)} documents
      </p>
      {buckets?.map(({ key, key_as_string: text, doc_count: count }) => {
        const label = text ?? String(key);
        const value = text === 'true' ? true : text === 'false' ? false : key;
        const clause = type.startsWith('date')
          ? { range: { [name]: { gte: key, lte: key, format: 'epoch_millis' } } }
          : { term: { [name]: value } };
        return (
          <div key={label} class="top-value">
            <span class="top-bar" style={{ width: `${(count / Math.max(1, withField)) * 100}%` }} />
            <span class="top-label" title={label}>
              {label}
            </span>
            <span class="muted">{numberText(count)}</span>
            <button
              type="button"
              aria-label={`Only ${name}: ${label}`}
              title="Only these documents"
              onClick={() => onFilter({ clause, isNegated: false })}
            >
              +
            </button>
            <button
              type="button"
              aria-label={`Without ${name}: ${label}`}
              title="Without these documents"
              onClick={() => onFilter({ clause, isNegated: true })}
            >
              −
            </button>
          </div>
        );
      })}
    </>
  );
}

/** A string says why there are none yet. */
function useTopValues(name: string, type: string, state: DiscoverState): Values | string {
  const [values, setValues] = useState<Values | string>('Loading…');
  const searched = JSON.stringify([state.index, state.query, state.filters]);
  useEffect(() => {
    const controller = new AbortController();
    const hasTerms = !WITHOUT_TERMS.has(type);
    const body = {
      size: 0,
      track_total_hits: true,
      query: queryOf(state),
      aggs: { with: { filter: { exists: { field: name } } }, ...(hasTerms ? { top: { terms: { field: name, size: 5 } } } : {}) },
    };
    call<{
      hits: { total: { value: number } };
      aggregations: { with: { doc_count: number }; top?: { buckets: NonNullable<Values['buckets']> } };
    }>('POST', `/${pathPart(state.index)}/_search`, body, { signal: controller.signal }).then(
      ({ hits, aggregations }) =>
        setValues({ total: hits.total.value, withField: aggregations.with.doc_count, buckets: aggregations.top?.buckets ?? null }),
      (error: Error) => {
        if (!controller.signal.aborted) setValues(error.message);
      },
    );
    return () => controller.abort();
  }, [searched, name]);
  return values;
}
