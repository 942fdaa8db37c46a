// One row per API for the walk over all routes (route-walk.test.ts): where its requests name indices, and values for what else they need.

/** Requests of an API besides those that name an index in each place of its paths. */
export interface Row {
  /** Path parameters besides `index`, `target` and `new_index` that are names of indices or aliases. */
  readonly names?: readonly string[];
  /** Bodies that name an index or alias in each place that accepts one. The first one, with an own index, is also sent to each path. */
  readonly bodies?: (name: string) => readonly unknown[];
  /** Part of every query string. */
  readonly query?: string;
  /** Query strings that name an index; `''` is always sent. */
  readonly queries?: (name: string) => readonly string[];
  /** Answers that are not compared, since they differ from call to call. */
  readonly isVolatile?: true;
  /** The API shows what other users named, to those who may manage it. */
  readonly showsNamesTo?: readonly string[];
}

/** Queries that read documents of another index. */
const lookups = (name: string): object[] => [
  { match_all: {} },
  { terms: { k: { index: name, id: '1', path: 'k' } } },
  { bool: { filter: [{ constant_score: { filter: { terms: { k: { index: name, id: '1', path: 'k' } } } } }] } },
  { geo_shape: { place: { indexed_shape: { index: name, id: '1', path: 'place' } } } },
  { more_like_this: { fields: ['text'], like: [{ _index: name, _id: '1' }], min_term_freq: 1, min_doc_freq: 1 } },
  { nested: { path: 'kids', ignore_unmapped: true, query: { terms: { k: { index: name, id: '1', path: 'k' } } } } },
  { function_score: { functions: [{ weight: 2, filter: { terms: { k: { index: name, id: '1', path: 'k' } } } }] } },
  { term: { _index: name } },
];
const queries = (name: string): object[] => lookups(name).map((query) => ({ query }));
const searches = (name: string): object[] => {
  const [, lookup] = lookups(name);
  return [
    ...queries(name),
    { query: { match_all: {} }, indices_boost: [{ [name]: 2 }] },
    { post_filter: lookup },
    { size: 0, aggs: { a: { filter: lookup }, b: { filters: { filters: [lookup] } }, c: { global: {}, aggs: { d: { top_hits: {} } } } } },
    { rescore: { window_size: 1, query: { rescore_query: lookup } } },
    { sort: [{ k: { order: 'asc', nested: { path: 'kids', filter: lookup }, unmapped_type: 'keyword' } }] },
    { size: 0, aggs: { i: { terms: { field: '_index' } }, s: { significant_terms: { field: 'k', background_filter: lookup } } } },
    { collapse: { field: 'k', inner_hits: { name: 'h' } } },
    { suggest: { s: { text: 'canary', term: { field: 'text', suggest_mode: 'always' } } } },
  ];
};
const lines = (...values: unknown[]): string => `${values.map((value) => JSON.stringify(value)).join('\n')}\n`;
const aliases = (name: string): object[] => [{}, { aliases: { [name]: {} } }];
const pipeline = (name: string): string[] => [`pipeline=to-${name}`];

