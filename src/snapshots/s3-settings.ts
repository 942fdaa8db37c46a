// Settings of repositories on S3, named as Elasticsearch names them: those of the repository, then those of its client `s3.client.NAME`.
import { formatByteSize, parseByteSize } from '../common/text/byte-size.ts';
import { parseDurationMs } from '../common/text/time-unit.ts';
import { S3_CLIENT_SETTINGS, type S3ClientSettings, SECRET_S3_SETTINGS } from '../config/s3-clients.ts';
import { illegalArgumentError } from '../errors/catalog.ts';
import { repositoryError } from './repository-errors.ts';
import type { RepositoryConfig } from './snapshot-types.ts';

export interface S3Settings {
  readonly bucket: string;
  /** Prefix of all keys: empty, or with a slash at its end. */
  readonly prefix: string;
  /** URL of the server; null: AWS, by region. */
  readonly endpoint: string | null;
  readonly region: string | null;
  readonly pathStyle: boolean;
  /** null: those of the environment, of a profile, or of the machine's role, as the AWS SDK finds them. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string } | null;
  readonly maxRetries: number;
  readonly maxConnections: number;
  readonly readTimeoutMs: number;
  /** Larger blobs are uploaded in parts of this size. */
  readonly bufferBytes: number;
  readonly encrypt: boolean;
  readonly storageClass: StorageClass;
  readonly cannedAcl: CannedAcl;
}

const STORAGE_CLASSES = ['STANDARD', 'REDUCED_REDUNDANCY', 'STANDARD_IA', 'ONEZONE_IA', 'INTELLIGENT_TIERING'] as const;
type StorageClass = (typeof STORAGE_CLASSES)[number];

const CANNED_ACLS = [
  'private',
  'public-read',
  'public-read-write',
  'authenticated-read',
  'bucket-owner-read',
  'bucket-owner-full-control',
] as const;
type CannedAcl = (typeof CANNED_ACLS)[number];

const MIB = 2 ** 20;
const MIN_BUFFER_BYTES = 5 * MIB;
const MAX_BUFFER_BYTES = 5 * 2 ** 30;
/** A few parts are in memory at a time. */
const DEFAULT_BUFFER_BYTES = 16 * MIB;
const DEFAULT_CHUNK_BYTES = 5 * 2 ** 40;
const DEFAULT_READ_TIMEOUT_MS = 50_000;

/** @throws ApiError repository_exception, illegal_argument_exception */
export function readS3Settings(config: RepositoryConfig, clients: S3ClientSettings): S3Settings {
  const { name, settings } = config;
  const { bucket } = settings;
  if (bucket === undefined || bucket === '') throw repositoryError(name, 'No bucket defined for s3 repository');
  const read = clientReader(config, clients);
  return {
    bucket,
    prefix: prefixOf(settings.base_path ?? ''),
    endpoint: endpointOf(read('endpoint'), read('protocol') ?? 'https'),
    region: read('region'),
    pathStyle: read('path_style_access') === 'true',
    credentials: credentialsOf(read),
    maxRetries: Number(read('max_retries') ?? 3),
    maxConnections: Number(read('max_connections') ?? 50),
    readTimeoutMs: parseDurationMs(read('read_timeout') ?? '') ?? DEFAULT_READ_TIMEOUT_MS,
    bufferBytes: bufferBytes(config),
    encrypt: flagOf(settings.server_side_encryption),
    storageClass: storageClassOf(settings.storage_class ?? ''),
    cannedAcl: cannedAclOf(settings.canned_acl ?? ''),
  };
}

type ReadClient = (setting: string) => string | null;

