// The shape of api.json, which describes the APIs of the service. tools/console/catalog.ts generates it from the tables of the service.

export interface Catalog {
  readonly apis: readonly CatalogApi[];
  /** Value kinds of the parameters that every API accepts. */
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
  /** Other objects in bodies: `search`, `highlight`... */
  readonly objects: Readonly<Record<string, Clause>>;
}

export interface CatalogApi {
  /** As in Elasticsearch's REST API specification: `indices.create`. */
  readonly name: string;
  /** `GET /{index}/_search` */
  readonly routes: readonly string[];
  /** Value kinds of the query parameters. */
  readonly params: Readonly<Record<string, string>>;
  readonly body: 'none' | 'optional' | 'required' | 'ndjson';
  /** Name of the body's description in `Catalog.objects`; empty if there is none. */
  readonly object: string;
}

/** A query, aggregation, field type or other object. */
export interface Clause {
  readonly about: string;
  readonly keys: Readonly<Record<string, Kind>>;
  /**
   * `field`: the body names a field, whose object has the keys. `field-or-key`: a field name may appear next to the keys. `query`: the body
   * is a query.
   */
  readonly by?: 'field' | 'field-or-key' | 'query';
}

/**
 * The value of a key: `string`, `number`, `boolean`, `any`, `field`, `fields`, `index`, `analyzer`, `tokenizer`, `filter`, `filters`, `char_filter`,
 * `char_filters`, `query`, `queries` (one or an array), `aggs`, `properties`, `processors`, `object/NAME` of `Catalog.objects`, `objects/NAME` (an array of
 * them), `named/NAME` (any names, with one each), or values to choose from, separated by `|`.
 */
export type Kind = string;
