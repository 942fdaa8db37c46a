// Connections to S3 that snapshot repositories name: settings `s3.client.NAME.SETTING`, with Elasticsearch's names.
import { parseDurationMs } from '../common/text/time-unit.ts';

/** Values by `NAME.SETTING`, as strings; they are checked. */
export type S3ClientSettings = Readonly<Record<string, string>>;

const isFlag = (value: string): boolean => value === 'true' || value === 'false';
const isCount = (value: string): boolean => /^\d{1,4}$/.test(value);

interface Kind {
  readonly isValid: (value: string) => boolean;
  readonly expected: string;
}

const TEXT: Kind = { isValid: (value) => value !== '', expected: 'a non-empty string' };

/** The settings of a client, of which a repository may override those that are not secret. */
export const S3_CLIENT_SETTINGS: Readonly<Record<string, Kind>> = {
  access_key: TEXT,
  secret_key: TEXT,
  session_token: TEXT,
  endpoint: TEXT,
  region: TEXT,
  protocol: { isValid: (value) => value === 'http' || value === 'https', expected: 'http or https' },
  path_style_access: { isValid: isFlag, expected: 'true or false' },
  max_retries: { isValid: isCount, expected: 'a whole number from 0 to 9999' },
  max_connections: { isValid: (value) => isCount(value) && Number(value) > 0, expected: 'a whole number from 1 to 9999' },
  read_timeout: { isValid: (value) => (parseDurationMs(value) ?? 0) > 0, expected: 'a duration with a unit, such as 50s' },
};

export const SECRET_S3_SETTINGS: readonly string[] = ['access_key', 'secret_key', 'session_token'];

/** Accepts `default.endpoint: ...` and `default: { endpoint: ... }`. @throws Error with the reason only */
export function parseS3Clients(value: unknown): S3ClientSettings {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('must be a map');
  const found: Record<string, string> = {};
  const take = (path: string, item: unknown): void => {
    if (typeof item === 'object' && item !== null && !Array.isArray(item)) {
      for (const [key, inner] of Object.entries(item)) take(`${path}.${key}`, inner);
    } else found[path] = checked(path, item);
  };
  for (const [key, item] of Object.entries(value)) take(key, item);
  return found;
}

function checked(path: string, value: unknown): string {
  const dot = path.indexOf('.');
  const setting = path.slice(dot + 1);
  if (dot < 1 || !Object.hasOwn(S3_CLIENT_SETTINGS, setting))
    throw new Error(`has no [${path}]: use CLIENT.SETTING with one of [${Object.keys(S3_CLIENT_SETTINGS).join(', ')}]`);
  const { isValid, expected } = S3_CLIENT_SETTINGS[setting];
  const text = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
  // The value may be a secret, so the message does not contain it.
  if (!isValid(text)) throw new Error(`[${path}] must be ${expected}`);
  return text;
}
