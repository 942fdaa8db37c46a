// Media types of requests and responses, including vendor types such as `application/vnd.elasticsearch+json; compatible-with=8`.
import { getOwn } from './own-property.ts';

export type BodyFormat = 'json' | 'ndjson' | 'yaml' | 'msgpack' | 'cbor' | 'smile' | 'text';

export interface MediaType {
  readonly format: BodyFormat;
  /** The Content-Type of the response. */
  readonly answer: string;
}

const PLAIN: Readonly<Record<string, MediaType>> = {
  'application/json': { format: 'json', answer: 'application/json' },
  'text/json': { format: 'json', answer: 'application/json' },
  'application/x-ndjson': { format: 'ndjson', answer: 'application/json' },
  'application/ndjson': { format: 'ndjson', answer: 'application/json' },
  'application/yaml': { format: 'yaml', answer: 'application/yaml' },
  'application/x-yaml': { format: 'yaml', answer: 'application/yaml' },
  'text/yaml': { format: 'yaml', answer: 'application/yaml' },
  'application/cbor': { format: 'cbor', answer: 'application/cbor' },
  'application/smile': { format: 'smile', answer: 'application/smile' },
  'application/x-jackson-smile': { format: 'smile', answer: 'application/smile' },
  'application/msgpack': { format: 'msgpack', answer: 'application/msgpack' },
  'application/x-msgpack': { format: 'msgpack', answer: 'application/msgpack' },
  'application/vnd.msgpack': { format: 'msgpack', answer: 'application/msgpack' },
};
const VENDOR = /^application\/vnd\.(elasticsearch|opensearch)\+(json|x-ndjson|yaml|msgpack|cbor|smile)$/;
const COMPATIBLE_VERSIONS = new Set(['7', '8', '9']);

/** Parses one media type with parameters, case-insensitively; null if the service does not support it. */
export function parseMediaType(text: string): MediaType | null {
  const [name, ...parameters] = text.toLowerCase().split(';');
  const type = name.trim();
  const plain = getOwn(PLAIN, type);
  if (plain) return plain;
  const vendor = VENDOR.exec(type);
  if (!vendor) return null;
  const version = parameters
    .map((parameter) => /^\s*compatible-with\s*=\s*"?(\w+)"?\s*$/.exec(parameter)?.[1])
    .find((found) => found !== undefined);
  if (version !== undefined && !COMPATIBLE_VERSIONS.has(version)) return null;
  const format = vendor[2] === 'x-ndjson' ? 'ndjson' : (vendor[2] as BodyFormat);
  const suffix = format === 'ndjson' ? 'json' : vendor[2];
  return { format, answer: `application/vnd.${vendor[1]}+${suffix}${version === undefined ? '' : `;compatible-with=${version}`}` };
}

export const JSON_TYPE = PLAIN['application/json'];
export const TEXT_TYPE: MediaType = { format: 'text', answer: 'text/plain; charset=UTF-8' };

/** Formats whose values follow each other without line feeds. */
export const isBinary = (format: BodyFormat | null): boolean => format === 'msgpack' || format === 'cbor' || format === 'smile';

/** The format named by the `format` parameter: json, yaml, msgpack, cbor, smile, txt or text. */
export function mediaTypeOfFormat(name: string): MediaType | null {
  const format = name.toLowerCase();
  if (format === 'text' || format === 'txt' || format === 'text/plain') return TEXT_TYPE;
  return getOwn(PLAIN, `application/${format}`) ?? parseMediaType(format);
}

/**
 * Chooses the media type of the response from an Accept header; wildcards yield `preferred`. Text types other than YAML and JSON yield `text` if
 * the API has a text form, else `preferred`, because browsers and old clients accept text everywhere.
 * @returns null if nothing in the header can be served
 */
export function negotiate(accept: string, preferred: MediaType): MediaType | null {
  let best: MediaType | null = null;
  let bestQuality = 0;
  for (const item of accept.split(',')) {
    const quality = Number(/;\s*q\s*=\s*([0-9.]+)/i.exec(item)?.[1] ?? 1);
    if (!(quality > bestQuality)) continue;
    const type = parseMediaType(item.replace(/;\s*q\s*=\s*[0-9.]+/i, '')) ?? wildcard(item.split(';')[0].trim().toLowerCase(), preferred);
    if (!type) continue;
    best = type;
    bestQuality = quality;
  }
  return best;
}

function wildcard(type: string, preferred: MediaType): MediaType | null {
  if (type === '*/*' || type === 'application/*' || type === '*') return preferred;
  return type.startsWith('text/') ? TEXT_TYPE : null;
}
