// Names that have a meaning in JavaScript are data: each such name, in each kind of place that accepts a name of a client, is answered like an ordinary
// name. The answers are compared after both names are replaced by the same placeholder.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../support/rest-node.ts';

/** One of each kind: an accessor, inherited members, and members that serializers and promises look for. GANNET_NAMES=all takes more. */
const SOME = ['__proto__', 'constructor', 'toJSON'];
const MORE = ['hasOwnProperty', 'toString', 'valueOf', 'prototype', 'then', '__defineGetter__', 'isPrototypeOf'];
const NAMES = process.env.GANNET_NAMES === 'all' ? [...SOME, ...MORE] : SOME;
/** An ordinary name of the same length and shape. */
const ordinary = (name: string): string =>
  name.replaceAll(/[a-z]/gi, (letter) => String.fromCharCode(letter.charCodeAt(0) + (letter.toLowerCase() < 'n' ? 13 : -13)));

/** Requests with `NAME` in the place of the name; every answer counts. A line `METHOD /path` may be followed by a body. */
interface Place {
  readonly place: string;
  readonly requests: readonly (readonly [line: string, body?: string])[];
}

const at = (place: string, ...requests: Place['requests']): Place => ({ place, requests });
const search = (body: string): readonly [string, string] => ['POST /names/_search', body];
const aggregation = (type: string, body: string, sub = ''): Place =>
  at(`aggregation ${type}`, search(`{"size":0,"aggs":{"NAME":{"${type}":${body}${sub}}}}`));

