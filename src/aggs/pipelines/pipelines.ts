// Pipeline aggregations: their registry, the parsing of common parameters, and the order in which they run.

import { isObject, type JsonObject } from '../../common/json/json-value.ts';
import { DecimalFormat } from '../../mapping/values/decimal-format.ts';
import { illegalArgumentError, parsingError, validationError } from '../errors.ts';
import { Params } from '../params.ts';
import type { AggSpec, PipelineSpec } from '../types.ts';
import { firstName, parsePath } from './bucket-path.ts';
import { SCRIPTED_PIPELINES, scriptPaths } from './bucket-scripts.ts';
import { PARENT_PIPELINES } from './parent.ts';
import type { GapPolicy, PipelineBody } from './pipeline-body.ts';
import { SIBLING_PIPELINES } from './sibling.ts';

export const PIPELINE_NAMES = [...Object.keys(SIBLING_PIPELINES), ...Object.keys(PARENT_PIPELINES), ...Object.keys(SCRIPTED_PIPELINES)];

export function isPipeline(typeName: string): boolean {
  return PIPELINE_NAMES.includes(typeName);
}

/** @throws ApiError parsing_exception, illegal_argument_exception */
export function parsePipeline(name: string, typeName: string, body: unknown, meta: JsonObject | null): PipelineSpec {
  const p = new Params(typeName, body);
  const raw = p.take('buckets_path');
  const isScripted = Object.hasOwn(SCRIPTED_PIPELINES, typeName);
  if (raw === undefined && typeName !== 'bucket_sort')
    throw parsingError(`Missing required field [buckets_path] for aggregation [${name}]`);
  if (isObject(raw) && !isScripted) throw parsingError(`Unexpected token START_OBJECT [buckets_path] in [${name}].`);
  const path = isScripted ? '' : Array.isArray(raw) ? String(raw[0]) : String(raw ?? '');
  const gapName = p.string('gap_policy') ?? 'skip';
  const gaps = typeName === 'bucket_sort' ? ['skip', 'insert_zeros'] : ['insert_zeros', 'skip', 'keep_values'];
  if (!gaps.includes(gapName)) throw parsingError(`Invalid gap policy: [${gapName}], accepted values: [insert_zeros, skip]`);
  const format = p.string('format');
  const pattern = format === null ? null : DecimalFormat.of(format);
  const common: PipelineBody = {
    name,
    meta,
    path,
    gap: gapName as GapPolicy,
    text: (value) => (pattern && value !== null && Number.isFinite(value) ? pattern.format(value) : null),
  };
  if (isScripted) {
    const named = scriptPaths(raw, name);
    const parent = SCRIPTED_PIPELINES[typeName](p, common, named);
    p.done();
    return { name, typeName, meta, paths: named, sibling: null, parent };
  }
  const paths = new Map(path === '' ? [] : [['_value', path]]);
  const isSibling = Object.hasOwn(SIBLING_PIPELINES, typeName);
  const sibling = isSibling ? SIBLING_PIPELINES[typeName](p, common) : null;
  const parsed = isSibling ? null : PARENT_PIPELINES[typeName](p, common);
  p.done();
  for (const extra of parsed?.paths ?? []) paths.set(extra, extra);
  return { name, typeName, meta, paths, sibling, parent: parsed?.run ?? null };
}

/** Orders pipelines so that each runs after those it reads, and validates their paths. @throws ApiError action_request_validation_exception */
export function orderPipelines(pipelines: readonly PipelineSpec[], children: readonly AggSpec[], parent: AggSpec | null): PipelineSpec[] {
  const names = new Set([...children.map((child) => child.name), ...pipelines.map((pipeline) => pipeline.name)]);
  for (const pipeline of pipelines) {
    for (const path of pipeline.paths.values()) {
      const first = firstName(path);
      const isOwn = pipeline.parent !== null && (first === '_count' || first === '_key' || first === '_bucket_count');
      const dotted = parsePath(path)[0];
      const found = names.has(first) || (dotted.key !== null && names.has(`${dotted.name}.${dotted.key}`));
      if (!isOwn && !found) throw validationError(`No aggregation found for path [${path}]`);
      if (pipeline.sibling) checkBuckets(pipeline, path, children);
    }
    if (pipeline.parent) checkParent(pipeline, parent);
  }
  const ordered: PipelineSpec[] = [];
  const state = new Map<PipelineSpec, 'open' | 'done'>();
  const visit = (pipeline: PipelineSpec) => {
    if (state.get(pipeline) === 'done') return;
    if (state.get(pipeline) === 'open')
      throw illegalArgumentError(`Cyclical dependency found with pipeline aggregation [${pipeline.name}]`);
    state.set(pipeline, 'open');
    for (const path of pipeline.paths.values()) {
      const needed = pipelines.find((other) => other.name === firstName(path));
      if (needed && needed !== pipeline) visit(needed);
    }
    state.set(pipeline, 'done');
    ordered.push(pipeline);
  };
  for (const pipeline of pipelines) visit(pipeline);
  return ordered;
}

const MULTI_BUCKET = new Set([
  'terms',
  'rare_terms',
  'multi_terms',
  'histogram',
  'date_histogram',
  'auto_date_histogram',
  'range',
  'date_range',
  'ip_prefix',
  'ip_range',
  'geo_distance',
  'filters',
  'composite',
  'adjacency_matrix',
  'geotile_grid',
  'geohash_grid',
  'significant_terms',
]); // prettier-ignore

/** A sibling pipeline must read a multi-bucket aggregation, directly or inside single buckets. */
function checkBuckets(pipeline: PipelineSpec, path: string, children: readonly AggSpec[]): void {
  let [level, pipelines]: [readonly AggSpec[], readonly PipelineSpec[]] = [children, []];
  let hasBuckets = false;
  for (const [at, step] of parsePath(path).entries()) {
    const own = (name: string): boolean => name === step.name || name === `${step.name}.${step.key}`;
    const child = level.find(({ name }) => own(name));
    if (!child) {
      if (at === 0 || step.name.startsWith('_') || pipelines.some(({ name }) => own(name))) break;
      throw validationError(`No aggregation [${step.name}] found for path [${path}]`);
    }
    // The buckets of a composite aggregation are a page, whose figures say nothing about the whole.
    hasBuckets ||= MULTI_BUCKET.has(child.typeName) && child.typeName !== 'composite';
    [level, pipelines] = [child.children, child.pipelines];
  }
  if (hasBuckets) return;
  throw validationError(
    `The first aggregation in buckets_path must be a multi-bucket aggregation for aggregation [${pipeline.name}] found :${path}`,
  );
}

const SEQUENTIAL = new Set(['derivative', 'cumulative_cardinality', 'cumulative_sum', 'moving_fn', 'moving_avg', 'serial_diff']);
const HISTOGRAMS = new Set(['histogram', 'date_histogram', 'auto_date_histogram']);

function checkParent(pipeline: PipelineSpec, parent: AggSpec | null): void {
  if (SEQUENTIAL.has(pipeline.typeName) && (!parent || !HISTOGRAMS.has(parent.typeName))) {
    throw validationError(
      `${pipeline.typeName} aggregation [${pipeline.name}] must have a histogram, date_histogram or auto_date_histogram as parent`,
    );
  }
  if (!parent || !MULTI_BUCKET.has(parent.typeName)) {
    throw validationError(`${pipeline.typeName} aggregation [${pipeline.name}] must be declared inside of another aggregation`);
  }
}
