// Every setting of the node: its name (the same in the YAML file, as a flag and in the environment), default, parser and purpose.
import os from 'node:os';
import { LOG_LEVELS, type LogLevel } from '../common/log/logger.ts';
import { formatByteSize, parseByteSize } from '../common/text/byte-size.ts';
import { formatDuration, parseDurationMs } from '../common/text/time-unit.ts';
import type { Flavor } from '../compat/dialect.ts';
import { type AuditEvent, DEFAULT_AUDIT_EVENTS, readAuditEvents } from './audit-events.ts';
import { parseS3Clients, type S3ClientSettings } from './s3-clients.ts';

/** Parses a string from a flag or the environment, or any YAML scalar, list or map from the file. @throws Error with the reason only */
export type Parse<T> = (value: unknown) => T;

export interface SettingSpec<T> {
  readonly fallback: T;
  readonly parse: Parse<T>;
  readonly about: string;
}

const text: Parse<string> = (value) => {
  if (typeof value === 'string' && value !== '') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new Error(`must be a non-empty string, not [${show(value)}]`);
};
const optionalText: Parse<string> = (value) => (value === '' ? '' : text(value));
const bool: Parse<boolean> = (value) => {
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw new Error(`must be true or false, not [${show(value)}]`);
};
const int =
  (min: number, max: number): Parse<number> =>
  (value) => {
    const number = typeof value === 'number' ? value : typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : Number.NaN;
    if (!Number.isInteger(number) || number < min || number > max)
      throw new Error(`must be a whole number from ${min} to ${max}, not [${show(value)}]`);
    return number;
  };
const streamReplicas: Parse<number> = (value) => {
  const replicas = Number(value);
  if (![1, 3, 5].includes(replicas)) throw new Error(`must be 1, 3 or 5, not [${show(value)}]`);
  return replicas;
};
const oneOf =
  <T extends string>(...names: T[]): Parse<T> =>
  (value) => {
    const name = String(value) as T;
    if (!names.includes(name)) throw new Error(`must be one of [${names.join(', ')}], not [${show(value)}]`);
    return name;
  };
const list: Parse<readonly string[]> = (value) => {
  if (Array.isArray(value)) return value.map((item) => text(item));
  if (value === '') return [];
  return text(value)
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
};
/** Origins; those between slashes are regular expressions. */
const origins: Parse<readonly string[]> = (value) => {
  const given = list(value);
  for (const origin of given) {
    if (!isOriginPattern(origin)) continue;
    try {
      new RegExp(origin.slice(1, -1));
    } catch (error) {
      throw new Error(`[${origin}] is not a regular expression: ${(error as Error).message}`);
    }
  }
  return given;
};

/** Whether an origin is a regular expression between slashes. */
export function isOriginPattern(origin: string): boolean {
  return origin.length > 2 && origin.startsWith('/') && origin.endsWith('/');
}

