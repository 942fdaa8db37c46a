// Names of Elasticsearch's classes that build aggregations, which errors about buckets paths quote.

/** Classes of bucket aggregations, below `bucket`; those of metrics follow from the type. */
const BUCKETS: Readonly<Record<string, string>> = {
  adjacency_matrix: 'adjacency.AdjacencyMatrix',
  children: 'Children',
  composite: 'composite.Composite',
  date_histogram: 'histogram.DateHistogram',
  auto_date_histogram: 'histogram.AutoDateHistogram',
  date_range: 'range.DateRange',
  diversified_sampler: 'sampler.Diversified',
  filter: 'filter.Filter',
  filters: 'filter.Filters',
  geo_distance: 'range.GeoDistance',
  geohash_grid: 'geogrid.GeoHashGrid',
  geotile_grid: 'geogrid.GeoTileGrid',
  global: 'global.Global',
  histogram: 'histogram.Histogram',
  ip_prefix: 'prefix.IpPrefix',
  ip_range: 'range.IpRange',
  missing: 'missing.Missing',
  nested: 'nested.Nested',
  random_sampler: 'sampler.random.RandomSampler',
  range: 'range.Range',
  rare_terms: 'terms.RareTerms',
  reverse_nested: 'nested.ReverseNested',
  sampler: 'sampler.Sampler',
  significant_terms: 'terms.SignificantTerms',
  significant_text: 'terms.SignificantText',
  terms: 'terms.Terms',
  variable_width_histogram: 'histogram.VariableWidthHistogram',
};

/** Full name of the class that builds aggregations of a type. */
export function builderName(typeName: string): string {
  const words = typeName.replaceAll(/(?:^|_)(\w)/g, (_, c: string) => c.toUpperCase());
  const own = Object.hasOwn(BUCKETS, typeName) ? `bucket.${BUCKETS[typeName]}` : null;
  return `org.elasticsearch.search.aggregations.${own ?? `metrics.${words}`}AggregationBuilder`;
}
