// `_field_caps`: whether fields can be searched and aggregated, over several indices.

import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { writeJson } from '../../common/json/json-write.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { matchesPattern } from '../../common/text/wildcard.ts';
import type { Dialect } from '../../compat/dialect.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, validationFailedError } from '../../errors/catalog.ts';
import type { MappingSnapshot } from '../../mapping/core/mapping-snapshot.ts';
import { METADATA_FIELDS } from '../../mapping/core/model.ts';
import { TSID } from '../../mapping/core/time-series.ts';
import type { EngineContext } from '../core/context.ts';
import { checkReadable } from '../core/index-blocks.ts';
import { type IndexTarget, TARGETS, targetNames } from '../core/index-names.ts';
import type { IndexState } from '../core/index-state.ts';
import { count } from './count.ts';

export interface FieldCapsRequest extends IndexTarget {
  readonly fields: readonly string[] | null;
  readonly includeUnmapped: boolean;
  /** `+metadata`, `-metadata`, `-nested`, `-multifield`, `-parent`. */
  readonly filters: readonly string[];
  /** Mapping types to show; empty for all. */
  readonly types: readonly string[];
  readonly body: MutableJsonObject;
}

interface Capability {
  readonly type: string;
  readonly searchable: boolean;
  readonly aggregatable: boolean;
  readonly meta: Readonly<Record<string, string>> | null;
  readonly isDimension?: boolean;
  /** Kind of metric of a field of time series. */
  readonly metric?: string;
}

/** By field and type: the capabilities of the field in each index. */
type Found = Map<string, Map<string, Array<{ index: string; capability: Capability }>>>;

/** Whether it can be searched and aggregated, and its type if that is not its name. */
type Metadata = readonly [boolean, boolean, string?];

const FILTERS = new Set(['+metadata', '-metadata', '-nested', '-multifield', '-parent']);

const INTERNAL: Readonly<Record<Dialect['internalFields'], Readonly<Record<string, Metadata>>>> = {
  7: { _feature: [false, false], _type: [true, true] },
  8: {
    _data_stream_timestamp: [false, false],
    _doc_count: [false, false, 'integer'],
    _ignored_source: [false, false],
    _nested_path: [true, false],
  },
  opensearch: {
    _data_stream_timestamp: [false, false],
    _doc_count: [false, false, 'long'],
    _feature: [false, false],
    _nested_path: [true, false],
  },
};

/** The metadata fields, which are not part of mappings. */
const metadataOf = ({
  allowsIdFielddata,
  aggregatesIgnored,
  sortsByVersion,
  internalFields,
}: Dialect): Readonly<Record<string, Metadata>> => ({
  ...INTERNAL[internalFields],
  _id: [true, allowsIdFielddata],
  _index: [true, true],
  _source: [false, false],
  _routing: [true, false],
  _ignored: [true, aggregatesIgnored],
  _field_names: [true, false],
  _seq_no: [true, true],
  _version: [false, sortsByVersion],
});

/** Types that are reported as another type because searches treat them alike. */
const FAMILY_TYPES: Readonly<Record<string, string>> = { wildcard: 'keyword', constant_keyword: 'keyword', match_only_text: 'text' };

/** 200 `{ indices, fields: { name: { type: {...} } } }`. @throws ApiError illegal_argument_exception */
export async function fieldCaps(ctx: EngineContext, request: FieldCapsRequest): Promise<MutableJsonObject> {
  const fields = request.fields ?? (request.body.fields as string | readonly string[] | undefined);
  const patterns = typeof fields === 'string' ? fields.split(',') : (fields ?? []);
  if (patterns.length === 0) {
    if (ctx.dialect.validatesSearchesWhole) throw validationFailedError(['no fields specified']);
    throw illegalArgumentError("specified fields can't be null or empty");
  }
  for (const key of Object.keys(request.body)) {
    if (key !== 'fields' && key !== 'index_filter')
      throw new ApiError('x_content_parse_exception', 400, `[field_caps_request] unknown field [${key}]`);
  }
  for (const filter of request.filters) if (!FILTERS.has(filter)) throw illegalArgumentError(`Unknown field caps filter [${filter}]`);
  let names = targetNames(ctx, request, TARGETS.open);
  for (const name of names) checkReadable(ctx.cluster.indices[name]);
  if (request.body.index_filter !== undefined) names = await namesThatMatch(ctx, names, request.body.index_filter);
  const found: Found = new Map();
  for (const name of names) {
    const index = ctx.index(name);
    if (index) collect(index, patterns, request, found);
  }
  return { indices: [...names].sort(), fields: render(found, names, request.includeUnmapped, ctx.dialect) };
}

/** The indices that contain a match for the query. */
async function namesThatMatch(ctx: EngineContext, names: readonly string[], query: unknown): Promise<string[]> {
  const matching: string[] = [];
  for (const name of names) {
    const json = await count(ctx, { indices: { expressions: [name] }, parameters: { terminateAfter: 1 }, body: writeJson({ query }) });
    if ((json.count as number) > 0) matching.push(name);
  }
  return matching;
}

