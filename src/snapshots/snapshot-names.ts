// Rules for the names of repositories and snapshots, with Elasticsearch's messages.
import { invalidSnapshotNameError, repositoryError } from './repository-errors.ts';

const FORBIDDEN = ['\\', ' ', '"', '<', '*', '?', '>', '|', ',', '/'];
const FORBIDDEN_TEXT = `must not contain the following characters ['\\',' ','"','<','*','?','>','|',',','/']`;
const MAX_BYTES = 255;

/** @throws ApiError repository_exception */
export function checkRepositoryName(name: string): void {
  if (name === '') throw repositoryError(name, 'cannot be empty');
  if (name.includes('#')) throw repositoryError(name, "must not contain '#'");
  if (hasForbidden(name)) throw repositoryError(name, FORBIDDEN_TEXT);
  if (Buffer.byteLength(name) > MAX_BYTES) throw repositoryError(name, `is longer than ${MAX_BYTES} bytes`);
}

/** @throws ApiError invalid_snapshot_name_exception */
export function checkSnapshotName(repository: string, name: string): void {
  const problem = snapshotNameProblem(name);
  if (problem !== null) throw invalidSnapshotNameError(repository, name, problem);
}

/** Why this cannot be the name of a snapshot, or null. */
function snapshotNameProblem(name: string): string | null {
  if (name === '') return 'cannot be empty';
  if (/\s/.test(name)) return 'must not contain whitespace';
  if (name.includes(',')) return "must not contain ','";
  if (name.includes('#')) return "must not contain '#'";
  if (name.startsWith('_')) return "must not start with '_'";
  if (name !== name.toLowerCase()) return 'must be lowercase';
  if (hasForbidden(name)) return FORBIDDEN_TEXT;
  return Buffer.byteLength(name) > MAX_BYTES ? `is longer than ${MAX_BYTES} bytes` : null;
}

function hasForbidden(name: string): boolean {
  // Control characters would break tables and logs.
  return FORBIDDEN.some((character) => name.includes(character)) || /\p{Cc}/u.test(name);
}