const bytes: Parse<number> = (value) => {
  const size = parseByteSize(String(value));
  if (size === null || size < 0) throw new Error(`must be a size with a unit, such as 100mb, not [${show(value)}]`);
  return size;
};
/** A size, or a share of the machine's memory: `40%`. */
const memory: Parse<number> = (value) => {
  const percent = /^(\d{1,3})%$/.exec(String(value));
  if (percent && Number(percent[1]) <= 100) return Math.floor((os.totalmem() * Number(percent[1])) / 100);
  return bytes(value);
};
const duration: Parse<number> = (value) => {
  const ms = parseDurationMs(String(value));
  if (ms === null) throw new Error(`must be a duration with a unit, such as 500ms, or -1, not [${show(value)}]`);
  return ms;
};
/** A duration; a bare number, which OpenTelemetry's variables contain, is in milliseconds. */
const millis: Parse<number> = (value) => {
  const ms = /^\d{1,9}$/.test(String(value)) ? Number(value) : duration(value);
  if (ms < 1) throw new Error(`must be at least 1ms, not [${show(value)}]`);
  return ms;
};
const ratio: Parse<number> = (value) => {
  const number = typeof value === 'number' ? value : typeof value === 'string' && /^\d*\.?\d+$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= 0 && number <= 1)) throw new Error(`must be a number from 0 to 1, not [${show(value)}]`);
  return number;
};
const httpUrl: Parse<string> = (value) => {
  if (value === '') return '';
  const given = URL.canParse(String(value)) ? new URL(String(value)) : null;
  if (given === null || !/^https?:$/.test(given.protocol) || given.search !== '' || given.hash !== '' || given.username !== '')
    throw new Error('must be an http or https URL without user, query and fragment, such as http://127.0.0.1:4318');
  return given.href;
};
const httpHeaders: Parse<readonly string[]> = (value) => {
  for (const pair of list(value)) {
    // The value may be a secret, so it is not shown.
    if (!/^[\w!#$%&'*+.^`|~-]+\s*=\s*(?:[\x21-\x24\x26-\x7e ]|%[2-7][\da-f])*$/i.test(pair))
      throw new Error('must be a list of name=value, with percent-encoded values');
  }
  return list(value);
};
const versionNumber: Parse<string> = (value) => {
  if (value === '') return '';
  if (!/^\d+\.\d+\.\d+$/.test(String(value))) throw new Error(`must be a version such as 8.15.0, not [${show(value)}]`);
  return String(value);
};
const record: Parse<Readonly<Record<string, unknown>>> = (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('must be a map');
  return value as Record<string, unknown>;
};

const nodeAttributes: Parse<Readonly<Record<string, string>>> = (value) => {
  const attributes: Record<string, string> = {};
  for (const [key, item] of Object.entries(record(value))) {
    if (typeof item === 'object' && item !== null) Object.assign(attributes, nodeAttributes(prefixed(key, item)));
    else attributes[key] = text(item);
  }
  return attributes;
};

/** Flags of Hunspell dictionaries: `ignore_case` and `lazy` for all, `en_US.ignore_case` and `en_US.strict_affix_parsing` for a locale. */
export type HunspellFlags = Readonly<Record<string, boolean>>;

const hunspellFlags: Parse<HunspellFlags> = (value) => {
  const flags: Record<string, boolean> = {};
  for (const [key, item] of Object.entries(record(value))) {
    if (typeof item === 'object' && item !== null) {
      for (const [name, flag] of Object.entries(hunspellFlags(prefixed(key, item)))) flags[name] = flag;
    } else if (/^(?:lazy|ignore_case|\w[\w@-]*\.(?:ignore_case|strict_affix_parsing))$/.test(key)) flags[key] = bool(item);
    else throw new Error(`has no [${key}]: use ignore_case, lazy, LOCALE.ignore_case or LOCALE.strict_affix_parsing`);
  }
  return flags;
};

function prefixed(prefix: string, map: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [`${prefix}.${key}`, value]));
}

function show(value: unknown): string {
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))).slice(0, 80);
}

function setting<T>(fallback: T, parse: Parse<T>, about: string): SettingSpec<T> {
  return { fallback, parse, about };
}