function collect({ meta, mapping }: IndexState, patterns: readonly string[], request: FieldCapsRequest, found: Found): void {
  const { filters, types } = request;
  const isRequested = (name: string): boolean => patterns.some((pattern) => matchesPattern(pattern, name));
  const add = (name: string, capability: Capability): void => {
    if (types.length > 0 && !types.includes(capability.type)) return;
    let byType = found.get(name);
    if (!byType) found.set(name, (byType = new Map()));
    const list = byType.get(capability.type);
    const entry = { index: meta.name, capability };
    if (list) list.push(entry);
    else byType.set(capability.type, [entry]);
  };
  // An index without any mapping has no metadata fields, either.
  if (!filters.includes('-metadata') && Object.keys(meta.mappings).length > 0) {
    for (const [name, [searchable, aggregatable, type = name]] of Object.entries(metadataOf(mapping.dialect))) {
      if (isRequested(name)) add(name, { type, searchable, aggregatable, meta: null });
    }
    if (isRequested(TSID) && mapping.field(TSID)) add(TSID, { type: TSID, searchable: false, aggregatable: true, meta: null });
  }
  if (filters.includes('+metadata')) return;
  const multiFields = filters.includes('-multifield') ? multiFieldsOf(mapping) : null;
  const shown: string[] = [];
  for (const name of mapping.matchFields('*')) {
    const field = isRequested(name) && !multiFields?.has(name) ? mapping.field(name) : null;
    if (!field || (filters.includes('-nested') && field.nestedPath !== null)) continue;
    shown.push(name);
    add(name, {
      type: FAMILY_TYPES[field.typeName] ?? field.typeName,
      // Fields without an index can be searched by their columns, but the API reports the index only.
      searchable: field.isSearchable && (mapping.dialect.reportsColumnsSearchable || field.params.index !== false),
      aggregatable: field.isAggregatable,
      meta: (field.params.meta as Record<string, string> | undefined) ?? null,
      ...(field.params.time_series_dimension === true ? { isDimension: true } : {}),
      ...(typeof field.params.time_series_metric === 'string' ? { metric: field.params.time_series_metric } : {}),
    });
  }
  if (filters.includes('-parent')) return;
  for (const path of mapping.objectPaths) {
    const isNested = mapping.isNested(path);
    // Objects are only shown around a requested field.
    if (!shown.some((name) => name.startsWith(`${path}.`)) || (isNested && filters.includes('-nested'))) continue;
    add(path, { type: isNested ? 'nested' : 'object', searchable: false, aggregatable: false, meta: null });
  }
}

/** Names of multi-fields: fields below another field. */
function multiFieldsOf(mapping: MappingSnapshot): Set<string> {
  const names = mapping.matchFields('*');
  const all = new Set(names);
  return new Set(names.filter((name) => name.includes('.') && all.has(name.slice(0, name.lastIndexOf('.')))));
}

function render(found: Found, names: readonly string[], includeUnmapped: boolean, dialect: Dialect): MutableJsonObject {
  const fields: MutableJsonObject = {};
  for (const [name, byType] of found) {
    const entries = [...byType];
    const mapped = new Set(entries.flatMap(([, list]) => list.map(({ index }) => index)));
    const unmapped = includeUnmapped ? names.filter((index) => !mapped.has(index)) : [];
    const types: MutableJsonObject = {};
    for (const [type, list] of entries)
      setOwn(types, type, {
        ...(dialect.marksMetadataFields
          ? { metadata_field: METADATA_FIELDS.has(name) || name === TSID || Object.hasOwn(INTERNAL[dialect.internalFields], name) }
          : {}),
        ...renderType(type, list, entries.length > 1 || unmapped.length > 0),
      });
    if (unmapped.length > 0)
      types.unmapped = {
        type: 'unmapped',
        ...(dialect.marksMetadataFields ? { metadata_field: false } : {}),
        searchable: false,
        aggregatable: false,
        indices: [...unmapped].sort(),
      };
    setOwn(fields, name, types);
  }
  return fields;
}

function renderType(type: string, list: ReadonlyArray<{ index: string; capability: Capability }>, showIndices: boolean): MutableJsonObject {
  const without = (has: (capability: Capability) => boolean): string[] =>
    list
      .filter(({ capability }) => !has(capability))
      .map(({ index }) => index)
      .sort();
  const notSearchable = without(({ searchable }) => searchable);
  const notAggregatable = without(({ aggregatable }) => aggregatable);
  const json: MutableJsonObject = { type, searchable: notSearchable.length === 0, aggregatable: notAggregatable.length === 0 };
  Object.assign(json, seriesRoles(list));
  if (showIndices) json.indices = list.map(({ index }) => index).sort();
  if (notSearchable.length > 0 && notSearchable.length < list.length) json.non_searchable_indices = notSearchable;
  if (notAggregatable.length > 0 && notAggregatable.length < list.length) json.non_aggregatable_indices = notAggregatable;
  const meta = mergeMeta(list);
  if (meta) json.meta = meta;
  return json;
}

/** The role of a field in time series, where all indices agree, and the indices that do not. */
function seriesRoles(list: ReadonlyArray<{ index: string; capability: Capability }>): MutableJsonObject {
  const json: MutableJsonObject = {};
  const others = list.filter(({ capability }) => !capability.isDimension).map(({ index }) => index);
  if (others.length === 0) json.time_series_dimension = true;
  else if (others.length < list.length) json.non_dimension_indices = others.sort();
  const metrics = new Set(list.map(({ capability }) => capability.metric));
  const [metric] = metrics;
  if (metrics.size === 1 && metric !== undefined) json.time_series_metric = metric;
  else if (metrics.size > 1) json.metric_conflicts_indices = list.map(({ index }) => index).sort();
  return json;
}

/** Each key of `meta` with its values in all indices. */
function mergeMeta(list: ReadonlyArray<{ capability: Capability }>): MutableJsonObject | null {
  const values = new Map<string, Set<string>>();
  for (const { capability } of list) {
    for (const [key, value] of Object.entries(capability.meta ?? {})) values.set(key, (values.get(key) ?? new Set()).add(value));
  }
  return values.size === 0
    ? null
    : Object.fromEntries([...values].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, set]) => [key, [...set].sort()]));
}
