// Pipeline aggregations: their registry, the parsing of common parameters, and the order in which they run.

import { isObject, type JsonObject, tokenOf } from '../../common/json/json-value.ts';
import type { Dialect } from '../../compat/dialect.ts';
import { DecimalFormat } from '../../mapping/values/decimal-format.ts';
import { parsingError, xContentError } from '../errors.ts';
import { Params, unknownFieldError } from '../params.ts';
import type { PipelineSpec } from '../types.ts';
import { firstName } from './bucket-path.ts';
import { SCRIPTED_PIPELINES, scriptPaths } from './bucket-scripts.ts';
import { PARENT_PIPELINES } from './parent.ts';
import type { GapPolicy, PipelineBody } from './pipeline-body.ts';
import { SIBLING_PIPELINES } from './sibling.ts';

export const PIPELINE_NAMES = [...Object.keys(SIBLING_PIPELINES), ...Object.keys(PARENT_PIPELINES), ...Object.keys(SCRIPTED_PIPELINES)];

export function isPipeline(typeName: string): boolean {
  return PIPELINE_NAMES.includes(typeName);
}

/** @throws ApiError parsing_exception, illegal_argument_exception */
export function parsePipeline(name: string, typeName: string, body: unknown, meta: JsonObject | null, dialect: Dialect): PipelineSpec {
  const p = new Params(typeName, body, name);
  checkTexts(name, typeName, body);
  const raw = p.take('buckets_path');
  const isScripted = Object.hasOwn(SCRIPTED_PIPELINES, typeName);
  if (raw === undefined && typeName !== 'bucket_sort')
    throw parsingError(`Missing required field [buckets_path] for aggregation [${name}]`);
  const path = isScripted ? '' : Array.isArray(raw) ? String(raw[0]) : String(raw ?? '');
  const gapName = p.string('gap_policy') ?? 'skip';
  const gaps = dialect.keepsValuesOverGaps ? ['insert_zeros', 'skip', 'keep_values'] : ['insert_zeros', 'skip'];
  if (!gaps.includes(gapName)) throw parsingError(`Invalid gap policy: [${gapName}], accepted values: [${gaps.join(', ')}]`);
  const format = p.string('format');
  const pattern = format === null ? null : DecimalFormat.of(format);
  const common: PipelineBody = {
    name,
    meta,
    path,
    gap: gapName as GapPolicy,
    dialect,
    text: (value) => (pattern && value !== null && Number.isFinite(value) ? pattern.format(value) : null),
  };
  if (isScripted) {
    const named = scriptPaths(raw, name);
    const parent = SCRIPTED_PIPELINES[typeName](p, common, named);
    p.done();
    return { name, typeName, meta, paths: named, sibling: null, parent, problem: null };
  }
  const paths = new Map(path === '' ? [] : [['_value', path]]);
  const isSibling = Object.hasOwn(SIBLING_PIPELINES, typeName);
  const sibling = isSibling ? SIBLING_PIPELINES[typeName](p, common) : null;
  const parsed = isSibling ? null : PARENT_PIPELINES[typeName](p, common);
  p.done();
  for (const extra of parsed?.paths ?? []) paths.set(extra, extra);
  return { name, typeName, meta, paths, sibling, parent: parsed?.run ?? null, problem: parsed?.problem ?? null };
}

const TEXTS = ['buckets_path', 'gap_policy', 'format'];

/** Refuses what are not strings, as the three kinds of parsers of pipelines do. @throws ApiError parsing_exception, x_content_parse_exception */
function checkTexts(name: string, typeName: string, body: unknown): void {
  if (!isObject(body) || Object.hasOwn(SCRIPTED_PIPELINES, typeName)) return;
  for (const key of TEXTS) {
    const value = body[key];
    if (value === undefined || typeof value === 'string' || (key === 'buckets_path' && Array.isArray(value))) continue;
    if (Object.hasOwn(SIBLING_PIPELINES, typeName) || typeName === 'serial_diff')
      throw unknownFieldError(typeName, key, tokenOf(value), name);
    throw xContentError(`[${typeName}] ${key} doesn't support values of type: ${tokenOf(value)}`);
  }
}

/** Orders pipelines so that each runs after those of the same level that it reads. */
export function orderPipelines(pipelines: readonly PipelineSpec[]): PipelineSpec[] {
  const ordered = new Set<PipelineSpec>();
  const open = new Set<PipelineSpec>();
  const visit = (pipeline: PipelineSpec) => {
    if (ordered.has(pipeline) || open.has(pipeline)) return;
    open.add(pipeline);
    for (const path of pipeline.paths.values()) {
      const needed = pipelines.find((other) => other.name === firstName(path));
      if (needed) visit(needed);
    }
    ordered.add(pipeline);
  };
  for (const pipeline of pipelines) visit(pipeline);
  return [...ordered];
}
