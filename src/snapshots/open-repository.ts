// Opens repositories by their type, with Elasticsearch's checks of their settings.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseByteSize } from '../common/text/byte-size.ts';
import type { S3ClientSettings } from '../config/s3-clients.ts';
import type { Settings } from '../config/settings.ts';
import { ApiError } from '../errors/api-error.ts';
import { illegalArgumentError } from '../errors/catalog.ts';
import type { BlobStore } from './blob-store.ts';
import { FsBlobs } from './fs-blobs.ts';
import { Repository } from './repository.ts';
import { repositoryError } from './repository-errors.ts';
import { S3Blobs } from './s3-blobs.ts';
import { readS3Settings } from './s3-settings.ts';
import type { RepositoryConfig } from './snapshot-types.ts';
import { checkedUrl, UrlBlobs } from './url-blobs.ts';

/** Settings of the node that limit what a repository may access, and how. */
export interface RepositoryLimits {
  /** `path.repo`: absolute folders. */
  readonly paths: readonly string[];
  /** `repositories.url.allowed_urls`: patterns. */
  readonly urls: readonly string[];
  /** `s3.client`. */
  readonly s3Clients: S3ClientSettings;
}

/** The limits in the settings of a node. */
export function repositoryLimits(settings: Settings): RepositoryLimits {
  return {
    paths: settings['path.repo'],
    urls: settings['repositories.url.allowed_urls'],
    s3Clients: settings['s3.client'],
  };
}

type OpenBlobs = (config: RepositoryConfig, limits: RepositoryLimits) => BlobStore;

const TYPES: Readonly<Record<string, OpenBlobs>> = {
  fs: (config, { paths }) => new FsBlobs(fsLocation(config, paths)),
  url: (config, { paths, urls }) => {
    const url = checkedUrl(config, urls);
    if (url.protocol !== 'file:') return new UrlBlobs(url);
    const settings = { location: fileURLToPath(url) };
    return new FsBlobs(fsLocation({ ...config, settings }, paths));
  },
  s3: (config, { s3Clients }) => new S3Blobs(readS3Settings(config, s3Clients)),
};

/** @throws ApiError repository_exception: an unknown type or a wrong setting */
export function openRepository(config: RepositoryConfig, limits: RepositoryLimits): Repository {
  const open = Object.hasOwn(TYPES, config.type) ? TYPES[config.type] : null;
  if (open === null) throw repositoryError(config.name, `repository type [${config.type}] does not exist`);
  try {
    for (const name of SIZES) byteSize(config, name);
    return new Repository(config.name, open(config, limits), config.type === 'url' || flag(config, 'readonly'));
  } catch (error) {
    if (error instanceof ApiError) throw repositoryError(config.name, 'failed to create repository', error);
    throw error;
  }
}

/** Bytes per second; 0: unlimited. @throws ApiError illegal_argument_exception */
export function rateLimit(config: RepositoryConfig, name: 'max_snapshot_bytes_per_sec' | 'max_restore_bytes_per_sec'): number {
  return Math.max(0, byteSize(config, name) ?? 0);
}

/** Settings that are sizes. Blobs are never larger than a segment, so `chunk_size` is only checked. */
const SIZES = ['chunk_size', 'max_snapshot_bytes_per_sec', 'max_restore_bytes_per_sec'];

function byteSize({ settings }: RepositoryConfig, name: string): number | null {
  const value = settings[name];
  if (value === undefined) return null;
  const bytes = parseByteSize(value);
  if (bytes !== null) return bytes;
  const reason = `failed to parse setting [${name}] with value [${value}] as a size in bytes: unit is missing or unrecognized`;
  throw illegalArgumentError(reason, new ApiError('parse_exception', 400, reason));
}

function flag({ settings }: RepositoryConfig, name: string): boolean {
  const value = settings[name] ?? 'false';
  if (value !== 'true' && value !== 'false')
    throw illegalArgumentError(`Failed to parse value [${value}] as only [true] or [false] are allowed.`);
  return value === 'true';
}

/** The folder of an fs repository, which must be in one of `path.repo`; a relative one is in the first. */
function fsLocation({ name, settings }: RepositoryConfig, paths: readonly string[]): string {
  const { location } = settings;
  if (location === undefined || location === '') throw repositoryError(name, 'missing location');
  if (paths.length === 0)
    throw repositoryError(
      name,
      `location [${location}] doesn't match any of the locations specified by path.repo because this setting is empty`,
    );
  const folder = path.resolve(paths[0], location);
  if (paths.some((root) => isWithin(root, folder))) return folder;
  throw repositoryError(name, `location [${location}] doesn't match any of the locations specified by path.repo`);
}

function isWithin(root: string, folder: string): boolean {
  const relative = path.relative(root, folder);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