/** In the order of `gannet serve --help`. */
export const SETTINGS = {
  'cluster.name': setting('gannet', text, 'name of the cluster'),
  'node.name': setting(os.hostname() || 'gannet', text, 'name of this node'),
  'node.attr': setting<Readonly<Record<string, string>>>(
    {},
    nodeAttributes,
    'attributes of this node for the allocation of copies, as node.attr.zone: a',
  ),
  'cluster.nats.servers': setting<readonly string[]>(
    [],
    list,
    'NATS servers with JetStream through which nodes form a cluster, as nats://host:4222; empty: a node of its own',
  ),
  'cluster.nats.user': setting('', optionalText, 'user for the NATS servers'),
  'cluster.nats.password': setting('', optionalText, 'password for the NATS servers'),
  'cluster.nats.token': setting('', optionalText, 'token for the NATS servers'),
  'cluster.nats.replicas': setting(3, streamReplicas, 'on how many NATS servers each log is stored: 1, 3 or 5'),
  'cluster.secret': setting('', optionalText, 'what nodes of a cluster sign their requests to each other with; at least 16 characters'),
  'cluster.copies': setting(
    'everywhere',
    oneOf('everywhere', 'allocated'),
    'everywhere: every node has a copy of every index; allocated: as many nodes as index.number_of_replicas says',
  ),
  'cluster.stale_reads': setting(10_000, duration, 'how long a node that cannot reach NATS answers searches; 503 after that'),
  'cluster.snapshot.log_size': setting(
    64 << 20,
    bytes,
    'by how much the log of a shard grows before its segments are stored in JetStream, so that the log can be trimmed',
  ),
  'transport.host': setting('127.0.0.1', text, 'address on which a node of a cluster listens for the others'),
  'transport.port': setting(9300, int(0, 65535), 'port on which a node of a cluster listens for the others; 0: any free one'),
  'transport.publish_address': setting('', optionalText, 'host:port that the other nodes of a cluster use; empty: the address listened on'),
  'path.data': setting('data', text, 'folder of the data; only one process may use it'),
  'path.config': setting('config', text, 'folder of gannet.yml and of files that analyzers name'),
  'path.repo': setting<readonly string[]>([], list, 'folders in which snapshot repositories may be; empty: none'),
  'repositories.url.allowed_urls': setting<readonly string[]>(
    [],
    list,
    'http addresses from which repositories of type url may read: patterns such as https://backup.example/*',
  ),
  's3.client': setting<S3ClientSettings>(
    {},
    parseS3Clients,
    'connections of repositories of type s3, as s3.client.default.endpoint: access_key, secret_key, endpoint, region and others',
  ),
  'path.logs': setting('', optionalText, 'folder of log files; empty: errors go to stderr, nothing else is logged'),
  threads: setting(0, int(0, 256), 'number of http workers; 0: one per core, at most 8'),
  indexers: setting(0, int(0, 64), 'number of threads that write; 0: one per two http workers, at most 4'),
  'thread_pool.heavy.size': setting(
    0,
    int(0, 64),
    'number of lanes: threads that run requests too heavy for an http worker; 0: half of the cores, from 2 to 4',
  ),
  'thread_pool.heavy.queue_size': setting(1000, int(0, 1_000_000), 'heavy requests that wait for a lane; 429 beyond'),
  'thread_pool.heavy.max_run_time': setting(30_000, duration, 'heavy requests that run for longer are ended with 503; -1: never'),
  'thread_pool.heavy.heap': setting(384 * 2 ** 20, bytes, 'JavaScript heap of a lane; a request that needs more is ended with 429'),
  'memory.limit': setting(
    Math.floor(os.totalmem() / 2),
    memory,
    'memory for segments, buffers and requests: a size, or a share of the machine such as 50%',
  ),
  'memory.whole_segment_size': setting(
    4 * 2 ** 20,
    bytes,
    'smaller segments are read whole when their shard is opened; of larger ones each part is read when a request first needs it',
  ),
  'http.host': setting('127.0.0.1', text, 'address to listen on'),
  'http.port': setting(9200, int(0, 65535), 'port to listen on; 0: any free one'),
  'http.publish_address': setting('', optionalText, 'host:port that clients are told to use; empty: the address listened on'),
  'http.listener': setting<'auto' | 'uws' | 'net'>(
    'auto',
    oneOf('auto', 'uws', 'net'),
    'uws: uWebSockets; net: node:net; auto: uws if its binary loads',
  ),
  'http.max_content_length': setting(100 * 2 ** 20, bytes, 'largest request body; 413 beyond'),
  'http.max_header_size': setting(16 * 1024, bytes, 'largest request line with headers; 431 beyond'),
  'http.read_timeout': setting(30_000, duration, 'connections are closed if a request body or a response makes no progress for this long'),
  'http.min_body_rate': setting(
    1024,
    bytes,
    'request bodies that arrive more slowly, in bytes per second after 10 s, are answered with 408; 0: none',
  ),
  'http.ssl.enabled': setting(false, bool, 'serve HTTPS instead of HTTP'),
  'http.ssl.certificate': setting('', optionalText, 'PEM file of the certificate and its chain, relative to path.config'),
  'http.ssl.key': setting('', optionalText, 'PEM file of the private key'),
  'http.ssl.key_passphrase': setting('', optionalText, 'passphrase of the private key, if it is encrypted'),
  'http.ssl.certificate_authorities': setting<readonly string[]>(
    [],
    list,
    'PEM files of the authorities that sign certificates of clients',
  ),
  'http.ssl.client_authentication': setting<'none' | 'optional' | 'required'>(
    'none',
    oneOf('none', 'optional', 'required'),
    'whether clients may or must send a certificate',
  ),
  'http.ssl.supported_protocols': setting<readonly string[]>(['TLSv1.2', 'TLSv1.3'], list, 'TLSv1.2, TLSv1.3 or both'),
  'http.detailed_errors.enabled': setting(false, bool, 'show the stack of an error with error_trace=true, for debugging the service'),
  'http.compression': setting(true, bool, 'gzip responses if the client accepts it'),
  'http.compression_min_size': setting(1024, bytes, 'smallest response that is compressed'),
  'console.enabled': setting(true, bool, 'serve the console at `/_console/`, and `/` to browsers'),
  'http.cors.enabled': setting(false, bool, 'allow cross-origin requests'),
  'http.cors.allow-origin': setting<readonly string[]>([], origins, 'allowed origins: `*`, exact ones, or /regular expressions/'),
  'http.cors.allow-methods': setting<readonly string[]>(
    ['OPTIONS', 'HEAD', 'GET', 'POST', 'PUT', 'DELETE'],
    list,
    'methods that browsers may use',
  ),
  'http.cors.allow-headers': setting<readonly string[]>(
    ['X-Requested-With', 'Content-Type', 'Content-Length', 'Authorization', 'Accept', 'User-Agent', 'X-Opaque-Id'],
    list,
    'request headers that browsers may send',
  ),
  'http.cors.expose-headers': setting<readonly string[]>(['X-Elastic-Product'], list, 'response headers that scripts may read'),
  'http.cors.allow-credentials': setting(false, bool, 'let browsers send credentials'),
  'http.cors.max-age': setting(1_728_000, int(0, 2 ** 31), 'seconds for which browsers may cache a preflight response'),
  'compat.flavor': setting<Flavor>(
    'elasticsearch',
    oneOf('elasticsearch', 'opensearch'),
    'server whose answers are given where the two differ',
  ),
  'compat.version': setting(
    '',
    versionNumber,
    'version whose answers are given: 7.x, 8.x or 9.x, or 3.x of OpenSearch; empty: 8.15.0 or 3.8.0',
  ),
  'compat.product_header': setting(true, bool, 'send X-elastic-product with every response'),
  'indices.analysis.hunspell.dictionary': setting<HunspellFlags>(
    {},
    hunspellFlags,
    'ignore_case for all Hunspell dictionaries, or LOCALE.ignore_case for one',
  ),
  'log.level': setting<LogLevel>('info', oneOf(...LOG_LEVELS), 'lowest level that is logged'),
  'log.access': setting<'off' | 'combined' | 'json'>('off', oneOf('off', 'combined', 'json'), 'format of the access log in path.logs'),
  'log.slow.threshold': setting(-1, duration, 'requests that take longer go to the slow log; -1: off'),
  'otel.exporter.otlp.endpoint': setting(
    '',
    httpUrl,
    'OTLP/HTTP collector to which traces are sent, as http://127.0.0.1:4318; empty: none',
  ),
  'otel.exporter.otlp.headers': setting<readonly string[]>([], httpHeaders, 'headers for the collector: name=value, percent-encoded'),
  'otel.exporter.otlp.timeout': setting(10_000, millis, 'longest time for a request to the collector'),
  'otel.service.name': setting('gannet', text, 'name of the service in traces'),
  'otel.traces.sampler.arg': setting(1, ratio, 'share of the requests without a traceparent that are traced, 0 to 1'),
  'otel.bsp.schedule.delay': setting(5000, millis, 'longest time that a span waits to be sent'),
  'otel.bsp.max.queue.size': setting(2048, int(1, 1_000_000), 'spans of a thread that wait to be sent; further ones are dropped'),
  'security.enabled': setting(true, bool, 'false: no authentication, even if there are users, and http.host may be any address'),
  'security.audit.enabled': setting(true, bool, 'log refused requests and changes of users, roles and API keys to audit.json in path.logs'),
  'security.audit.logfile.events.include': setting<readonly AuditEvent[]>(
    DEFAULT_AUDIT_EVENTS,
    (value) => readAuditEvents(list(value)),
    'events of the audit log, or _all; access_granted and authentication_success write a line for each request',
  ),
  'security.audit.logfile.events.exclude': setting<readonly AuditEvent[]>(
    [],
    (value) => readAuditEvents(list(value)),
    'events that are not logged although they are included',
  ),
  'security.users': setting<Readonly<Record<string, unknown>>>(
    {},
    record,
    'map of user to { password_hash, roles }; empty: no authentication',
  ),
  'security.roles': setting<Readonly<Record<string, unknown>>>(
    {},
    record,
    'map of role to { cluster: [..], indices: [{ names, privileges }] }',
  ),
};

