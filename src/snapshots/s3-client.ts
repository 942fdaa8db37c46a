// The connection of a repository to S3. The package @aws-sdk/client-s3 is large and rarely needed, so it is not among the dependencies: whoever has
// such repositories installs it next to Gannet. It is loaded with the first request.
import { createRequire } from 'node:module';
import type { S3Client } from '@aws-sdk/client-s3';
import { ApiError } from '../errors/api-error.ts';
import type { S3Settings } from './s3-settings.ts';

const PACKAGE = '@aws-sdk/client-s3';
const CONNECT_TIMEOUT_MS = 10_000;
/** AWS accepts requests for buckets of all regions here, and responds with their region. */
const DEFAULT_REGION = 'us-east-1';

export type S3Module = typeof import('@aws-sdk/client-s3');

export interface S3Connection {
  readonly module: S3Module;
  readonly client: S3Client;
}

/** @throws ApiError illegal_state_exception: the package is not installed */
export function connectS3(settings: S3Settings): S3Connection {
  const module = loadModule();
  const client = new module.S3Client({
    region: settings.region ?? DEFAULT_REGION,
    followRegionRedirects: settings.region === null,
    forcePathStyle: settings.pathStyle,
    maxAttempts: settings.maxRetries + 1,
    // Parts are verified by the signed hash of their bytes; servers other than AWS's often do not know the other checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: settings.readTimeoutMs,
      httpAgent: { maxSockets: settings.maxConnections, keepAlive: true },
      httpsAgent: { maxSockets: settings.maxConnections, keepAlive: true },
    },
    ...(settings.endpoint === null ? {} : { endpoint: settings.endpoint }),
    ...(settings.credentials === null ? {} : { credentials: settings.credentials }),
  });
  return { module, client };
}

function loadModule(): S3Module {
  try {
    // Unlike import(), this works in the scripts of the service with every supported Node.
    return createRequire(import.meta.url)(PACKAGE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    throw new ApiError(
      'illegal_state_exception',
      500,
      `repositories of type [s3] need the npm package [${PACKAGE}], which is not installed: npm install ${PACKAGE}`,
    );
  }
}
