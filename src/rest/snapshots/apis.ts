// The APIs of repositories, snapshots and snapshot lifecycle policies.
import type { ApiSpec } from '../core/api.ts';
import { POLICY_APIS } from './policies.ts';
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
  ...POLICY_APIS,
];
