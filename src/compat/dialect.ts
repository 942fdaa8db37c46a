// The differences between the servers whose API the service speaks, in one table: Elasticsearch 7, 8 and 9, and OpenSearch 3. Code asks for a
// difference by its name (`dialect.scoresWithFactor`), never for the flavour.

export type Flavor = 'elasticsearch' | 'opensearch';

/** The servers of the table, in the order of its columns. Versions from 7.11 on count as 7.17. */
export const SERVERS = ['7.10', '7.17', '8', '9', 'OpenSearch 3'] as const;

interface Row<T> {
  readonly about: string;
  /** What each server does, in the order of SERVERS. */
  readonly values: readonly [T, T, T, T, T];
}

function row<T>(about: string, ...values: readonly [T, T, T, T, T]): Row<T> {
  return { about, values };
}

/** Shorthands for rows in which few servers differ. */
const since8 = (about: string): Row<boolean> => row(about, false, false, true, true, false);
const notInOpenSearch = (about: string): Row<boolean> => row(about, true, true, true, true, false);

const MAPPER_ERROR = 'mapper_parsing_exception';
const DOCUMENT_ERROR = 'document_parsing_exception';

/** One row for each difference; docs/compatibility.md shows this table. */
export const DIFFERENCES = {
  scoresWithFactor: notInOpenSearch('BM25 scores are multiplied by k1 + 1'),
  scoresKeywords: notInOpenSearch('terms of keyword fields are scored by their statistics without `use_similarity`'),
  namesValuesAboveLimit: row('`_ignored` names fields whose values `ignore_above` dropped', false, true, true, true, false),
  wrapsDocumentErrors: since8('terms and mappings that a document makes too large are errors of the document'),
  documentError: row(
    'error type of documents that do not fit the mapping',
    MAPPER_ERROR,
    MAPPER_ERROR,
    DOCUMENT_ERROR,
    DOCUMENT_ERROR,
    MAPPER_ERROR,
  ),
} as const satisfies Readonly<Record<string, Row<unknown>>>;

type Differences = typeof DIFFERENCES;

/** The value of each difference for one server. */
export type Dialect = {
  /** Version number that clients see. */
  readonly version: string;
} & { readonly [Name in keyof Differences]: Differences[Name]['values'][number] };

const DEFAULT_VERSIONS: Readonly<Record<Flavor, string>> = { elasticsearch: '8.15.0', opensearch: '3.8.0' };

/**
 * @param version  empty for the flavour's default
 * @throws Error a version that the flavour does not have
 */
export function dialectOf(flavor: Flavor, version: string): Dialect {
  const shown = version === '' ? DEFAULT_VERSIONS[flavor] : version;
  const server = serverOf(flavor, shown);
  if (server === null) {
    const wanted = flavor === 'opensearch' ? '3.x' : '7.x, 8.x or 9.x';
    throw new Error(`must be ${wanted} if compat.flavor is ${flavor}, not [${shown}]`);
  }
  const column = SERVERS.indexOf(server);
  const values = Object.fromEntries(Object.entries(DIFFERENCES).map(([name, { values }]) => [name, values[column]]));
  // Every name of the table has a value of the type of its row.
  return { version: shown, ...values } as Dialect;
}

/** Elasticsearch 8, for code that runs without a node. */
export const DEFAULT_DIALECT = dialectOf('elasticsearch', '');

function serverOf(flavor: Flavor, version: string): (typeof SERVERS)[number] | null {
  const [major, minor] = version.split('.').map(Number);
  if (flavor === 'opensearch') return major === 3 ? 'OpenSearch 3' : null;
  if (major === 7) return minor > 10 ? '7.17' : '7.10';
  return major === 8 ? '8' : major === 9 ? '9' : null;
}
