// Validates the pipelines of a parsed tree: their paths, and the aggregations around and next to them.
import type { Dialect } from '../../compat/dialect.ts';
import { validationError } from '../errors.ts';
import type { AggSpec, PipelineSpec } from '../types.ts';
import { firstName, parsePath } from './bucket-path.ts';
import { builderName } from './builder-names.ts';

/** The aggregations of one level. */
type Level = Pick<AggSpec, 'children' | 'pipelines'>;

/** @throws ApiError action_request_validation_exception: with the problems of all levels, outer ones first */
export function validatePipelines(top: Level, dialect: Dialect): void {
  const problems: string[] = [];
  const visit = (level: Level, parent: AggSpec | null): void => {
    const problem = pathProblem(level);
    if (problem !== null) problems.push(problem);
    else for (const pipeline of level.pipelines) problems.push(...placeProblems(pipeline, level, parent, dialect));
    for (const child of level.children) visit(child, child);
  };
  visit(top, null);
  if (problems.length > 0) throw validationError(problems);
}

/** The first path on a level that is unresolvable or circular; null if there is none. */
function pathProblem({ children, pipelines }: Level): string | null {
  const open = new Set<PipelineSpec>();
  const done = new Set<PipelineSpec>();
  const visit = (pipeline: PipelineSpec): string | null => {
    if (open.has(pipeline)) return `Cyclical dependency found with pipeline aggregation [${pipeline.name}]`;
    if (done.has(pipeline)) return null;
    open.add(pipeline);
    for (const path of pipeline.paths.values()) {
      const problem = visitPath(pipeline, path);
      if (problem !== null) return problem;
    }
    open.delete(pipeline);
    done.add(pipeline);
    return null;
  };
  const visitPath = (pipeline: PipelineSpec, path: string): string | null => {
    const first = firstName(path);
    if (pipeline.parent !== null && OWN_FIGURES.has(first)) return null;
    const dotted = parsePath(path)[0];
    const named = (name: string): boolean => name === first || (dotted.key !== null && name === `${dotted.name}.${dotted.key}`);
    const child = children.find(({ name }) => named(name));
    if (child) return stepProblem(child, path);
    const needed = pipelines.find(({ name }) => named(name));
    return needed ? visit(needed) : `No aggregation found for path [${path}]`;
  };
  for (const pipeline of pipelines) {
    const problem = visit(pipeline);
    if (problem !== null) return problem;
  }
  return null;
}

const OWN_FIGURES = new Set(['_count', '_key', '_bucket_count']);

/** The first unresolvable step of a path below its first aggregation. */
function stepProblem(start: AggSpec, path: string): string | null {
  const steps = parsePath(path).slice(1);
  let at = start;
  for (const [i, step] of steps.entries()) {
    const isLast = i === steps.length - 1;
    if (isLast && OWN_FIGURES.has(step.name)) return null;
    const named = (name: string): boolean => name === step.name || name === `${step.name}.${step.key}`;
    const child = at.children.find(({ name }) => named(name));
    if (!child && !(isLast && at.pipelines.some(({ name }) => named(name))))
      return `No aggregation [${step.name}] found for path [${path}]`;
    if (child) at = child;
  }
  return null;
}

function placeProblems(pipeline: PipelineSpec, level: Level, parent: AggSpec | null, dialect: Dialect): string[] {
  if (pipeline.problem !== null) return [pipeline.problem];
  const problem = pipeline.sibling ? siblingProblem(pipeline, level, dialect) : parentProblem(pipeline, parent);
  return problem === null ? [] : [problem];
}

const MULTI_BUCKET = new Set([
  'terms',
  'multi_terms',
  'histogram',
  'date_histogram',
  'auto_date_histogram',
  'categorize_text',
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
  'rare_terms',
  'significant_terms',
  'significant_text',
  'variable_width_histogram',
]); // prettier-ignore

const SINGLE_BUCKET = new Set([
  'children',
  'diversified_sampler',
  'filter',
  'global',
  'missing',
  'nested',
  'parent',
  'random_sampler',
  'reverse_nested',
  'sampler',
]); // prettier-ignore

/** A sibling pipeline must read a multi-bucket aggregation: the first of its path, or in version 8 one inside of single buckets. */
function siblingProblem(pipeline: PipelineSpec, { children }: Level, dialect: Dialect): string | null {
  const path = pipeline.paths.get('_value') ?? '';
  const steps = parsePath(path);
  // `list.metric` means `list>metric`.
  const named = (level: readonly AggSpec[], { name, key }: (typeof steps)[number]) =>
    level.find((child) => child.name === name || child.name === `${name}.${key}`);
  const entersKeys = dialect.blamesAggregationRequests;
  let found = named(children, steps[0]);
  if (!found || (!entersKeys && path.split(/[>.]/)[0] !== found.name))
    return `buckets_path aggregation does not exist for aggregation [${pipeline.name}]: ${path}`;
  for (let at = 1; at < steps.length && entersKeys; at++) {
    const hasKey = /\[.*\]$/.test(path.split('>')[at - 1]);
    if (!SINGLE_BUCKET.has(found.typeName) && !(hasKey && MULTI_BUCKET.has(found.typeName))) break;
    const next = named(found.children, steps[at]);
    if (!next) break;
    found = next;
  }
  // The buckets of a composite aggregation are a page, whose figures say nothing about the whole.
  if (MULTI_BUCKET.has(found.typeName) && found.typeName !== 'composite') return null;
  const rule = entersKeys
    ? 'Unable to find unqualified multi-bucket aggregation in buckets_path. Path must include a multi-bucket aggregation'
    : 'The first aggregation in buckets_path must be a multi-bucket aggregation';
  return `${rule} for aggregation [${pipeline.name}] found :${builderName(found.typeName)} for buckets path: ${path}`;
}

const SEQUENTIAL = new Set([
  'derivative',
  'cumulative_cardinality',
  'cumulative_sum',
  'moving_fn',
  'moving_avg',
  'moving_percentiles',
  'serial_diff',
]);
const HISTOGRAMS = new Set(['histogram', 'date_histogram', 'auto_date_histogram']);

function parentProblem({ typeName, name }: PipelineSpec, parent: AggSpec | null): string | null {
  if (SEQUENTIAL.has(typeName) && (!parent || !HISTOGRAMS.has(parent.typeName)))
    return `${typeName} aggregation [${name}] must have a histogram, date_histogram or auto_date_histogram as parent`;
  // Figures that depend on the previous bucket need the buckets without documents, too. Automatic histograms always have them.
  if (SEQUENTIAL.has(typeName) && ((parent?.params as { minDocCount?: number } | null)?.minDocCount ?? 0) !== 0)
    return `parent histogram of ${typeName} aggregation [${name}] must have min_doc_count of 0`;
  return parent && MULTI_BUCKET.has(parent.typeName)
    ? null
    : `${typeName} aggregation [${name}] must be declared inside of another aggregation`;
}
