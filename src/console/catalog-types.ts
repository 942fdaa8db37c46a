// The shape of api.json: what the service understands. tools/console/catalog.ts writes it from the tables of the service.

export interface Catalog {
  readonly apis: readonly CatalogApi[];
  /** Kinds of the parameters that every API has. */
  readonly commonParams: Readonly<Record<string, string>>;
  readonly queries: Readonly<Record<string, Clause>>;
  /** Metrics, buckets and pipelines. */
  readonly aggregations: Readonly<Record<string, Clause>>;
  readonly fieldTypes: Readonly<Record<string, Clause>>;
  readonly processors: readonly string[];
  readonly analyzers: readonly string[];
  readonly tokenizers: readonly string[];
  readonly tokenFilters: readonly string[];
  readonly charFilters: readonly string[];
  /** Other objects of bodies: `search`, `highlight`... */
  readonly objects: Readonly<Record<string, Clause>>;
}

export interface CatalogApi {
  /** As in Elasticsearch's REST API specification: `indices.create`. */
  readonly name: string;
  /** `GET /{index}/_search` */
  readonly routes: readonly string[];
  /** Kinds of the query parameters. */
  readonly params: Readonly<Record<string, string>>;
  readonly body: 'none' | 'optional' | 'required' | 'ndjson';
  /** Name of the object of `Catalog.objects` that the body is; empty if it is not described. */
  readonly object: string;
}

/** A query, aggregation, field type or other object. */
export interface Clause {
  readonly about: string;
  readonly keys: Readonly<Record<string, Kind>>;
  /** `field`: the body names a field, whose object has the keys. `field-or-key`: a field stands beside the keys. `query`: the body is a query. */
  readonly by?: 'field' | 'field-or-key' | 'query';
}

/**
 * The value of a key: `string`, `number`, `boolean`, `any`, `field`, `fields`, `index`, `analyzer`, `tokenizer`, `filter`, `filters`, `char_filter`,
 * `char_filters`, `query`, `queries` (one or an array), `aggs`, `properties`, `processors`, `object/NAME` of `Catalog.objects`, `objects/NAME` (an array of
 * them), `named/NAME` (any names, with one each), or values to choose from, separated by `|`.
 */
export type Kind = string;
