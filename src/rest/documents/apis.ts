// The APIs of documents.
import type { ApiSpec } from '../core/api.ts';
import { bulkApi } from './bulk.ts';
import { deleteByQueryApi, updateByQueryApi } from './by-query.ts';
import { getApi, getSourceApi } from './get-document.ts';
import { mgetApi } from './multi-get.ts';
import { reindexApi } from './reindex.ts';
import { multiTermVectorsApi, termVectorsApi } from './term-vectors.ts';
import { deleteApi, indexApi, updateApi } from './write-document.ts';

export const DOCUMENTS_ROOM: readonly ApiSpec[] = [
  bulkApi,
  deleteByQueryApi,
  updateByQueryApi,
  getApi,
  getSourceApi,
  mgetApi,
  reindexApi,
  termVectorsApi,
  multiTermVectorsApi,
  indexApi,
  deleteApi,
  updateApi,
];
