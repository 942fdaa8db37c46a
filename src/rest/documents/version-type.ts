// The parameter `version_type`.
import type { VersionType } from '../../api/core/write.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { ApiRequest } from '../core/request.ts';

const VERSION_TYPES = new Set(['internal', 'external', 'external_gte']);

export function readVersionType(request: ApiRequest): VersionType {
  const versionType = request.string('version_type') ?? 'internal';
  if (!VERSION_TYPES.has(versionType)) throw illegalArgumentError(`No version type match [${versionType}]`);
  return versionType as VersionType;
}
