// The APIs of ingest pipelines.
import type { ApiSpec } from '../core/api.ts';
import { ENRICH_APIS } from './enrich.ts';
import { INGEST_APIS } from './ingest.ts';

export const INGEST_ROOM: readonly ApiSpec[] = [...INGEST_APIS, ...ENRICH_APIS];
