// The APIs of repositories and snapshots.
import type { ApiSpec } from '../core/api.ts';
import { cleanupRepositoryApi, deleteRepositoryApi, getRepositoryApi, putRepositoryApi, verifyRepositoryApi } from './repositories.ts';
import {
  cloneSnapshotApi,
  createSnapshotApi,
  deleteSnapshotApi,
  getSnapshotApi,
  restoreSnapshotApi,
  snapshotStatusApi,
} from './snapshots.ts';

export const SNAPSHOTS_ROOM: readonly ApiSpec[] = [
  getRepositoryApi,
  putRepositoryApi,
  deleteRepositoryApi,
  verifyRepositoryApi,
  cleanupRepositoryApi,
  createSnapshotApi,
  getSnapshotApi,
  deleteSnapshotApi,
  cloneSnapshotApi,
  restoreSnapshotApi,
  snapshotStatusApi,
];