export const ROWS: Readonly<Record<string, Row>> = {
  'cat.indices': {},
  'cat.shards': {},
  'cat.segments': {},
  'cat.health': {},
  'cat.count': {},
  'cat.aliases': { names: ['name'] },
  'cat.templates': {},
  'cat.component_templates': {},
  'cat.nodes': { isVolatile: true },
  'cat.allocation': { isVolatile: true },
  'cat.master': {},
  'cat.recovery': {},
  'cat.plugins': {},
  'cat.pending_tasks': {},
  'cat.nodeattrs': {},
  'cat.thread_pool': {},
  'cat.segment_replication': {},
  'cat.pit_segments': { bodies: () => [{ pit_id: 'ROOT_PIT' }, { pit_id: ['ROOT_PIT'] }] },
  'cat.repositories': {},
  'cat.snapshots': {},
  'cat.fielddata': { queries: () => ['fields=*'] },
  'list.indices': {},
  'list.shards': {},
  'list.help': {},
  'cat.help': {},
  'cluster.health': { queries: () => ['level=indices', 'level=shards', 'timeout=1ms&wait_for_status=green'] },
  'cluster.settings': { bodies: () => [{ transient: { 'action.destructive_requires_name': false } }] },
  'cluster.get_settings': {},
  'cluster.state': {},
  'cluster.stats': { isVolatile: true },
  'cluster.pending_tasks': {},
  'cluster.remote_info': {},
  'cluster.reroute': { bodies: () => [{}], queries: () => ['metric=_all'] },
  'dangling_indices.list': {},
  'dangling_indices.index': {},
  'cluster.voting_config_exclusions': { queries: () => ['node_names=n'] },
  'nodes.usage': {},
  'cluster.allocation_explain': {
    bodies: (name) => [
      { index: name, shard: 0, primary: true },
      { index: name, shard: 0, primary: false },
    ],
  },
  'nodes.hot_threads': { isVolatile: true, query: 'interval=1ms' },
  'nodes.reload_secure_settings': { bodies: () => [{}] },
  'indices.upgrade': {},
  'nodes.info': { isVolatile: true },
  'gannet.metrics': { isVolatile: true },
  'nodes.stats': { isVolatile: true, queries: () => ['level=indices', 'level=shards', 'fields=*'] },
  info: {},
  'license.get': {},
  'xpack.info': {},
  'ilm.get_lifecycle': {},
  'ilm.put_lifecycle': { bodies: () => [{ policy: { phases: { hot: { actions: {} } } } }] },
  'ilm.delete_lifecycle': {},
  'ilm.explain_lifecycle': { queries: () => ['only_managed=true'] },
  'ilm.move_to_step': {
    bodies: () => [{ current_step: { phase: 'new', action: 'complete', name: 'complete' }, next_step: { phase: 'hot' } }],
  },
  'ilm.retry': {},
  'ilm.remove_policy': {},
  'ilm.get_status': {},
  'ilm.start': {},
  'ilm.stop': {},
  'tasks.list': { showsNamesTo: ['owner', 'operator'], isVolatile: true },
  'tasks.get': { showsNamesTo: ['owner', 'operator'], isVolatile: true },
  'tasks.cancel': { showsNamesTo: ['owner', 'operator'], isVolatile: true },
  rethrottle: { showsNamesTo: ['owner', 'operator'], queries: () => ['requests_per_second=5'], isVolatile: true },
  'cat.tasks': { showsNamesTo: ['owner', 'operator'], isVolatile: true },
  bulk: {
    queries: pipeline,
    bodies: (name) => [
      lines({ index: { _id: '1' } }, { text: 'x' }),
      lines({ index: { _index: name, _id: '1' } }, { text: 'x' }),
      lines({ create: { _index: name } }, { text: 'x' }),
      lines({ update: { _index: name, _id: '1' } }, { doc: { text: 'x' }, _source: true }),
      lines({ delete: { _index: name, _id: '1' } }),
      lines({ index: { _index: name, _id: '1', require_alias: true } }, { text: 'x' }),
      lines({ index: { _index: 'own-1', _id: '1', pipeline: `to-${name}` } }, { text: 'x' }),
      lines({ update: { _index: 'own-1', _id: '9' } }, { doc: {}, upsert: { text: 'x' } }, { delete: { _index: name, _id: '2' } }),
    ],
  },
  delete_by_query: { bodies: queries },
  update_by_query: { bodies: queries, queries: pipeline },
  get: { queries: () => ['realtime=false', 'refresh=true', 'stored_fields=k'] },
  get_source: {},
  mget: {
    bodies: (name) => [
      { ids: ['1'] },
      {
        docs: [
          { _index: name, _id: '1' },
          { _index: 'own-1', _id: '1' },
        ],
      },
    ],
  },
  reindex: {
    bodies: (name) => [
      { source: { index: 'own-1' }, dest: { index: 'own-2' } },
      { source: { index: name }, dest: { index: 'own-2' } },
      { source: { index: ['own-1', name] }, dest: { index: 'own-2' } },
      { source: { index: 'own-1' }, dest: { index: name } },
      { source: { index: 'own-1' }, dest: { index: 'own-2', pipeline: `to-${name}` } },
      { source: { index: 'own-1' }, dest: { index: 'own-2' }, script: `ctx._index = '${name}'` },
      { source: { index: 'own-1' }, dest: { index: 'own-2' }, script: `ctx._index = '${name}'; ctx.op = 'delete'` },
      ...queries(name).map((body) => ({ source: { index: 'own-1', ...body }, dest: { index: 'own-2' } })),
    ],
  },
  termvectors: {
    bodies: () => [
      { fields: ['text'], term_statistics: true },
      { doc: { text: 'canary' }, term_statistics: true },
    ],
  },
  mtermvectors: { bodies: (name) => [{ ids: ['1'] }, { docs: [{ _index: name, _id: '1', fields: ['text'] }] }] },
  index: { bodies: () => [{ text: 'x' }], queries: (name) => [...pipeline(name), 'refresh=true', 'require_alias=true'] },
  delete: { queries: () => ['version=7&version_type=external'] },
  update: {
    bodies: () => [
      { doc: { text: 'x' }, doc_as_upsert: true, _source: true },
      { script: 'ctx._source.text = 1', upsert: {} },
    ],
  },
  'indices.update_aliases': {
    bodies: (name) => [
      { actions: [{ add: { index: 'own-1', alias: 'own-alias' } }] },
      { actions: [{ add: { index: name, alias: 'own-alias' } }] },
      { actions: [{ add: { index: 'own-1', alias: name } }] },
      { actions: [{ add: { indices: ['own-1', name], aliases: ['own-alias'] } }] },
      { actions: [{ remove: { index: name, alias: 'zz*', must_exist: false } }] },
      { actions: [{ remove: { index: '*', alias: '*', must_exist: false } }] },
      { actions: [{ remove: { index: '_all', aliases: [name], must_exist: false } }] },
      { actions: [{ remove_index: { index: name } }] },
      { actions: [{ remove_index: { index: '_all' } }] },
      { actions: [{ add: { index: 'own-1', alias: 'own-alias' } }, { remove_index: { indices: ['zz*', 'own-*'] } }] },
    ],
  },
  'indices.put_alias': { names: ['name'], bodies: (name) => [{}, { index: name, alias: 'own-x' }, { index: 'own-1', alias: name }] },
  'indices.delete_alias': { names: ['name'] },
  'indices.get_alias': { names: ['name'] },
  'indices.analyze': { bodies: () => [{ text: 'a b' }, { field: 'text', text: 'canary' }, { analyzer: 'canaryanalyzer', text: 'x' }] },
  'indices.reload_search_analyzers': {},
  'indices.stats': { queries: () => ['level=shards', 'fields=*'] },
  'indices.create': { bodies: aliases },
  'indices.delete': {},
  'indices.get': { queries: () => ['include_defaults=true', 'expand_wildcards=all'] },
  'indices.open': {},
  'indices.add_block': {},
  'indices.resolve_index': { names: ['name'], queries: () => ['expand_wildcards=all'] },
  'indices.refresh': {},
  'indices.flush': {},
  'indices.forcemerge': {},
  'indices.clear_cache': {},
  'indices.get_mapping': {},
  'indices.get_field_mapping': { queries: () => ['include_defaults=true'] },
  'indices.put_mapping': { bodies: () => [{ properties: { walked: { type: 'keyword' } } }], queries: () => ['write_index_only=true'] },
  'indices.recovery': {},
  'indices.clone': { bodies: aliases },
  'indices.shrink': { bodies: aliases },
  'indices.split': {
    bodies: (name) => [
      { settings: { 'index.number_of_shards': 2 } },
      { settings: { 'index.number_of_shards': 2 }, aliases: { [name]: {} } },
    ],
  },
  'indices.rollover': {
    bodies: (name) => [{}, { conditions: { max_docs: 0 } }, { aliases: { [name]: {} } }],
    queries: () => ['dry_run=true'],
  },
  'indices.segments': {},
  'indices.get_settings': {},
  'indices.put_settings': { bodies: () => [{ 'index.refresh_interval': '5s' }] },
  'indices.shard_stores': {},
  'put /_template': { bodies: (name) => [{ index_patterns: ['own-t*'] }, { index_patterns: ['own-t*'], aliases: { [name]: {} } }] },
  'delete /_template': {},
  'get /_template': {},
  'put /_index_template': {
    bodies: (name) => [{ index_patterns: ['own-t*'] }, { index_patterns: ['own-t*'], template: { aliases: { [name]: {} } } }],
  },
  'delete /_index_template': {},
  'get /_index_template': {},
  'put /_component_template': { bodies: (name) => [{ template: {} }, { template: { aliases: { [name]: {} } } }] },
  'delete /_component_template': {},
  'get /_component_template': {},
  'indices.simulate': { bodies: (name) => [{ index_patterns: ['own-*'] }, { index_patterns: [name] }] },
  'indices.get_data_stream': { names: ['name'] },
  'indices.create_data_stream': { names: ['name'] },
  'indices.delete_data_stream': { names: ['name'] },
  'indices.data_streams_stats': { names: ['name'] },
  'indices.modify_data_stream': {
    bodies: (name) => [
      { actions: [{ add_backing_index: { data_stream: name, index: 'own-1' } }] },
      { actions: [{ remove_backing_index: { data_stream: 'own-1', index: name } }] },
    ],
  },
  'indices.migrate_to_data_stream': { names: ['name'] },
  'indices.get_data_lifecycle': { names: ['name'] },
  'indices.put_data_lifecycle': { names: ['name'], bodies: () => [{ data_retention: '1d' }] },
  'indices.delete_data_lifecycle': { names: ['name'] },
  'indices.explain_data_lifecycle': {},
  'ingest.put_pipeline': { bodies: (name) => [{ processors: [] }, { processors: [{ set: { field: '_index', value: name } }] }] },
  'ingest.delete_pipeline': {},
  'ingest.get_pipeline': { showsNamesTo: ['owner', 'operator'] },
  'ingest.simulate': {
    bodies: (name) => [{ pipeline: { processors: [] }, docs: [{ _index: name, _id: '1', _source: {} }] }],
    showsNamesTo: ['owner', 'operator'],
  },
  'ingest.processor_grok': {},
  count: { bodies: queries },
  'indices.validate_query': { bodies: queries, queries: () => ['explain=true', 'rewrite=true'] },
  explain: { bodies: queries },
  field_caps: {
    bodies: (name) => [{ fields: ['*'] }, ...lookups(name).map((index_filter) => ({ fields: ['*'], index_filter }))],
    queries: () => ['fields=*&include_unmapped=true'],
  },
  msearch: {
    bodies: (name) => [
      lines({}, { query: { match_all: {} } }),
      lines({ index: name }, {}),
      lines({ index: ['own-1', name] }, {}),
      lines({ index: name, ignore_unavailable: true }, {}),
      lines({ index: 'own-1' }, ...searches(name).flatMap((body) => [body, {}]), {}),
    ],
  },
  msearch_template: {
    bodies: (name) => [lines({}, { source: {} }), lines({ index: name }, { source: {} }), lines({}, { source: searches(name)[1] })],
  },
  profile_compare: {
    bodies: (name) => [
      { a: {}, b: { size: 1 }, max_rounds: 1 },
      { a: { query: { match_all: {} } }, b: { query: lookups(name)[1] }, max_rounds: 1 },
    ],
    isVolatile: true,
  },
  rank_eval: {
    bodies: (name) => [
      { requests: [{ id: 'r', request: {}, ratings: [] }], metric: { precision: {} } },
      {
        requests: [{ id: 'r', request: { query: lookups(name)[1] }, ratings: [{ _index: name, _id: '1', rating: 1 }] }],
        metric: { precision: {} },
      },
    ],
  },
  scroll: { bodies: () => [{ scroll_id: 'ROOT_SCROLL' }, { scroll_id: 'ROOT_SCROLL', scroll: '1m' }] },
  clear_scroll: { bodies: () => [{ scroll_id: 'ROOT_SCROLL' }, { scroll_id: '_all' }] },
  open_point_in_time: { bodies: () => [{ pit_id: ['ROOT_PIT'] }, { id: 'ROOT_PIT' }], queries: () => ['keep_alive=1m'], isVolatile: true },
  'search_pipeline.put': { bodies: () => [{ response_processors: [] }] },
  'search_pipeline.delete': {},
  'search_pipeline.get': {},
  search_shards: {},
  search_template: { bodies: (name) => searches(name).map((source) => ({ source })) },
  render_search_template: { bodies: (name) => [{ source: { query: { term: { k: '{{x}}' } } }, params: { x: name } }] },
  search: {
    bodies: (name) => [...searches(name), { pit: { id: 'ROOT_PIT' } }, { pit: { id: 'ROOT_PIT', keep_alive: '1m' } }],
    queries: () => [
      'scroll=1m',
      'ignore_unavailable=true',
      'allow_no_indices=false',
      'q=canary',
      'expand_wildcards=all',
      'request_cache=true&size=0',
    ],
    isVolatile: true,
  },
  'async_search.submit': { bodies: searches, query: 'wait_for_completion_timeout=20s', isVolatile: true },
  'async_search.get': { isVolatile: true },
  'async_search.status': { isVolatile: true },
  'async_search.delete': {},
  terms_enum: {
    bodies: (name) => [
      { field: 'k' },
      { field: 'canaryfield' },
      ...lookups(name)
        .slice(0, 2)
        .map((index_filter) => ({ field: 'k', index_filter })),
    ],
  },
  put_script: { bodies: () => [{ script: { lang: 'painless', source: '1' } }] },
  get_script: {},
  scripts_painless_execute: {
    bodies: (name) => [
      { script: { source: '1' } },
      { script: { source: "doc['k'].value" }, context: 'filter', context_setup: { index: name, document: {} } },
    ],
  },
  'security.put_user': { bodies: () => [{ password: 'short', roles: [] }] },
  'security.get_user': {},
  'security.delete_user': {},
  'security.enable_user': {},
  'security.disable_user': {},
  'security.change_password': { bodies: () => [{ password: 'x' }] },
  'security.put_role': { bodies: (name) => [{ cluster: ['x'] }, { indices: [{ names: [name], privileges: ['x'] }] }] },
  'security.get_role': {},
  'security.delete_role': {},
  'security.create_api_key': { bodies: () => [{ name: 'walk' }], isVolatile: true },
  'security.update_api_key': { bodies: () => [{}] },
  'security.get_api_key': { isVolatile: true },
  'security.invalidate_api_key': { bodies: () => [{ ids: ['x'] }] },
  'security.authenticate': {},
  'security.has_privileges': { bodies: (name) => [{ index: [{ names: [name], privileges: ['read'] }] }] },
  'security.get_user_privileges': {},
  'security.get_builtin_privileges': {},
  'snapshot.get_repository': {},
  'snapshot.create_repository': { bodies: () => [{ type: 'walk' }] },
  'snapshot.delete_repository': {},
  'snapshot.verify_repository': {},
  'snapshot.cleanup_repository': {},
  'snapshot.create': { bodies: (name) => [{}, { indices: name }, { indices: [name] }] },
  'snapshot.get': {},
  'snapshot.delete': {},
  'snapshot.clone': { bodies: (name) => [{ indices: name }] },
  'snapshot.restore': { bodies: (name) => [{}, { indices: name }, { indices: 'own-1', rename_pattern: '.*', rename_replacement: name }] },
  'snapshot.status': {},
  'slm.get_lifecycle': {},
  'slm.put_lifecycle': {
    bodies: (name) => [{}, { schedule: '0 0 1 1 1 ?', name: '<walk>', repository: 'repo', config: { indices: [name] } }],
  },
  'slm.delete_lifecycle': {},
  'slm.execute_lifecycle': {},
  'slm.execute_retention': {},
  'slm.get_stats': {},
  'slm.get_status': {},
  'slm.start': {},
  'slm.stop': {},
};

/** Values of path parameters that are not names of indices. */
export const VALUES: Readonly<Record<string, string>> = {
  id: '1',
  metric: '_all',
  index_metric: '_all',
  index_uuid: 'nothing',
  node_id: '_local',
  fields: '*',
  block: 'write',
  name: 'own-walk',
  context: 'score',
  policy: 'p',
  policy_id: 'walk',
  thread_pool_patterns: '*',
  task_id: 'ROOT_TASK',
  scroll_id: 'ROOT_SCROLL',
  repository: 'repo',
  snapshot: 'snap',
  target_snapshot: 'snap-2',
  username: 'walker',
};
