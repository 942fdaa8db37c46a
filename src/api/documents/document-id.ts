// Document ids: generates new ones and checks given ones.
import { randomFillSync } from 'node:crypto';
import type { ApiError } from '../../errors/api-error.ts';
import { validationFailedError } from '../../errors/catalog.ts';

const MAX_ID_BYTES = 512;
/** 15 random bytes are 20 characters in base64url, the length of Elasticsearch's ids. */
const ID_BYTES = 15;
const pool = Buffer.alloc(ID_BYTES * 256);
let used = pool.length;

export function generateId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += ID_BYTES;
  return pool.toString('base64url', used - ID_BYTES, used);
}

/** Why an id is invalid, or null. */
export function idProblem(id: string): string | null {
  if (id === '') return 'if _id is specified it must not be empty';
  const bytes = Buffer.byteLength(id);
  return bytes > MAX_ID_BYTES ? `id [${id}] is too long, must be no longer than ${MAX_ID_BYTES} bytes but was: ${bytes}` : null;
}

/** An error that lists the problems, or null if there are none. */
export function validationError(problems: readonly (string | null)[]): ApiError | null {
  const found = problems.filter((problem) => problem !== null);
  return found.length === 0 ? null : validationFailedError(found);
}
