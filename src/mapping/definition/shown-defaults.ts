// Values that `include_defaults` shows for parameters that a mapping does not set, where they are not those that mappings are read with.
import { jsonDouble } from '../../common/json/json-float.ts';
import type { Dialect } from '../../compat/dialect.ts';
import type { FieldNode } from '../core/model.ts';
import type { Param } from '../core/params.ts';

/** A parameter is left out if its default is undefined. */
type Shown = (field: FieldNode, dialect: Dialect) => unknown;

const whereScripts: (value: unknown) => Shown =
  (value) =>
  (_, { showsScriptParams }) =>
    showsScriptParams ? value : undefined;

const DATE_FORMATS: Readonly<Record<string, string>> = { date_nanos: 'strict_date_optional_time_nanos||epoch_millis' };
const MAX_INT = 2 ** 31 - 1;
const FREQUENCIES = { min: jsonDouble(0), max: jsonDouble(MAX_INT), min_segment_size: 0 };

const SHOWN: Readonly<Record<string, Shown>> = {
  eager_global_ordinals: ({ type }) => (type === 'keyword' || type === 'text' ? false : undefined),
  fielddata_frequency_filter: () => FREQUENCIES,
  format: ({ type }) => DATE_FORMATS[type] ?? 'strict_date_optional_time||epoch_millis',
  ignore_above: () => MAX_INT,
  locale: () => '',
  normalizer: (_, { showsScriptParams }) => (showsScriptParams ? null : 'default'),
  on_script_error: whereScripts('fail'),
  position_increment_gap: (_, { showsScriptParams }) => (showsScriptParams ? 100 : -1),
  print_format: (_, { namesClusterManager }) => (namesClusterManager ? 'strict_date_optional_time' : undefined),
  search_analyzer: ({ type, given }) => (type === 'completion' ? (given.analyzer ?? 'simple') : 'default'),
  similarity: () => null,
  skip_list: ({ type }, { namesClusterManager }) =>
    namesClusterManager && !['text', 'keyword', 'ip', 'boolean', 'geo_point'].includes(type) ? false : undefined,
  time_series_dimension: whereScripts(false),
  time_series_metric: whereScripts(null),
  contexts: () => undefined,
};

/** What `include_defaults` shows for a parameter that is not set; undefined leaves it out. */
export function shownDefault(field: FieldNode, name: string, param: Param, dialect: Dialect): unknown {
  if (Object.hasOwn(SHOWN, name)) return SHOWN[name](field, dialect);
  if (param.isHidden) return undefined;
  return param.fallback === undefined ? (param.missingText ?? null) : param.fallback;
}

/** Fields whose values a script could compute have no script here. */
export function shownScript(params: Readonly<Record<string, Param>>, { showsScriptParams }: Dialect): { script?: null } {
  return showsScriptParams && Object.hasOwn(params, 'on_script_error') ? { script: null } : {};
}
