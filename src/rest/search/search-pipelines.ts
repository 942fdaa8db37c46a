// Search pipelines: `_search/pipeline`.
import { deleteSearchPipeline, getSearchPipelines, putSearchPipeline } from '../../api/search/search-pipelines.ts';
import { storedPipelineApis } from '../ingest/stored-pipelines.ts';

export const SEARCH_PIPELINE_APIS = storedPipelineApis({
  names: { put: 'search_pipeline.put', delete: 'search_pipeline.delete', get: 'search_pipeline.get' },
  path: '/_search/pipeline',
  action: 'cluster:admin/search/pipeline',
  put: putSearchPipeline,
  delete: deleteSearchPipeline,
  get: getSearchPipelines,
});
