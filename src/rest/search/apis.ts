// The APIs of searches.
import type { ApiSpec } from '../core/api.ts';
import { ASYNC_SEARCH_APIS } from './async-search.ts';
import { countApi } from './count.ts';
import { explainApi, validateApi } from './explain.ts';
import { fieldCapsApi } from './field-caps.ts';
import { msearchApi, msearchTemplateApi } from './multi-search.ts';
import { profileCompareApi } from './profile-compare.ts';
import { rankEvalApi } from './rank-eval.ts';
import { clearScrollApi, pitApi, scrollApi } from './scroll.ts';
import { searchApi } from './search.ts';
import { SEARCH_PIPELINE_APIS } from './search-pipelines.ts';
import { searchShardsApi } from './search-shards.ts';
import { renderApi, templateApi } from './search-template.ts';
import { SCRIPT_APIS } from './stored-scripts.ts';
import { termsEnumApi } from './terms-enum.ts';

export const SEARCH_ROOM: readonly ApiSpec[] = [
  countApi,
  validateApi,
  explainApi,
  fieldCapsApi,
  msearchApi,
  msearchTemplateApi,
  profileCompareApi,
  rankEvalApi,
  scrollApi,
  clearScrollApi,
  pitApi,
  ...SEARCH_PIPELINE_APIS,
  searchShardsApi,
  templateApi,
  renderApi,
  searchApi,
  ...ASYNC_SEARCH_APIS,
  ...SCRIPT_APIS,
  termsEnumApi,
];
