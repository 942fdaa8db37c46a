// `_analyze`, at the root or at an index.

import { AnalysisRegistry } from '../../analysis/analysis-registry.ts';
import { type AnalyzeTarget, analyzeRequest, type FieldAnalysis } from '../../analysis/analyze/analyze-api.ts';
import { readAnalyzeRequest } from '../../analysis/analyze/analyze-request.ts';
import { parseJson } from '../../common/json/json-parse.ts';
import { JsonSyntaxError } from '../../common/json/json-syntax-error.ts';
import { canMove, TooHeavy } from '../../common/turns/turn.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, jsonError } from '../../errors/catalog.ts';
import { METADATA_FIELDS } from '../../mapping/core/model.ts';
import { numberSetting } from '../../metadata/settings/index-settings.ts';
import type { QueryAnalysis } from '../../search/index-query/query-analysis.ts';
import type { EngineContext } from '../core/context.ts';
import { type IndexTarget, TARGETS, targetMetas } from '../core/index-names.ts';
import type { IndexState } from '../core/index-state.ts';
import { readIndex } from '../core/read-target.ts';

export interface AnalyzeApiRequest {
  /** null for built-in components only. */
  readonly index: string | null;
  /** Body as JSON text, from which positions of errors are computed. */
  readonly body: string;
}

/** Limit of warnings per answer; a definition may cause many more. */
const MAX_WARNINGS = 10;
const MAX_WARNING_LENGTH = 300;

/** Unused analysis settings of an index, as values of `Warning` headers. */
export function analysisWarnings(ctx: EngineContext, index: string): string[] {
  const analysis = ctx.index(index)?.analysis;
  return analysis instanceof AnalysisRegistry ? bounded(analysis.allWarnings()) : [];
}

function bounded(warnings: readonly string[]): string[] {
  return warnings.slice(0, MAX_WARNINGS).map((text) => text.slice(0, MAX_WARNING_LENGTH));
}

/** Reloads the files of `updateable` filters. `{ _shards, reload_details }`. @throws ApiError a file cannot be read */
export async function reloadSearchAnalyzers(ctx: EngineContext, request: IndexTarget): Promise<Record<string, unknown>> {
  const targets = targetMetas(ctx, request, TARGETS.concrete);
  const details = targets.flatMap((meta) => {
    const analysis = ctx.index(meta.name)?.analysis;
    const names = analysis instanceof AnalysisRegistry ? analysis.updateableAnalyzers() : [];
    return names.length ? [{ index: meta.name, reloaded_analyzers: names, reloaded_node_ids: [ctx.nodeId] }] : [];
  });
  if (details.length) await ctx.command('reloadAnalyzers', { indices: details.map(({ index }) => index) });
  const shards = targets.reduce((sum, meta) => sum + Number(meta.settings['index.number_of_shards'] ?? 1), 0);
  return { _shards: { total: shards, successful: shards, failed: 0 }, reload_details: details };
}

/** Longer requests are for lanes: 50 KB of text take 30 to 80 ms. */
const LARGE_REQUEST_CHARS = 16 << 10;

/** `{ tokens }`, or `{ detail }` with `explain`, and warnings. @throws ApiError as Elasticsearch refuses the request; TooHeavy: to be repeated in a lane */
export function analyze(ctx: EngineContext, request: AnalyzeApiRequest): { body: Record<string, unknown>; warnings: string[] } {
  if (request.body.length > LARGE_REQUEST_CHARS && canMove()) throw new TooHeavy();
  checkJson(request.body);
  const warnings: string[] = [];
  const parsed = readAnalyzeRequest(request.body, request.index !== null);
  const body = analyzeRequest(parsed, { ...targetOf(ctx, request), warn: (text) => warnings.push(text) });
  return { body, warnings: bounded(warnings) };
}

/** @throws ApiError the JSON error with its position */
function checkJson(text: string): void {
  try {
    parseJson(text);
  } catch (error) {
    throw error instanceof JsonSyntaxError ? jsonError(error) : error;
  }
}

function targetOf(ctx: EngineContext, request: AnalyzeApiRequest): AnalyzeTarget {
  if (request.index === null) return { index: null, registry: registryOf(ctx.globalAnalysis) };
  const index = readIndex(ctx, request.index);
  if (index.meta.state === 'close')
    throw new ApiError('index_closed_exception', 400, 'closed', { details: { index: index.meta.name, index_uuid: index.meta.uuid } });
  return {
    index: index.meta.name,
    registry: registryOf(index.analysis),
    analyzerOfField: (field) => analyzerOfField(index, field),
    maxTokenCount: numberSetting(index.meta.settings, 'index.analyze.max_token_count'),
  };
}

function registryOf(analysis: QueryAnalysis): AnalysisRegistry {
  if (analysis instanceof AnalysisRegistry) return analysis;
  throw new Error('the analysis of this engine is not an AnalysisRegistry');
}

/** Text fields have an analyzer, keyword fields may have a normalizer. @throws ApiError illegal_argument_exception: other types */
function analyzerOfField(index: IndexState, field: string): FieldAnalysis | undefined {
  if (field === '_routing') return { normalizer: null };
  const type = index.mapping.field(field);
  if (type === null && !METADATA_FIELDS.has(field)) return undefined;
  if (type?.family === 'text') {
    const { position_increment_gap: gap } = type.params;
    return { analyzer: type.spec.analyzer ?? 'default', gap: typeof gap === 'number' ? gap : undefined };
  }
  if (type?.family === 'keyword') return { normalizer: typeof type.params.normalizer === 'string' ? type.params.normalizer : null };
  throw illegalArgumentError(`Can't process field [${field}], Analysis requests are only supported on tokenized fields`);
}
