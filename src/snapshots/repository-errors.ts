// Errors of repositories and snapshots, with Elasticsearch's types, statuses and messages.
import { ApiError } from '../errors/api-error.ts';

export function repositoryError(repository: string, reason: string, causedBy: ApiError | null = null): ApiError {
  return new ApiError('repository_exception', 500, `[${repository}] ${reason}`, { causedBy });
}

export function repositoryMissingError(repository: string): ApiError {
  return new ApiError('repository_missing_exception', 404, `[${repository}] missing`);
}

export function repositoryVerificationError(repository: string, reason: string, causedBy: ApiError | null = null): ApiError {
  return new ApiError('repository_verification_exception', 500, `[${repository}] ${reason}`, { causedBy });
}

export function repositoryConflictError(repository: string, reason: string): ApiError {
  return new ApiError('repository_conflict_exception', 409, `[${repository}] ${reason}`);
}

export function snapshotMissingError(repository: string, snapshot: string): ApiError {
  return new ApiError('snapshot_missing_exception', 404, `[${repository}:${snapshot}] is missing`);
}

export function snapshotError(repository: string, snapshot: string, reason: string): ApiError {
  return new ApiError('snapshot_exception', 500, `[${repository}:${snapshot}] ${reason}`);
}

export function snapshotRestoreError(repository: string, snapshot: string, reason: string): ApiError {
  return new ApiError('snapshot_restore_exception', 500, `[${repository}:${snapshot}] ${reason}`);
}

export function invalidSnapshotNameError(repository: string, snapshot: string, reason: string): ApiError {
  return new ApiError('invalid_snapshot_name_exception', 400, `[${repository}:${snapshot}] Invalid snapshot name [${snapshot}], ${reason}`);
}

export function snapshotNameInUseError(repository: string, snapshot: string, reason: string): ApiError {
  return new ApiError(
    'snapshot_name_already_in_use_exception',
    400,
    `[${repository}:${snapshot}] Invalid snapshot name [${snapshot}], ${reason}`,
  );
}

export function concurrentSnapshotError(repository: string, snapshot: string, reason: string): ApiError {
  return new ApiError('concurrent_snapshot_execution_exception', 503, `[${repository}:${snapshot}] ${reason}`);
}

/** A blob of the repository is missing, damaged or of another format. */
export function corruptRepositoryError(repository: string, reason: string): ApiError {
  return new ApiError('repository_exception', 500, `[${repository}] ${reason}`);
}

/** An error of the file system or of a server, as the cause of another. */
export function causeOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError('i_o_exception', 500, error instanceof Error ? error.message : String(error));
}