const PLACES: readonly Place[] = [
  at(
    'field of a document, found by each kind of query',
    ['PUT /t', '{"mappings":{"properties":{"n":{"type":"long"}}}}'],
    ['PUT /t/_doc/1?refresh=true', '{"NAME":"some words","n":1}'],
    ['PUT /t/_doc/2?refresh=true', '{"obj":{"NAME":{"NAME":5}},"n":2}'],
    ['GET /t/_doc/1'],
    ['GET /t/_mapping'],
    ['GET /t/_mapping/field/NAME'],
    ['GET /t/_mapping/field/*'],
    ['GET /t/_field_caps?fields=*'],
    ['GET /t/_field_caps?fields=NAME,obj.NAME.NAME'],
    ...['match', 'match_phrase', 'term', 'prefix', 'wildcard', 'fuzzy', 'match_bool_prefix', 'regexp'].map(
      (query) => ['POST /t/_search', `{"query":{"${query}":{"NAME":"words"}}}`] as const,
    ),
    ['POST /t/_search', '{"query":{"match":{"NAME":{"query":"words","operator":"and"}}}}'],
    ['POST /t/_search', '{"query":{"terms":{"NAME":["words"]}}}'],
    ['POST /t/_search', '{"query":{"range":{"obj.NAME.NAME":{"gte":5}}}}'],
    ['POST /t/_search', '{"query":{"exists":{"field":"NAME"}}}'],
    ['POST /t/_search', '{"query":{"multi_match":{"query":"words","fields":["NAME^2","n"]}}}'],
    ['POST /t/_search', '{"query":{"query_string":{"query":"NAME:words"}}}'],
    ['POST /t/_search', '{"query":{"simple_query_string":{"query":"words","fields":["NAME"]}}}'],
    ['POST /t/_search', '{"query":{"intervals":{"NAME":{"match":{"query":"some words"}}}}}'],
    ['POST /t/_search', '{"query":{"span_term":{"NAME":"words"}}}'],
    ['POST /t/_search', '{"query":{"more_like_this":{"fields":["NAME"],"like":"words","min_term_freq":1,"min_doc_freq":1}}}'],
    ['POST /t/_search', '{"query":{"bool":{"must":{"match":{"NAME":"words"}}}},"highlight":{"fields":{"NAME":{}}}}'],
    ['POST /t/_search', '{"query":{"match":{"NAME":"words"}},"highlight":{"fields":[{"NAME":{"type":"plain"}}]}}'],
    ['POST /t/_search', '{"fields":["NAME*","obj.*"],"_source":false}'],
    ['POST /t/_search', '{"fields":[{"field":"obj.NAME.NAME"}],"docvalue_fields":["NAME.keyword"],"_source":false}'],
    ['POST /t/_search', '{"_source":["NAME"]}'],
    ['POST /t/_search', '{"_source":{"excludes":["obj.NAME"]}}'],
    ['POST /t/_search', '{"stored_fields":["NAME"]}'],
    ['POST /t/_search', '{"sort":[{"NAME.keyword":"asc"}]}'],
    ['POST /t/_search', '{"sort":[{"obj.NAME.NAME":{"order":"desc","missing":3}}]}'],
    ['POST /t/_search', '{"sort":"NAME.keyword"}'],
    ['POST /t/_search', '{"collapse":{"field":"NAME.keyword"}}'],
    ['POST /t/_search?filter_path=hits.hits._source.NAME'],
    ['GET /t/_source/1?_source_includes=NAME'],
    ['POST /t/_search', '{"aggs":{"a":{"terms":{"field":"NAME.keyword"}}}}'],
    ['POST /t/_search', '{"aggs":{"a":{"multi_terms":{"terms":[{"field":"NAME.keyword"},{"field":"n"}]}}}}'],
    ['POST /t/_search', '{"aggs":{"a":{"matrix_stats":{"fields":["n","obj.NAME.NAME"]}}}}'],
    ['POST /t/_search', '{"aggs":{"a":{"top_metrics":{"metrics":{"field":"obj.NAME.NAME"},"sort":{"n":"asc"}}}}}'],
    ['POST /t/_search', '{"aggs":{"a":{"top_hits":{"_source":["NAME"]}}}}'],
    ['POST /t/_search', '{"script_fields":{"s":{"script":"doc[\'obj.NAME.NAME\'].size()"}}}'],
    ['POST /t/_search', '{"script_fields":{"s":{"script":"params._source.NAME"}}}'],
    ['POST /t/_termvectors/1', '{"fields":["NAME"]}'],
    ['POST /t/_explain/1', '{"query":{"match":{"NAME":"words"}}}'],
    ['POST /t/_update/1?refresh=true', '{"doc":{"NAME":"other words","more":{"NAME":[1]}}}'],
    ['GET /t/_doc/1'],
    ['POST /t/_update/1?refresh=true', '{"script":{"source":"ctx._source.NAME = params.NAME","params":{"NAME":"from script"}}}'],
    ['POST /t/_update/1?refresh=true', '{"script":{"source":"ctx._source.obj = new HashMap(); ctx._source.obj.put(\'NAME\', 7)"}}'],
    ['GET /t/_doc/1'],
    ['POST /t/_update/1?refresh=true', '{"script":{"source":"ctx._source.remove(\'NAME\')"}}'],
    ['GET /t/_doc/1'],
    ['POST /t/_update_by_query?refresh=true', '{"script":{"source":"ctx._source[\'NAME\'] = 3 + \'\'"}}'],
    ['GET /t/_doc/2'],
    ['POST /_reindex?refresh=true', '{"source":{"index":"t","_source":["NAME"]},"dest":{"index":"t2"}}'],
    ['GET /t2/_doc/2'],
    ['GET /t2/_mapping'],
    ['DELETE /t,t2'],
  ),
  ...['text', 'keyword', 'long', 'double', 'date', 'boolean', 'ip', 'geo_point', 'object', 'nested', 'flattened', 'completion'].map(
    (type) =>
      at(
        `mapped field of type ${type}`,
        ['PUT /t', `{"mappings":{"properties":{"NAME":{"type":"${type}"},"n":{"type":"long"}}}}`],
        ['PUT /t/_doc/1?refresh=true', '{"n":1}'],
        ['POST /t/_search', '{"query":{"exists":{"field":"NAME"}}}'],
        ['GET /t/_mapping'],
        ['PUT /t/_mapping', `{"properties":{"NAME":{"type":"${type}"},"NAME2":{"type":"${type}"}}}`],
        ['GET /t/_mapping'],
        ['GET /t/_field_caps?fields=*'],
        ['DELETE /t'],
      ),
  ),
  at(
    'multi-field and alias',
    [
      'PUT /t',
      '{"mappings":{"properties":{"a":{"type":"text","fields":{"NAME":{"type":"keyword"}}},"NAME":{"type":"alias","path":"a.NAME"}}}}',
    ],
    ['PUT /t/_doc/1?refresh=true', '{"a":"x y"}'],
    ['POST /t/_search', '{"query":{"term":{"a.NAME":"x y"}}}'],
    ['POST /t/_search', '{"query":{"term":{"NAME":"x y"}},"aggs":{"NAME":{"terms":{"field":"NAME"}}},"sort":"NAME"}'],
    ['GET /t/_mapping'],
    ['DELETE /t'],
  ),
  at(
    'nested path, copy_to and inner hits',
    [
      'PUT /t',
      '{"mappings":{"properties":{"NAME":{"type":"nested","properties":{"NAME":{"type":"keyword","copy_to":"copy"}}},"copy":{"type":"keyword"}}}}',
    ],
    ['PUT /t/_doc/1?refresh=true', '{"NAME":[{"NAME":"a"},{"NAME":"b"}]}'],
    ['POST /t/_search', '{"query":{"nested":{"path":"NAME","query":{"term":{"NAME.NAME":"b"}},"inner_hits":{"name":"NAME"}}}}'],
    ['POST /t/_search', '{"query":{"nested":{"path":"NAME","query":{"term":{"NAME.NAME":"b"}},"inner_hits":{}}},"fields":["NAME"]}'],
    ['POST /t/_search', '{"query":{"term":{"copy":"a"}}}'],
    ['POST /t/_search', '{"size":0,"aggs":{"NAME":{"nested":{"path":"NAME"},"aggs":{"NAME":{"terms":{"field":"NAME.NAME"}}}}}}'],
    ['DELETE /t'],
  ),
  at(
    'flattened key',
    ['PUT /t', '{"mappings":{"properties":{"f":{"type":"flattened"}}}}'],
    ['PUT /t/_doc/1?refresh=true', '{"f":{"NAME":"a","b":{"NAME":"c"}}}'],
    ['POST /t/_search', '{"query":{"term":{"f.NAME":"a"}},"aggs":{"a":{"terms":{"field":"f.b.NAME"}}},"fields":["f.NAME"]}'],
    ['DELETE /t'],
  ),
  at(
    'join relation',
    ['PUT /t', '{"mappings":{"properties":{"j":{"type":"join","relations":{"NAME":["kid","NAME2"]}}}}}'],
    ['PUT /t/_doc/1?refresh=true', '{"j":"NAME"}'],
    ['PUT /t/_doc/2?refresh=true&routing=1', '{"j":{"name":"NAME2","parent":"1"}}'],
    ['POST /t/_search', '{"query":{"has_child":{"type":"NAME2","query":{"match_all":{}},"inner_hits":{"name":"NAME"}}}}'],
    ['POST /t/_search', '{"query":{"has_parent":{"parent_type":"NAME","query":{"match_all":{}}}}}'],
    ['POST /t/_search', '{"size":0,"aggs":{"NAME":{"children":{"type":"NAME2"}}}}'],
    ['GET /t/_mapping'],
    ['DELETE /t'],
  ),
  at(
    'dynamic templates and metadata of mappings',
    [
      'PUT /t',
      '{"mappings":{"_meta":{"NAME":{"NAME":1}},"dynamic_templates":[{"NAME":{"match":"NAME*","mapping":{"type":"keyword","meta":{"NAME":"x"}}}}]}}',
    ],
    ['PUT /t/_doc/1?refresh=true', '{"NAME":"x","NAMEb":"y"}'],
    ['PUT /t/_doc/2?refresh=true&dynamic_templates=NAME', '{"q":"x"}'],
    ['GET /t/_mapping'],
    ['DELETE /t'],
  ),
  at(
    'runtime field of an index and of a search',
    ['PUT /t', '{"mappings":{"runtime":{"NAME":{"type":"long","script":{"source":"emit(params.NAME)","params":{"NAME":4}}}}}}'],
    ['PUT /t/_doc/1?refresh=true', '{"n":1}'],
    ['POST /t/_search', '{"query":{"term":{"NAME":4}},"fields":["NAME"],"sort":"NAME","aggs":{"NAME":{"sum":{"field":"NAME"}}}}'],
    [
      'POST /t/_search',
      '{"runtime_mappings":{"NAME2":{"type":"keyword","script":"emit(\'v\')"}},"fields":["NAME2"],"query":{"term":{"NAME2":"v"}}}',
    ],
    ['GET /t/_mapping'],
    ['PUT /t/_mapping', '{"runtime":{"NAME":null}}'],
    ['GET /t/_mapping'],
    ['DELETE /t'],
  ),
  at(
    'unmapped field',
    search('{"query":{"match":{"NAME":"x"}}}'),
    search('{"sort":"NAME"}'),
    search('{"aggs":{"a":{"terms":{"field":"NAME"}}}}'),
    search('{"query":{"exists":{"field":"NAME"}},"fields":["NAME"],"docvalue_fields":["NAME"],"highlight":{"fields":{"NAME":{}}}}'),
    search('{"query":{"nested":{"path":"NAME","query":{"match_all":{}}}}}'),
    search('{"script_fields":{"s":{"script":"doc[\'NAME\'].value"}}}'),
    ['GET /names/_mapping/field/NAME'],
    ['GET /names/_field_caps?fields=NAME'],
    search('{"collapse":{"field":"NAME"}}'),
    search('{"suggest":{"a":{"text":"x","term":{"field":"NAME"}}}}'),
  ),
  at(
    'unknown query',
    search('{"query":{"NAME":{}}}'),
    search('{"query":{"NAME":{"x":"y"}}}'),
    search('{"query":{"bool":{"NAME":[]}}}'),
    search('{"query":{"match":{"tag":{"query":"x","NAME":1}}}}'),
    search('{"query":{"function_score":{"NAME":{}}}}'),
    search('{"query":{"function_score":{"score_mode":"NAME"}}}'),
    search('{"query":{"intervals":{"text":{"NAME":{}}}}}'),
    search('{"query":{"range":{"n":{"NAME":1}}}}'),
    search('{"query":{"geo_distance":{"NAME":[1,2],"distance":"1km"}}}'),
    search('{"query":{"span_or":{"clauses":[{"NAME":{}}]}}}'),
    search('{"query":{"function_score":{"NAME":{"n":{"origin":1,"scale":1}}}}}'),
    search('{"query":{"script_score":{"query":{"match_all":{}},"script":{"NAME":"x"}}}}'),
    search('{"query":{"rank_feature":{"field":"n","NAME":{}}}}'),
    search('{"query":{"geo_shape":{"NAME":{"shape":{"type":"NAME"}}}}}'),
    search('{"query":{"distance_feature":{"field":"NAME","origin":"now","pivot":"1d"}}}'),
    search('{"query":{"multi_match":{"query":"x","type":"NAME"}}}'),
    search('{"query":{"terms":{"NAME":{"index":"names","id":"1","path":"NAME"}}}}'),
  ),
  at(
    'unknown member of a search',
    search('{"NAME":1}'),
    search('{"aggs":{"a":{"NAME":{}}}}'),
    search('{"aggs":{"a":{"terms":{"field":"tag"},"NAME":{}}}}'),
    search('{"aggs":{"a":{"terms":{"field":"tag","NAME":1}}}}'),
    search('{"highlight":{"NAME":1}}'),
    search('{"suggest":{"a":{"text":"x","NAME":{}}}}'),
    search('{"sort":[{"n":{"NAME":1}}]}'),
    search('{"sort":[{"n":{"order":"NAME"}}]}'),
    search('{"highlight":{"fields":{"text":{"type":"NAME"}}},"query":{"match":{"text":"fox"}}}'),
    search('{"collapse":{"field":"tag","NAME":1}}'),
    search('{"rescore":{"NAME":{}}}'),
    search('{"script_fields":{"a":{"NAME":1}}}'),
    search('{"runtime_mappings":{"a":{"type":"NAME"}}}'),
    search('{"fields":[{"field":"n","NAME":1}]}'),
    ['POST /names/_search?NAME=1'],
    ['GET /names/_search?preference=NAME&sort=n:NAME'],
    ['GET /_cat/indices?h=NAME&s=NAME'],
    ['GET /_cat/NAME'],
    ['GET /_nodes/stats/NAME'],
    ['GET /_cluster/state/NAME'],
    ['GET /names/_stats/NAME'],
    ['GET /_nodes/NAME'],
  ),
  at(
    'parameters with names of Object',
    ['POST /names/_search?filter_path=NAME,hits.NAME'],
    ['GET /names/_search?source_content_type=NAME&source=x'],
    ['GET /names/_doc/NAME'],
    ['GET /names/_doc/1?routing=NAME&preference=NAME'],
    ['GET /names/_search?q=NAME:x'],
    ['GET /names/_count?q=NAME'],
    ['GET /_cluster/health?level=NAME'],
    ['GET /names/_search?search_type=NAME'],
    ['PUT /names/_doc/1?op_type=NAME', '{}'],
    ['GET /_cluster/health?wait_for_status=NAME'],
  ),
  at('content types', ['GET /names/_search?format=NAME']),
  aggregation('terms', '{"field":"tag"}', ',"meta":{"NAME":{"NAME":1}}'),
  aggregation('terms', '{"field":"tag","order":{"NAME":"desc"}}', ',"aggs":{"NAME":{"sum":{"field":"n"}}}'),
  aggregation(
    'filters',
    '{"filters":{"NAME":{"match_all":{}},"b":{"match_none":{}}},"other_bucket_key":"NAME2"}',
    ',"aggs":{"NAME":{"max":{"field":"n"}}}',
  ),
  aggregation('adjacency_matrix', '{"filters":{"NAME":{"match_all":{}},"b":{"term":{"tag":"red"}}}}'),
  aggregation(
    'range',
    '{"field":"n","keyed":true,"ranges":[{"key":"NAME","to":3},{"key":"b","from":3}]}',
    ',"aggs":{"NAME":{"avg":{"field":"n"}}}',
  ),
  aggregation(
    'histogram',
    '{"field":"n","interval":2}',
    ',"aggs":{"NAME":{"sum":{"field":"n"}},"d":{"derivative":{"buckets_path":"NAME"}},"c":{"cumulative_sum":{"buckets_path":"NAME"}}}',
  ),
  aggregation(
    'histogram',
    '{"field":"n","interval":2}',
    ',"aggs":{"m":{"sum":{"field":"n"}},"d":{"bucket_script":{"buckets_path":{"NAME":"m"},"script":"params.NAME + 1"}},"s":{"bucket_selector":{"buckets_path":{"NAME":"m"},"script":"params.NAME > 1"}}}',
  ),
  aggregation(
    'histogram',
    '{"field":"n","interval":2,"keyed":true}',
    ',"aggs":{"m":{"sum":{"field":"n"}},"s":{"bucket_sort":{"sort":[{"NAME":"desc"}]}}}',
  ),
  aggregation('composite', '{"sources":[{"NAME":{"terms":{"field":"tag"}}},{"b":{"histogram":{"field":"n","interval":3}}}]}'),
  aggregation('composite', '{"sources":[{"NAME":{"terms":{"field":"tag"}}}],"after":{"NAME":"blue"}}'),
  aggregation('percentiles', '{"field":"n"}'),
  aggregation('stats', '{"field":"n"}'),
  aggregation(
    'scripted_metric',
    '{"params":{"NAME":3},"init_script":"state.NAME = params.NAME","map_script":"state.NAME += 1","combine_script":"state","reduce_script":"def t = 0; for (s in states) { t += s.NAME } return [\'NAME\': t]"}',
  ),
  aggregation('weighted_avg', '{"value":{"field":"n"},"weight":{"script":{"source":"params.NAME","params":{"NAME":2}}}}'),
  aggregation('significant_terms', '{"field":"tag","NAME":{}}'),
  aggregation('date_range', '{"field":"NAME","ranges":[{"to":"2024-01-01"}]}'),
  aggregation('date_histogram', '{"field":"at","calendar_interval":"NAME"}'),
  aggregation('date_histogram', '{"field":"at","calendar_interval":"year","time_zone":"NAME"}'),
  aggregation('NAME', '{"field":"tag"}'),
  at(
    'sibling pipeline',
    search(
      '{"size":0,"aggs":{"NAME":{"terms":{"field":"tag"},"aggs":{"NAME":{"sum":{"field":"n"}}}},"m":{"max_bucket":{"buckets_path":"NAME>NAME"}},"a":{"avg_bucket":{"buckets_path":"NAME.NAME"}}}}',
    ),
  ),
  at('typed keys', [
    'POST /names/_search?typed_keys=true',
    '{"size":0,"aggs":{"NAME":{"terms":{"field":"tag"}}},"suggest":{"NAME":{"text":"fxo","term":{"field":"text"}}}}',
  ]),
  at(
    'named query',
    search(
      '{"query":{"bool":{"should":[{"match":{"text":{"query":"fox","_name":"NAME"}}},{"term":{"tag":{"value":"red","_name":"b"}}}]}}}',
    ),
    ['POST /names/_search?include_named_queries_score=true', '{"query":{"match":{"text":{"query":"fox","_name":"NAME"}}}}'],
  ),
  at(
    'script parameter',
    search(
      '{"query":{"script_score":{"query":{"match_all":{}},"script":{"source":"params.NAME + params[\'NAME\']","params":{"NAME":2}}}}}',
    ),
    search('{"query":{"script":{"script":{"source":"params.containsKey(\'NAME\')","params":{"b":2}}}}}'),
    search('{"query":{"script":{"script":{"source":"params.NAME == null","params":{"b":2}}}}}'),
    search(
      '{"script_fields":{"NAME":{"script":{"source":"def m = [\'NAME\': 1]; m.NAME += 1; m[\'NAME2\'] = m.NAME; return m","params":{}}}}}',
    ),
    search('{"script_fields":{"NAME":{"script":{"source":"def NAME = 3; return NAME"}}}}'),
    search('{"script_fields":{"a":{"script":{"source":"return NAME"}}}}'),
    search('{"script_fields":{"a":{"script":{"source":"NAME(1)"}}}}'),
    search('{"script_fields":{"a":{"script":{"source":"Math.NAME(1)"}}}}'),
    search('{"script_fields":{"a":{"script":{"source":"def x = [:]; x.NAME = 1; return x"}}}}'),
    search('{"script_fields":{"a":{"script":{"source":"NAME.x"}}}}'),
    search('{"script_fields":{"a":{"script":{"source":"new NAME()"}}}}'),
    search('{"script_fields":{"a":{"script":{"lang":"expression","source":"NAME + n"}}}}'),
    search('{"script_fields":{"a":{"script":{"lang":"expression","source":"doc[\'n\'].NAME"}}}}'),
    search('{"script_fields":{"a":{"script":{"lang":"NAME","source":"1"}}}}'),
    search('{"script_fields":{"a":{"script":{"id":"NAME"}}}}'),
    ['POST /_scripts/painless/_execute', '{"script":{"source":"params.NAME","params":{"NAME":"x"}}}'],
    ['POST /_scripts/painless/_execute', '{"script":{"source":"1"},"context":"NAME"}'],
  ),
  at(
    'stored script',
    ['GET /_scripts/NAME'],
    ['PUT /_scripts/NAME', '{"script":{"lang":"painless","source":"params.NAME"}}'],
    ['GET /_scripts/NAME'],
    search('{"script_fields":{"a":{"script":{"id":"NAME","params":{"NAME":4}}}}}'),
    ['DELETE /_scripts/NAME'],
    ['GET /_scripts/NAME'],
    ['DELETE /_scripts/NAME'],
  ),
  at(
    'search template',
    ['PUT /_scripts/NAME', '{"script":{"lang":"mustache","source":"{\\"query\\":{\\"term\\":{\\"tag\\":\\"{{NAME}}\\"}}}"}}'],
    ['POST /names/_search/template', '{"id":"NAME","params":{"NAME":"red"}}'],
    ['POST /_render/template', '{"id":"NAME","params":{"b":{"NAME":"red"}}}'],
    ['POST /_render/template', '{"source":"{\\"query\\":{\\"term\\":{\\"tag\\":\\"{{b.NAME}}\\"}}}","params":{"b":{"NAME":"red"}}}'],
    ['POST /_render/template', '{"source":"{\\"query\\":{\\"term\\":{\\"tag\\":\\"{{NAME}}{{^NAME}}none{{/NAME}}\\"}}}","params":{}}'],
    ['POST /_render/template', '{"source":"{\\"a\\":{{#toJson}}NAME{{/toJson}}}","params":{"NAME":{"NAME":[1]}}}'],
    ['DELETE /_scripts/NAME'],
  ),
  at(
    'ingest pipeline',
    ['GET /_ingest/pipeline/NAME'],
    [
      'PUT /_ingest/pipeline/NAME',
      '{"_meta":{"NAME":1},"processors":[{"set":{"field":"NAME","value":"{{n}}"}},{"set":{"field":"obj.NAME","value":1}},{"rename":{"field":"obj.NAME","target_field":"r.NAME"}}]}',
    ],
    ['GET /_ingest/pipeline/NAME'],
    ['GET /_ingest/pipeline'],
    ['PUT /t/_doc/1?pipeline=NAME&refresh=true', '{"n":5}'],
    ['GET /t/_doc/1'],
    ['GET /t/_mapping'],
    ['POST /_ingest/pipeline/NAME/_simulate', '{"docs":[{"_source":{"n":1,"NAME":{"NAME":2}}}]}'],
    [
      'POST /_ingest/pipeline/_simulate?verbose=true',
      '{"pipeline":{"processors":[{"pipeline":{"name":"NAME"}},{"script":{"source":"ctx.NAME2 = params.NAME; ctx[\'x\'] = [\'NAME\':2]","params":{"NAME":1}}},{"json":{"field":"j","target_field":"NAME3"}},{"kv":{"field":"kv","field_split":" ","value_split":"="}},{"dissect":{"field":"d","pattern":"%{NAME} %{b}"}},{"grok":{"field":"d","patterns":["%{WORD:NAME} %{WORD:b}"],"pattern_definitions":{"NAME":"x"}}},{"foreach":{"field":"l","processor":{"set":{"field":"_ingest._value.NAME","value":1}}}},{"remove":{"field":"NAME"}},{"csv":{"field":"c","target_fields":["NAME","b"]}},{"dot_expander":{"field":"dots.NAME"}}]},"docs":[{"_source":{"n":1,"j":"{\\"NAME\\":3}","kv":"NAME=1 b=2","d":"aa bb","l":[{"a":1}],"c":"7,8","dots.NAME":1}}]}',
    ],
    ['POST /_ingest/pipeline/_simulate', '{"pipeline":{"processors":[{"NAME":{}}]},"docs":[{"_source":{}}]}'],
    ['POST /_ingest/pipeline/_simulate', '{"pipeline":{"processors":[{"set":{"field":"a","value":1,"NAME":1}}]},"docs":[{"_source":{}}]}'],
    [
      'POST /_ingest/pipeline/_simulate',
      '{"pipeline":{"processors":[{"convert":{"field":"a","type":"NAME"}}]},"docs":[{"_source":{"a":1}}]}',
    ],
    [
      'POST /_ingest/pipeline/_simulate',
      '{"pipeline":{"processors":[{"grok":{"field":"a","patterns":["%{NAME:b}"]}}]},"docs":[{"_source":{"a":"x"}}]}',
    ],
    [
      'POST /_ingest/pipeline/_simulate',
      '{"pipeline":{"processors":[{"set":{"field":"a","copy_from":"NAME"}}]},"docs":[{"_source":{"b":"x"}}]}',
    ],
    [
      'POST /_ingest/pipeline/_simulate',
      '{"pipeline":{"processors":[{"set":{"field":"a","value":"{{NAME}}{{b.NAME}}"}}]},"docs":[{"_source":{"b":{}}}]}',
    ],
    ['PUT /t/_doc/1?pipeline=NAME2', '{"n":5}'],
    ['DELETE /_ingest/pipeline/NAME'],
    ['DELETE /_ingest/pipeline/NAME'],
    ['DELETE /t'],
  ),
  at(
    'search pipeline',
    ['PUT /_search/pipeline/NAME', '{"request_processors":[{"NAME":{}}]}'],
    ['PUT /_search/pipeline/NAME', '{"request_processors":[{"filter_query":{"query":{"term":{"tag":"red"}}}}]}'],
    ['GET /_search/pipeline/NAME'],
    ['POST /names/_search?search_pipeline=NAME', '{}'],
    ['DELETE /_search/pipeline/NAME'],
    ['GET /_search/pipeline/NAME'],
    ['POST /names/_search?search_pipeline=NAME', '{}'],
  ),
  at(
    'index template',
    ['GET /_index_template/NAME'],
    [
      'PUT /_component_template/NAME',
      '{"template":{"mappings":{"properties":{"NAME":{"type":"keyword"}}},"aliases":{"NAME":{}}},"_meta":{"NAME":1}}',
    ],
    [
      'PUT /_index_template/NAME',
      '{"index_patterns":["t-*"],"composed_of":["NAME"],"template":{"aliases":{"NAME2":{"filter":{"term":{"NAME":"x"}}}},"mappings":{"properties":{"NAME":{"ignore_above":5,"type":"keyword"}}}}}',
    ],
    ['GET /_index_template/NAME'],
    ['GET /_component_template/NAME'],
    ['PUT /t-1/_doc/1?refresh=true', '{"NAME":"x"}'],
    ['GET /t-1'],
    ['POST /_index_template/_simulate_index/t-2'],
    ['GET /NAME/_search'],
    ['DELETE /t-1'],
    ['DELETE /_index_template/NAME'],
    ['DELETE /_component_template/NAME'],
    ['GET /_index_template/NAME'],
    ['PUT /_template/NAME', '{"index_patterns":["t-*"],"mappings":{"properties":{"NAME":{"type":"long"}}}}'],
    ['GET /_template/NAME'],
    ['PUT /t-1'],
    ['GET /t-1/_mapping'],
    ['DELETE /t-1'],
    ['DELETE /_template/NAME'],
    ['GET /_template/NAME'],
    ['PUT /_index_template/x', '{"index_patterns":["t-*"],"composed_of":["NAME"]}'],
  ),
  at(
    'alias',
    ['GET /_alias/NAME'],
    ['PUT /names/_alias/NAME', '{"filter":{"term":{"tag":"red"}}}'],
    ['GET /_alias/NAME'],
    ['GET /names/_alias'],
    ['GET /NAME/_search'],
    ['GET /NAME/_mapping'],
    ['POST /_aliases', '{"actions":[{"remove":{"index":"names","alias":"NAME"}}]}'],
    ['POST /_aliases', '{"actions":[{"NAME":{"index":"names","alias":"x"}}]}'],
    ['GET /_alias/NAME'],
    ['HEAD /_alias/NAME'],
    ['DELETE /names/_alias/NAME'],
  ),
  at(
    'settings',
    ['PUT /t', '{"settings":{"NAME":1}}'],
    ['PUT /t', '{"settings":{"index":{"NAME":{"NAME":1}}}}'],
    ['PUT /t', '{"settings":{"index.NAME":"x"}}'],
    ['PUT /names/_settings', '{"NAME":1}'],
    ['PUT /names/_settings', '{"index":{"blocks":{"NAME":true}}}'],
    ['GET /names/_settings/NAME'],
    ['GET /names/_settings/index.NAME'],
    ['PUT /_cluster/settings', '{"transient":{"NAME":"x"}}'],
    ['PUT /_cluster/settings', '{"persistent":{"a":{"NAME":"x"}}}'],
    ['PUT /_cluster/settings', '{"NAME":{}}'],
    ['PUT /t', '{"NAME":{}}'],
    ['PUT /t', '{"mappings":{"NAME":{}}}'],
    ['PUT /t', '{"mappings":{"properties":{"a":{"type":"NAME"}}}}'],
    ['PUT /t', '{"mappings":{"properties":{"a":{"type":"text","NAME":1}}}}'],
    ['PUT /t', '{"mappings":{"properties":{"a":{"type":"text","analyzer":"NAME"}}}}'],
    ['PUT /t', '{"mappings":{"properties":{"a":{"type":"text","similarity":"NAME"}}}}'],
    ['PUT /t', '{"mappings":{"dynamic":"NAME"}}'],
    ['PUT /t', '{"mappings":{"properties":{"a":{"type":"keyword","normalizer":"NAME"}}}}'],
  ),
  at(
    'similarity',
    [
      'PUT /t',
      '{"settings":{"index":{"similarity":{"NAME":{"type":"BM25","k1":2}}}},"mappings":{"properties":{"a":{"type":"text","similarity":"NAME"}}}}',
    ],
    ['PUT /t/_doc/1?refresh=true', '{"a":"x"}'],
    ['GET /t/_search?q=a:x'],
    ['GET /t/_settings'],
    ['DELETE /t'],
    ['PUT /t', '{"settings":{"index":{"similarity":{"a":{"type":"NAME"}}}}}'],
  ),
  ...(['analyzer', 'tokenizer', 'filter', 'char_filter', 'normalizer'] as const).map((kind) => {
    const definition = {
      analyzer: '{"type":"custom","tokenizer":"keyword"}',
      tokenizer: '{"type":"whitespace"}',
      filter: '{"type":"lowercase"}',
      char_filter: '{"type":"mapping","mappings":["a => b"]}',
      normalizer: '{"type":"custom","filter":["lowercase"]}',
    }[kind];
    const use = {
      analyzer: '"analyzer":"NAME"',
      tokenizer: '"tokenizer":"NAME"',
      filter: '"tokenizer":"keyword","filter":["NAME"]',
      char_filter: '"tokenizer":"keyword","char_filter":["NAME"]',
      normalizer: '"normalizer":"NAME"',
    }[kind];
    return at(
      `analysis component: ${kind}`,
      ['PUT /t', `{"settings":{"analysis":{"${kind}":{"NAME":${definition}}}}}`],
      ['POST /t/_analyze', `{${use},"text":"A a"}`],
      ['POST /_analyze', `{${use},"text":"A a"}`],
      ['GET /t/_settings'],
      ['DELETE /t'],
      ['PUT /t', `{"settings":{"analysis":{"${kind}":{"a":{"type":"NAME"}}}}}`],
      ['PUT /t', `{"settings":{"analysis":{"NAME":{"a":{"type":"x"}}}}}`],
      ['DELETE /t'],
    );
  }),
  at(
    'analyze',
    ['POST /_analyze', '{"NAME":1,"text":"x"}'],
    ['POST /_analyze', '{"tokenizer":{"type":"NAME"},"text":"x"}'],
    ['POST /_analyze', '{"tokenizer":"standard","filter":[{"type":"stop","stopwords":"_NAME_"}],"text":"x"}'],
    ['POST /_analyze', '{"tokenizer":"standard","filter":[{"type":"stemmer","language":"NAME"}],"text":"x"}'],
    ['POST /_analyze', '{"tokenizer":"standard","filter":[{"type":"snowball","language":"NAME"}],"text":"x"}'],
    ['POST /_analyze', '{"analyzer":"standard","explain":true,"attributes":["NAME"],"text":"x"}'],
    ['POST /_analyze', '{"tokenizer":"standard","filter":[{"type":"phonetic","encoder":"NAME"}],"text":"x"}'],
    ['POST /_analyze', '{"tokenizer":"standard","filter":[{"type":"elision","NAME":1}],"text":"NAME words"}'],
    ['POST /_analyze', '{"tokenizer":"standard","filter":[{"type":"synonym","synonyms":["NAME => b"]}],"text":"NAME words"}'],
    ['POST /_analyze', '{"tokenizer":"standard","filter":[{"type":"stemmer_override","rules":["NAME => b"]}],"text":"NAME words"}'],
  ),
  at(
    'bulk',
    [
      'POST /_bulk?refresh=true',
      '{"index":{"_index":"t","_id":"NAME"}}\n{"NAME":1}\n{"update":{"_index":"t","_id":"NAME"}}\n{"doc":{"NAME":2}}\n{"NAME":{"_index":"t"}}\n{}\n',
    ],
    [
      'POST /_bulk?refresh=true',
      '{"index":{"_index":"t","_id":"NAME"}}\n{"NAME":{"NAME":1}}\n{"update":{"_index":"t","_id":"NAME"}}\n{"doc":{"NAME":{"NAME":2}},"upsert":{"NAME":3}}\n',
    ],
    ['POST /_bulk', '{"index":{"_index":"t","NAME":1}}\n{}\n'],
    ['GET /t/_doc/NAME'],
    ['POST /t/_mget', '{"ids":["NAME"]}'],
    ['POST /t/_mget', '{"docs":[{"_id":"NAME","_source":["NAME"]},{"_id":"1","NAME":2}]}'],
    ['DELETE /t/_doc/NAME?refresh=true'],
    ['DELETE /t'],
  ),
  at(
    'upsert of a script',
    ['POST /t/_update/1?refresh=true', '{"scripted_upsert":true,"script":{"source":"ctx._source.NAME = 1"},"upsert":{"NAME2":1}}'],
    ['GET /t/_doc/1'],
    ['DELETE /t'],
  ),
  at(
    'msearch and rank_eval',
    ['POST /_msearch', '{"index":"names","NAME":1}\n{}\n'],
    ['POST /_msearch', '{"index":"names"}\n{"aggs":{"NAME":{"sum":{"field":"n"}}},"size":0}\n'],
    [
      'POST /names/_rank_eval',
      '{"requests":[{"id":"NAME","request":{"query":{"match_all":{}}},"ratings":[{"_index":"names","_id":"1","rating":1}]}],"metric":{"precision":{}}}',
    ],
    ['POST /names/_rank_eval', '{"requests":[{"id":"a","request":{},"ratings":[]}],"metric":{"NAME":{}}}'],
  ),
  at(
    'suggesters',
    search('{"size":0,"suggest":{"NAME":{"text":"fxo","term":{"field":"text"}},"text":"x"}}'),
    search('{"size":0,"suggest":{"NAME":{"prefix":"so","completion":{"field":"comp"}}}}'),
    search('{"size":0,"suggest":{"NAME":{"text":"fxo jmps","phrase":{"field":"text"}}}}'),
  ),
  at(
    'collapse, script fields and docvalue fields',
    search('{"collapse":{"field":"tag","inner_hits":{"name":"NAME","size":1}},"sort":"n"}'),
    search('{"script_fields":{"NAME":{"script":"doc[\'n\'].value"}},"sort":"n"}'),
    search('{"highlight":{"fields":{"te*":{},"NAME":{}}},"query":{"match":{"text":"fox"}}}'),
    search('{"indices_boost":[{"NAME":2}]}'),
    search('{"ext":{"NAME":{}}}'),
  ),
  at('percolate and pinned', search('{"query":{"percolate":{"field":"NAME","document":{"NAME":1}}}}')),
  at(
    'validate and explain',
    ['POST /names/_validate/query?explain=true', '{"query":{"match":{"NAME":"x"}}}'],
    ['POST /names/_validate/query', '{"NAME":1}'],
    ['POST /names/_explain/1', '{"query":{"NAME":{}}}'],
  ),
  at(
    'profile',
    search('{"profile":true,"query":{"match":{"text":{"query":"fox","_name":"NAME"}}},"aggs":{"NAME":{"terms":{"field":"tag"}}}}'),
  ),
  at(
    'index',
    ['GET /NAME'],
    ['GET /NAME/_search'],
    ['GET /NAME/_settings'],
    ['GET /_cat/indices/NAME'],
    ['GET /NAME/_stats'],
    ['PUT /NAME2', '{}'],
    ['GET /_cluster/state/_all/NAME'],
    ['GET /_cluster/health/NAME?timeout=1ms'],
    ['GET /_resolve/index/NAME'],
    ['POST /_reindex', '{"source":{"index":"NAME"},"dest":{"index":"t"}}'],
    ['POST /_reindex', '{"source":{"index":"names","NAME":1},"dest":{"index":"t"}}'],
    ['HEAD /NAME'],
  ),
  at(
    'tasks and contexts',
    ['GET /_tasks/NAME'],
    ['POST /_tasks/NAME/_cancel'],
    ['POST /_search/scroll', '{"scroll_id":"NAME"}'],
    ['DELETE /_search/scroll/NAME'],
    ['POST /_search', '{"pit":{"id":"NAME"}}'],
    ['GET /_tasks?actions=NAME&group_by=NAME'],
    ['GET /_async_search/NAME'],
  ),
  at(
    'rollover conditions',
    ['PUT /t-1', '{"aliases":{"roll":{"is_write_index":true}}}'],
    ['POST /roll/_rollover?dry_run=true', '{"conditions":{"NAME":1}}'],
    ['POST /roll/_rollover?dry_run=true', '{"NAME":1}'],
    ['DELETE /t-1'],
  ),
];

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
  await node.ok('PUT /names', {
    settings: { number_of_shards: 1 },
    mappings: {
      properties: {
        text: { type: 'text' },
        tag: { type: 'keyword' },
        n: { type: 'long' },
        at: { type: 'date' },
        comp: { type: 'completion' },
      },
    },
  });
  const documents = ['red', 'green', 'red', 'blue'].map((tag, n) => ({ text: 'the fox jumps', tag, n, at: '2024-01-01', comp: 'some' }));
  await node.ok(
    'POST /names/_bulk?refresh=true',
    documents.flatMap((document, i) => [{ index: { _id: String(i) } }, document]),
  );
});
afterAll(() => node.close());

