// `_analyze`, at the root or at an index.
import { AnalysisRegistry } from '../analysis/analysis-registry.ts';
import { analyzeText } from '../analysis/analyze-api.ts';
import { ApiError } from '../errors/api-error.ts';
import type { EngineContext, IndexAnalysis, IndexState } from './context.ts';
import { readIndex } from './write-target.ts';

export interface AnalyzeApiRequest {
  /** null: built-in components only. */
  readonly index: string | null;
  /** JSON text of the body as it came: places of errors are read from it. */
  readonly body: string;
}

/** `{ tokens }`, or `{ detail }` with `explain`. @throws ApiError as Elasticsearch refuses the request */
export function analyze(ctx: EngineContext, request: AnalyzeApiRequest): Record<string, unknown> {
  if (request.index === null) return analyzeText(request.body, { index: null, registry: registryOf(ctx.globalAnalysis) });
  const index = readIndex(ctx, request.index);
  if (index.meta.state === 'close')
    throw new ApiError('index_closed_exception', 400, 'closed', { details: { index: index.meta.name, index_uuid: index.meta.uuid } });
  return analyzeText(request.body, {
    index: index.meta.name,
    registry: registryOf(index.analysis),
    analyzerOfField: (field) => analyzerOfField(index, field),
    maxTokenCount: Number(index.meta.settings['index.analyze.max_token_count'] ?? 10_000),
  });
}

function registryOf(analysis: IndexAnalysis): AnalysisRegistry {
  if (analysis instanceof AnalysisRegistry) return analysis;
  throw new Error('analysis of this engine is no registry');
}

/** Text fields have an analyzer, keywords perhaps a normalizer; others none. */
function analyzerOfField(index: IndexState, field: string): { analyzer?: string; normalizer?: string } | undefined {
  const type = index.mapping.field(field);
  if (type === null) return undefined;
  if (type.family === 'text') return { analyzer: String(type.params.analyzer ?? 'default') };
  const { normalizer } = type.params;
  if (type.family === 'keyword') return typeof normalizer === 'string' ? { normalizer } : { analyzer: 'keyword' };
  throw new ApiError(
    'illegal_argument_exception',
    400,
    `Can't process field [${field}], Analysis requests are only supported on tokenized fields`,
  );
}
