// Processors that identify and hide: fingerprint, redact, uri_parts.

import { createHash } from 'node:crypto';
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { isJsonObject } from '../../common/json/source-numbers.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { Grok } from '../../scripting/extraction/grok.ts';
import { fieldText } from './parse.ts';
import type { ProcessorFactory } from './processor.ts';

// --------------------------------------------------------------------------------------------------------- fingerprint

const METHODS: Readonly<Record<string, string>> = { MD5: 'md5', 'SHA-1': 'sha1', 'SHA-256': 'sha256', 'SHA-512': 'sha512' };

/** The value as bytes that no other value has: with its type and length, members of objects in the order of their names. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length}:${value.map(canonical).join('')}`;
  if (isJsonObject(value)) {
    const names = Object.keys(value).sort();
    return `{${names.length}:${names.map((name) => canonical(name) + canonical(value[name])).join('')}`;
  }
  const text = String(value);
  return `${(value === null ? 'null' : typeof value)[0]}${text.length}:${text}`;
}

const fingerprint: ProcessorFactory = (config) => {
  const fields = config.texts('fields').sort();
  if (fields.length === 0) throw config.error('fields', 'must specify at least one field');
  const target = config.text('target_field', 'fingerprint');
  const salt = config.text('salt', '');
  const method = config.text('method', 'SHA-1');
  if (!Object.hasOwn(METHODS, method))
    throw config.error('method', `[${method}] must be one of the supported hash methods [${Object.keys(METHODS).join(', ')}]`);
  const ignoreMissing = config.boolean('ignore_missing');
  return (document) => {
    const present = fields.filter((field) => document.has(field) && document.get(field) !== null);
    if (present.length < fields.length && !ignoreMissing) {
      const [missing] = fields.filter((field) => !present.includes(field));
      throw illegalArgumentError(`missing field [${missing}] when calculating fingerprint`);
    }
    if (present.length === 0) return;
    const hash = createHash(METHODS[method]).update(salt);
    for (const field of present) hash.update(canonical(field)).update(canonical(document.get(field)));
    document.set(target, hash.digest('base64'));
  };
};

// -------------------------------------------------------------------------------------------------------------- redact

const redact: ProcessorFactory = (config) => {
  const field = config.text('field');
  const sources = config.texts('patterns');
  if (sources.length === 0) throw config.error('patterns', 'List of patterns must not be empty');
  const definitions: Record<string, string> = {};
  for (const [name, source] of Object.entries(config.optionalObject('pattern_definitions') ?? {}))
    setOwn(definitions, name, String(source));
  const prefix = config.text('prefix', '<');
  const suffix = config.text('suffix', '>');
  const ignoreMissing = config.boolean('ignore_missing', true);
  config.boolean('skip_if_unlicensed');
  const tracesRedact = config.boolean('trace_redact');
  const expressions = sources.map((source) => {
    try {
      return new Grok(source, definitions);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw config.error('patterns', `Invalid regex pattern found in: [${sources.join(', ')}]. ${error.reason}`);
    }
  });
  return (document) => {
    const text = fieldText(document, field, ignoreMissing, 'redact');
    if (text === null) return;
    const spans = expressions.flatMap((expression) => expression.spans(text));
    document.set(
      field,
      replaced(text, spans, (name) => `${prefix}${name}${suffix}`),
    );
    if (tracesRedact && spans.length > 0) document.ingest._redact = { _is_redacted: true };
  };
};

interface Span {
  readonly start: number;
  readonly end: number;
  readonly field: string;
}

/** The text with each span replaced. Spans that overlap become one, with the name of the longest of them. */
function replaced(text: string, spans: readonly Span[], nameOf: (field: string) => string): string {
  let out = '';
  let at = 0;
  const sorted = [...spans].sort((a, b) => a.start - b.start || b.end - a.end);
  for (let i = 0; i < sorted.length; ) {
    let [longest, { end }] = [sorted[i], sorted[i]];
    const { start } = longest;
    for (i++; i < sorted.length && sorted[i].start < end; i++) {
      if (sorted[i].end - sorted[i].start > longest.end - longest.start) longest = sorted[i];
      end = Math.max(end, sorted[i].end);
    }
    out += text.slice(at, start) + nameOf(longest.field);
    at = end;
  }
  return out + text.slice(at);
}

// ----------------------------------------------------------------------------------------------------------- uri_parts

/** RFC 3986, appendix B, with the authority in its parts. */
const URI =
  /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/(?:([^@/?#]*)@)?(\[[0-9A-Fa-f:.]+\]|[^:/?#]*)(?::(\d*))?)?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/;

/** The parts of a URI that it has. @throws ApiError illegal_argument_exception: a character that no URI contains */
function partsOf(text: string): MutableJsonObject {
  const match = /[\s<>"{}|\\^`]|%(?![0-9A-Fa-f]{2})/.test(text) ? null : URI.exec(text);
  if (match === null) throw illegalArgumentError(`unable to parse URI [${text}]`);
  const [, scheme, userInfo, domain, port, path, query, fragment] = match;
  const parts: MutableJsonObject = {};
  if (domain) parts.domain = domain;
  if (fragment !== undefined) parts.fragment = fragment;
  if (path !== undefined) parts.path = path;
  const file = path.slice(path.lastIndexOf('/') + 1);
  if (file.includes('.')) parts.extension = file.slice(file.lastIndexOf('.') + 1);
  if (port) parts.port = Number(port);
  if (query !== undefined) parts.query = query;
  if (scheme !== undefined) parts.scheme = scheme;
  if (userInfo) {
    parts.user_info = userInfo;
    const colon = userInfo.indexOf(':');
    if (colon >= 0) Object.assign(parts, { username: userInfo.slice(0, colon), password: userInfo.slice(colon + 1) });
  }
  return parts;
}

const uriParts: ProcessorFactory = (config) => {
  const field = config.text('field');
  const target = config.text('target_field', 'url');
  const keepsOriginal = config.boolean('keep_original', true);
  const removes = config.boolean('remove_if_successful');
  const ignoreMissing = config.boolean('ignore_missing');
  return (document) => {
    const text = fieldText(document, field, ignoreMissing, 'process it');
    if (text === null) return;
    const parts = { ...partsOf(text), ...(keepsOriginal ? { original: text } : {}) };
    if (removes && target !== field) document.remove(field);
    document.set(target, parts);
  };
};

export const MASK_PROCESSORS: Readonly<Record<string, ProcessorFactory>> = { fingerprint, redact, uri_parts: uriParts };