/** Values that differ from request to request. */
const VOLATILE =
  /^(?:took|took_nanos|uuid|creation_date|_uuid|_nodes|time_in_nanos|breakdown|timestamp|epoch|id|index_uuid|_seq_no|_version|_primary_term|start_time_in_millis|version|state_uuid|.*_time_in_nanos|date|node|nodes|cluster_uuid|build_hash|score|_score|max_score|rewrite_time|processed_duration|ingest)$/;

/** Members in the order of their normalised names, as lists, because a `__proto__` member would be lost in objects. */
function comparable(value: unknown, name: string): unknown {
  if (typeof value === 'string') return comparableText(value, name);
  if (Array.isArray(value)) return value.map((item) => comparable(item, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.keys(value)
    .filter((key) => !VOLATILE.test(key))
    .map((key) => [key.replaceAll(name, 'NAME'), comparable((value as Record<string, unknown>)[key], name)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Without suggestions of similar names. */
function comparableText(text: string, name: string): string {
  return text
    .replaceAll(new RegExp(`(?<![a-z])${name}`, 'gi'), 'NAME')
    .replace(/ (?:-> )?did you mean .*?\?| please check that any required plugins.*$/, '');
}

async function answers(place: Place, name: string): Promise<string[]> {
  const out: string[] = [];
  for (const [line, body] of place.requests) {
    const { status, json, text } = await node.send(line.replaceAll('NAME', name), body?.replaceAll('NAME', name));
    const shown = json === null ? comparableText(text, name) : JSON.stringify(comparable(JSON.parse(text), name));
    out.push(`${line} ${body ?? ''}\n  ${status} ${shown}`);
  }
  await node.send('DELETE /t,t2,t-1?ignore_unavailable=true');
  return out;
}

describe.each(PLACES)('$place', (place) => {
  test.each(NAMES)('%s is a name like any other', async (name) => {
    expect(await answers(place, name)).toEqual(await answers(place, ordinary(name)));
  });
});
