// The page that explores an index: a search box, documents over time, fields with their values, filters as chips, documents.
import type { JSX } from 'preact';
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { chartsOf } from '../answers/chart-model.ts';
import { columnsOf } from '../answers/hit-table.ts';
import { HitTable } from '../answers/hits-view.tsx';
import { type SearchAnswer, searchAnswer, totalText } from '../answers/search-answer.ts';
import { keptCell, useCell } from '../cell.ts';
import { msText } from '../format.ts';
import { liveFields, liveIndices } from '../names.ts';
import { pathPart, reasonOf, send } from '../service.ts';
import { Icon } from '../shell/icons.tsx';
import { Menu } from '../shell/menu.tsx';
import { address, go, replaceParams } from '../shell/router.ts';
import { announce } from '../shell/toast.tsx';
import {
  bodyOf,
  completions,
  type DiscoverFilter,
  type DiscoverState,
  filterText,
  paramsOf,
  stateOf,
  timeFieldOf,
} from './discover-search.ts';
import { FieldList } from './field-list.tsx';
import { TimeChart } from './time-chart.tsx';

export function DiscoverPage(): JSX.Element {
  const { params } = useCell(address);
  const state = useMemo(() => stateOf(params), [params]);
  const change = (changes: Partial<DiscoverState>): void => replaceParams(paramsOf({ ...state, ...changes }));
  const indices = useIndices();
  useEffect(() => {
    const [first] = indices ?? [];
    if (state.index === '' && first !== undefined) change({ index: first });
  }, [indices, state.index]);
  const fields = useFields(state.index);
  const { answer, error, ms } = useSearch(state, fields);
  useEffect(() => {
    if (answer) announce(`${countOf(answer)} ${nounOf(answer)}`);
  }, [answer]);
  const timeField = fields && timeFieldOf(fields);
  const addFilter = (filter: DiscoverFilter): void => change({ filters: [...state.filters, filter] });
  if (indices !== null && indices.length === 0)
    return <p class="muted empty">There is no index yet. Once one has documents, they can be explored here.</p>;
  // The first index is about to be chosen: a search box that is replaced would lose what is typed.
  if (state.index === '') return <p class="muted empty">Loading…</p>;
  return (
    <div class="discover">
      <h1 class="visually-hidden">Discover</h1>
      <SearchBar key={state.index} state={state} indices={indices ?? []} fields={fields} onChange={change} />
      <Chips filters={state.filters} onChange={(filters) => change({ filters })} />
      <div class="discover-body">
        {fields && (
          <FieldList
            state={state}
            fields={fields}
            onFilter={addFilter}
            onColumn={(name) =>
              change({
                columns: state.columns.includes(name) ? state.columns.filter((column) => column !== name) : [...state.columns, name],
              })
            }
          />
        )}
        <div class="discover-documents">
          {error !== null && (
            <p class="notice error" role="alert">
              {error}
            </p>
          )}
          {answer && (
            <>
              <p class="discover-total">
                <b>{countOf(answer)}</b> {nounOf(answer)}
                <span class="muted">
                  {' '}
                  · took {answer.took} ms, {msText(ms)} in all
                </span>
              </p>
              {timeField && (
                <TimeChart
                  charts={chartsOf({ time: { auto_date_histogram: { field: timeField } } }, answer.aggregations ?? {})}
                  field={timeField}
                  onFilter={(clause) => addFilter({ clause, isNegated: false })}
                />
              )}
              <Documents answer={answer} columns={state.columns} timeField={timeField} />
            </>
          )}
        </div>
      </div>
    </div>
  );
}

const countOf = ({ hits }: SearchAnswer): string => totalText(hits) ?? String(hits.hits.length);
const nounOf = (answer: SearchAnswer): string => (countOf(answer) === '1' ? 'document' : 'documents');

const FIRST_COLUMNS = 7;

function Documents({
  answer,
  columns,
  timeField,
}: {
  readonly answer: SearchAnswer;
  readonly columns: readonly string[];
  readonly timeField: string | null;
}): JSX.Element {
  const { hits } = answer.hits;
  const shown = useMemo(() => {
    if (columns.length > 0) return columns;
    const all = columnsOf(hits.slice(0, 20));
    return [...all.filter((name) => name === timeField), ...all.filter((name) => name !== timeField)].slice(0, FIRST_COLUMNS);
  }, [hits, columns, timeField]);
  return hits.length === 0 ? <p class="muted empty">No documents match.</p> : <HitTable hits={hits} columns={shown} />;
}

function useIndices(): readonly string[] | null {
  const [indices, setIndices] = useState<readonly string[] | null>(null);
  useEffect(() => {
    liveIndices().then(setIndices, () => setIndices([]));
  }, []);
  return indices;
}

function useFields(index: string): ReadonlyMap<string, string> | null {
  const [found, setFound] = useState<{ readonly index: string; readonly fields: ReadonlyMap<string, string> } | null>(null);
  useEffect(() => {
    if (index === '') return;
    let isCurrent = true;
    const show = (fields: ReadonlyMap<string, string>): void => {
      if (isCurrent) setFound({ index, fields });
    };
    liveFields(index).then(show, () => show(new Map()));
    return () => {
      isCurrent = false;
    };
  }, [index]);
  return found?.index === index ? found.fields : null;
}