export type SettingName = keyof typeof SETTINGS;

/** The default of a setting as users write it, with the unit of sizes and durations: `384mb`; an empty string for an empty list or map. */
export function defaultText({ fallback, parse }: SettingSpec<unknown>): string {
  if (typeof fallback === 'number') {
    if (parse === bytes || parse === memory) return formatByteSize(fallback);
    if ((parse === duration || parse === millis) && fallback >= 0) return formatDuration(fallback);
  }
  if (Array.isArray(fallback)) return fallback.join(',');
  return typeof fallback === 'object' ? '' : String(fallback);
}

/** Settings by name: `settings['http.port']`. Paths are absolute. Plain data, so that threads can be sent a copy. */
export type Settings = { readonly [Name in SettingName]: (typeof SETTINGS)[Name]['fallback'] };

/** Settings that are paths, resolved against the working directory at the start. */
export const PATH_SETTINGS: readonly SettingName[] = ['path.data', 'path.config', 'path.logs', 'path.repo'];
/** Settings whose value is a map: nested YAML keys below them are not flattened. */
export const MAP_SETTINGS: readonly string[] = ['security.users', 'security.roles', 's3.client', 'indices.analysis.hunspell.dictionary'];
/** Maps whose entries may also be settings of their own: `indices.analysis.hunspell.dictionary.en_US.ignore_case`. */
export const GROUP_SETTINGS: readonly SettingName[] = ['s3.client', 'indices.analysis.hunspell.dictionary'];
