// Every API of the service. A new family is one line here.
import type { ApiSpec } from './api.ts';
import { bulkApi } from './bulk.ts';
import { deleteApi, getApi, getSourceApi, indexApi, mgetApi, updateApi } from './documents.ts';
import { ilmApi, infoApi, licenseApi, xpackApi } from './root.ts';

export const ALL_APIS: readonly ApiSpec[] = [
  infoApi,
  licenseApi,
  xpackApi,
  ilmApi,
  indexApi,
  deleteApi,
  updateApi,
  getApi,
  getSourceApi,
  mgetApi,
  bulkApi,
];