interface Found {
  readonly answer: SearchAnswer | null;
  readonly error: string | null;
  readonly ms: number;
}

function useSearch(state: DiscoverState, fields: ReadonlyMap<string, string> | null): Found {
  const [found, setFound] = useState<Found>({ answer: null, error: null, ms: 0 });
  const { index, query, filters } = state;
  const searched = JSON.stringify([index, query, filters]);
  useEffect(() => {
    if (index === '' || fields === null) return;
    const controller = new AbortController();
    const body = JSON.stringify(bodyOf(state, timeFieldOf(fields)));
    send('POST', `/${pathPart(index)}/_search`, body, { signal: controller.signal }).then(
      ({ json, ms, status }) =>
        setFound({ answer: searchAnswer(json), error: reasonOf(json) ?? (status >= 400 ? `Status ${status}` : null), ms }),
      (error: Error) => {
        if (!controller.signal.aborted) setFound({ answer: null, error: error.message, ms: 0 });
      },
    );
    return () => controller.abort();
  }, [searched, fields]);
  return found;
}

interface SavedSearch {
  readonly name: string;
  readonly params: Readonly<Record<string, string>>;
}

const isSaved = (value: unknown): value is readonly SavedSearch[] =>
  Array.isArray(value) && value.every((item) => typeof item?.name === 'string' && typeof item.params === 'object' && item.params !== null);

const savedSearches = keptCell<readonly SavedSearch[]>('searches', [], isSaved);

interface SearchBarProps {
  readonly state: DiscoverState;
  readonly indices: readonly string[];
  readonly fields: ReadonlyMap<string, string> | null;
  onChange(changes: Partial<DiscoverState>): void;
}

function SearchBar({ state, indices, fields, onChange }: SearchBarProps): JSX.Element {
  const [text, setText] = useState(state.query);
  const list = useId();
  // Not after the first rendering, which may be after the first key.
  const shown = useRef(state.query);
  useEffect(() => {
    if (shown.current !== state.query) setText(state.query);
    shown.current = state.query;
  }, [state.query]);
  const submit = (event: Event): void => {
    event.preventDefault();
    onChange({ query: text });
  };
  const openRequest = (): void =>
    go('requests', {
      text: `POST ${pathPart(state.index)}/_search\n${JSON.stringify(bodyOf(state, fields && timeFieldOf(fields)), null, 2)}`,
    });
  return (
    <search>
      <form class="search-bar" onSubmit={submit}>
        <label>
          <span class="visually-hidden">Index</span>
          <select value={state.index} onChange={(event) => replaceParams({ index: event.currentTarget.value })}>
            {!indices.includes(state.index) && state.index !== '' && <option value={state.index}>{state.index}</option>}
            {indices.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <input
          type="search"
          value={text}
          list={list}
          onInput={(event) => setText(event.currentTarget.value)}
          placeholder="Search, for example status:500 AND message:refused"
          aria-label="Search"
          spellcheck={false}
        />
        <datalist id={list}>
          {completions(text, fields?.keys() ?? []).map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
        <button type="submit" class="primary">
          Search
        </button>
        <SavedMenu state={state} />
        <button type="button" class="tool" onClick={openRequest} title="Open this search as a request">
          <Icon name="requests" />
          <span>As request</span>
        </button>
      </form>
    </search>
  );
}

function SavedMenu({ state }: { readonly state: DiscoverState }): JSX.Element {
  const saved = useCell(savedSearches);
  const name = [state.index, state.query, ...state.filters.map(filterText)].filter((part) => part !== '').join(' · ');
  const others = saved.filter((search) => search.name !== name);
  return (
    <Menu
      label="Saved"
      icon="history"
      items={[
        others.length === saved.length
          ? { label: 'Save this search', hint: name, onChoose: () => savedSearches.set([{ name, params: paramsOf(state) }, ...saved]) }
          : { label: 'Forget this search', hint: name, onChoose: () => savedSearches.set(others) },
        ...others.map((search) => ({ label: search.name, onChoose: () => replaceParams(search.params) })),
      ]}
    />
  );
}

function Chips({
  filters,
  onChange,
}: {
  readonly filters: readonly DiscoverFilter[];
  onChange(filters: readonly DiscoverFilter[]): void;
}): JSX.Element | null {
  if (filters.length === 0) return null;
  return (
    <ul class="chips" aria-label="Filters">
      {filters.map((filter, i) => (
        <li key={JSON.stringify(filter)} class={filter.isNegated ? 'negated' : ''}>
          <button
            type="button"
            title="Invert this filter"
            onClick={() => onChange(filters.map((other, at) => (at === i ? { ...filter, isNegated: !filter.isNegated } : other)))}
          >
            {filterText(filter)}
          </button>
          <button type="button" aria-label={`Remove ${filterText(filter)}`} onClick={() => onChange(filters.filter((_, at) => at !== i))}>
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}
