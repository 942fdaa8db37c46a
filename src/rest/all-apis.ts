// Every API of the service, room by room.
import { CLUSTER_ROOM } from './cluster/apis.ts';
import type { ApiSpec } from './core/api.ts';
import { UNSUPPORTED_APIS } from './core/unsupported.ts';
import { DOCUMENTS_ROOM } from './documents/apis.ts';
import { INDICES_ROOM } from './indices/apis.ts';
import { INGEST_ROOM } from './ingest/apis.ts';
import { SEARCH_ROOM } from './search/apis.ts';
import { SECURITY_ROOM } from './security/apis.ts';
import { SNAPSHOTS_ROOM } from './snapshots/apis.ts';

export const ALL_APIS: readonly ApiSpec[] = [
  ...CLUSTER_ROOM,
  ...DOCUMENTS_ROOM,
  ...INDICES_ROOM,
  ...INGEST_ROOM,
  ...SEARCH_ROOM,
  ...SECURITY_ROOM,
  ...SNAPSHOTS_ROOM,
  ...UNSUPPORTED_APIS,
];
