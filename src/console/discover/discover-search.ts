// The search of the discover page: its state, that state in the URL, and the request. Independent of the page's components.
import type { Filter } from '../answers/chart-model.ts';

export interface DiscoverState {
  readonly index: string;
  /** In the syntax of query_string; empty for all documents. */
  readonly query: string;
  readonly filters: readonly DiscoverFilter[];
  /** Columns of the table; empty shows the first fields. */
  readonly columns: readonly string[];
}

export interface DiscoverFilter {
  readonly clause: Filter;
  readonly isNegated: boolean;
}

const HITS = 100;
const HISTOGRAM_BUCKETS = 60;

/** Reads the state from URL parameters; malformed ones are ignored. */
export function stateOf(params: Readonly<Record<string, string>>): DiscoverState {
  return {
    index: params.index ?? '',
    query: params.q ?? '',
    filters: parsedFilters(params.filters),
    columns: (params.columns ?? '').split(',').filter((name) => name !== ''),
  };
}

function parsedFilters(text: string | undefined): DiscoverFilter[] {
  try {
    const given: unknown = JSON.parse(text ?? '[]');
    if (!Array.isArray(given)) return [];
    return given.flatMap((item: unknown): DiscoverFilter[] => {
      if (typeof item !== 'object' || item === null || !('clause' in item)) return [];
      const { clause } = item;
      if (typeof clause !== 'object' || clause === null || Array.isArray(clause)) return [];
      return [{ clause: clause as Filter, isNegated: 'isNegated' in item && item.isNegated === true }];
    });
  } catch {
    return [];
  }
}

export function paramsOf({ index, query, filters, columns }: DiscoverState): Record<string, string> {
  return {
    ...(index === '' ? {} : { index }),
    ...(query === '' ? {} : { q: query }),
    ...(filters.length === 0 ? {} : { filters: JSON.stringify(filters) }),
    ...(columns.length === 0 ? {} : { columns: columns.join(',') }),
  };
}

export function queryOf({ query, filters }: DiscoverState): Filter {
  const clauses = (isNegated: boolean): Filter[] => filters.filter((filter) => filter.isNegated === isNegated).map(({ clause }) => clause);
  return {
    bool: {
      must: [query.trim() === '' ? { match_all: {} } : { query_string: { query, default_operator: 'and', lenient: true } }],
      filter: clauses(false),
      must_not: clauses(true),
    },
  };
}

/** The body of the search. @param timeField  a field of type date, or null */
export function bodyOf(state: DiscoverState, timeField: string | null): Readonly<Record<string, unknown>> {
  return {
    size: HITS,
    track_total_hits: true,
    query: queryOf(state),
    ...(timeField === null
      ? {}
      : {
          sort: [{ [timeField]: { order: 'desc', unmapped_type: 'date' } }],
          aggs: { time: { auto_date_histogram: { field: timeField, buckets: HISTOGRAM_BUCKETS } } },
        }),
  };
}

/** The field that orders documents in time: `@timestamp`, otherwise the first date field. */
export function timeFieldOf(fields: ReadonlyMap<string, string>): string | null {
  const dates = [...fields].filter(([, type]) => type === 'date' || type === 'date_nanos').map(([name]) => name);
  return dates.includes('@timestamp') ? '@timestamp' : (dates[0] ?? null);
}

/** A filter in a few words: `level: error`, `took: 10 to 20`. */
export function filterText({ clause, isNegated }: DiscoverFilter): string {
  const [type] = Object.keys(clause);
  const body = clause[type];
  const [field, value] = Object.entries(typeof body === 'object' && body !== null ? body : {})[0] ?? ['', ''];
  const prefix = isNegated ? 'not ' : '';
  if (type === 'range' && typeof value === 'object' && value !== null) {
    const bound = (name: string): string | null => {
      const found = (value as Readonly<Record<string, unknown>>)[name];
      if (found === undefined) return null;
      return (value as { format?: string }).format === 'epoch_millis'
        ? new Date(Number(found)).toISOString().slice(0, 16).replace('T', ' ')
        : String(found);
    };
    return `${prefix}${field}: ${bound('gte') ?? '…'} to ${bound('lt') ?? bound('lte') ?? '…'}`;
  }
  if (type === 'exists') return `${prefix}${String(value)} exists`;
  return `${prefix}${field}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`;
}

/** Completions of the last word in the search box by field names, each as the whole value of the box. */
export function completions(query: string, fields: Iterable<string>): string[] {
  const word = /[^\s():"]*$/.exec(query)?.[0] ?? '';
  if (word === '') return [];
  const before = query.slice(0, query.length - word.length);
  return [...fields].filter((field) => field.startsWith(word) && field !== word).map((field) => `${before}${field}:`);
}