/** The settings of the repository's client, and the repository's own where it overrides them. */
function clientReader({ settings }: RepositoryConfig, clients: S3ClientSettings): ReadClient {
  const client = settings.client ?? 'default';
  const known = new Set(['default', ...Object.keys(clients).map((key) => key.slice(0, key.indexOf('.')))]);
  if (!known.has(client))
    throw illegalArgumentError(`Unknown s3 client name [${client}]. Existing client configs: ${[...known].join(',')}`);
  return (setting) => {
    const own = Object.hasOwn(settings, setting) ? settings[setting] : null;
    if (own === null) return clients[`${client}.${setting}`] ?? null;
    if (SECRET_S3_SETTINGS.includes(setting))
      throw illegalArgumentError(
        `Setting [${setting}] must not be part of a repository: set [s3.client.${client}.${setting}] in gannet.yml`,
      );
    const { isValid, expected } = S3_CLIENT_SETTINGS[setting];
    if (!isValid(own)) throw illegalArgumentError(`failed to parse value [${own}] for setting [${setting}]: must be ${expected}`);
    return own;
  };
}

function credentialsOf(read: ReadClient): S3Settings['credentials'] {
  const [accessKeyId, secretAccessKey, sessionToken] = SECRET_S3_SETTINGS.map(read);
  if (accessKeyId === null && secretAccessKey === null && sessionToken === null) return null;
  if (accessKeyId === null) throw illegalArgumentError('Missing access key for s3 client');
  if (secretAccessKey === null) throw illegalArgumentError('Missing secret key for s3 client');
  return { accessKeyId, secretAccessKey, ...(sessionToken === null ? {} : { sessionToken }) };
}

function prefixOf(basePath: string): string {
  const trimmed = basePath.replace(/^\/+|\/+$/g, '');
  return trimmed === '' ? '' : `${trimmed}/`;
}

/** @throws ApiError illegal_argument_exception */
function endpointOf(endpoint: string | null, protocol: string): string | null {
  if (endpoint === null) return null;
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(endpoint) ? endpoint : `${protocol}://${endpoint}`;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '')
    throw illegalArgumentError(`[endpoint] must be a host, host:port or an http address without credentials, got [${endpoint}]`);
  return text;
}

function bufferBytes({ name, settings }: RepositoryConfig): number {
  const buffer = sizeIn(settings, 'buffer_size', MIN_BUFFER_BYTES, MAX_BUFFER_BYTES) ?? DEFAULT_BUFFER_BYTES;
  const chunk = sizeIn(settings, 'chunk_size', MIN_BUFFER_BYTES, DEFAULT_CHUNK_BYTES) ?? DEFAULT_CHUNK_BYTES;
  if (chunk < buffer)
    throw repositoryError(name, `chunk_size (${formatByteSize(chunk)}) can't be lower than buffer_size (${formatByteSize(buffer)}).`);
  return buffer;
}

function sizeIn(settings: RepositoryConfig['settings'], name: string, min: number, max: number): number | null {
  const value = settings[name];
  if (value === undefined) return null;
  const bytes = parseByteSize(value) ?? 0;
  if (bytes < min)
    throw illegalArgumentError(`failed to parse value [${value}] for setting [${name}], must be >= [${formatByteSize(min)}]`);
  if (bytes > max)
    throw illegalArgumentError(`failed to parse value [${value}] for setting [${name}], must be <= [${formatByteSize(max)}]`);
  return bytes;
}

function flagOf(value = 'false'): boolean {
  if (value !== 'true' && value !== 'false')
    throw illegalArgumentError(`Failed to parse value [${value}] as only [true] or [false] are allowed.`);
  return value === 'true';
}

function storageClassOf(value: string): StorageClass {
  if (value === '') return 'STANDARD';
  if (/^(?:glacier|deep_archive)$/i.test(value)) throw illegalArgumentError('Glacier storage class is not supported');
  const found = STORAGE_CLASSES.find((known) => known === value.toUpperCase());
  if (found === undefined) throw illegalArgumentError(`\`${value}\` is not a valid S3 Storage Class.`);
  return found;
}

function cannedAclOf(value: string): CannedAcl {
  if (value === '') return 'private';
  const found = CANNED_ACLS.find((known) => known === value.toLowerCase());
  if (found === undefined) throw illegalArgumentError(`cannedACL is not valid: [${value}]`);
  return found;
}
