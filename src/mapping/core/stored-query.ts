// Queries stored in percolator fields. Documents are parsed in this folder, queries are compiled by src/query and src/search, which this folder
// may not import: the code that starts the thread provides the compiler.
import type { MappingAnalysis } from './mapping-analysis.ts';
import type { MappingSnapshot } from './mapping-snapshot.ts';

/** The form in which a percolator field stores a query. */
export interface StoredQuery {
  /** The query as UTF-8 JSON. */
  readonly json: Uint8Array;
  /** Every document that the query matches has at least one of these terms, `field NUL term` each; null if there are no such terms. */
  readonly terms: readonly Uint8Array[] | null;
}

/** The environment for which a stored query is compiled. */
export interface StoredQueryEnvironment {
  readonly mapping: MappingSnapshot;
  readonly analysis: MappingAnalysis;
  /** Flat index settings with the prefix `index.`. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** @throws ApiError: the query is not valid, or cannot be percolated */
export type QueryCompiler = (query: unknown, environment: StoredQueryEnvironment) => StoredQuery;

let compiler: QueryCompiler | null = null;

/** @param compile  called for each stored query */
export function provideQueryCompiler(compile: QueryCompiler): void {
  compiler = compile;
}

/** @throws ApiError as the compiler */
export function compileStoredQuery(query: unknown, environment: StoredQueryEnvironment): StoredQuery {
  if (!compiler) throw new Error('no compiler of stored queries has been provided');
  return compiler(query, environment);
}
