// The parameters of `inner_hits`, of which each has a kind of value.
import { ObjectParser } from '../../query/parameters.ts';

export const INNER_HITS = new ObjectParser('inner_hits', {
  name: 'string',
  ignore_unmapped: 'boolean',
  from: 'number',
  size: 'number',
  explain: 'boolean',
  version: 'boolean',
  seq_no_primary_term: 'boolean',
  track_scores: 'boolean',
  stored_fields: 'strings',
  docvalue_fields: 'objects',
  fields: 'objects',
  script_fields: 'object',
  sort: 'objectsBooleanOrString',
  _source: 'objectsBooleanOrString',
  highlight: 'object',
  collapse: 'object',
});
