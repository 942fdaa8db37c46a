// All families, with their share of the requests.
import type { Family } from '../scenario.ts';
import { indices, server, templates } from './administration.ts';
import { aggregations, brokenAggregations } from './aggregations.ts';
import { byQuery, documents, dynamicMappings, fieldTypes } from './documents.ts';
import { brokenQueries, queries, validateAndCount } from './queries.ts';
import { brokenSearches, fetches, otherSearches, pages, sorts } from './searches.ts';

export const FAMILIES: Readonly<Record<string, { readonly make: Family; readonly share: number }>> = {
  queries: { make: queries, share: 4 },
  'broken-queries': { make: brokenQueries, share: 2 },
  'validate-count-explain': { make: validateAndCount, share: 1 },
  sorts: { make: sorts, share: 2 },
  pages: { make: pages, share: 2 },
  fetches: { make: fetches, share: 2 },
  'broken-searches': { make: brokenSearches, share: 1 },
  'other-searches': { make: otherSearches, share: 2 },
  aggregations: { make: aggregations, share: 4 },
  'broken-aggregations': { make: brokenAggregations, share: 2 },
  documents: { make: documents, share: 2 },
  'dynamic-mappings': { make: dynamicMappings, share: 1 },
  'field-types': { make: fieldTypes, share: 1 },
  'by-query': { make: byQuery, share: 1 },
  indices: { make: indices, share: 2 },
  templates: { make: templates, share: 1 },
  server: { make: server, share: 2 },
};
