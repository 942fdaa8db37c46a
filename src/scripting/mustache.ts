// Mustache templates of searches: variables, sections, inverted sections, and the functions toJson, join and url. Values are escaped for JSON
// strings in `{{x}}` and inserted unchanged by `{{{x}}}`. Source: mustache(5), and the search template page of the OpenSearch documentation.
import { writeJson } from '../common/json-write.ts';
import { ApiError } from '../errors/api-error.ts';

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly path: string; readonly isRaw: boolean }
  | { readonly kind: 'section'; readonly path: string; readonly isInverted: boolean; readonly parts: readonly Part[] }
  | { readonly kind: 'function'; readonly name: string; readonly delimiter: string; readonly parts: readonly Part[] };

const TAG = /\{\{\{([^}]*)\}\}\}|\{\{([#^/&!]?)([^}]*)\}\}/g;
const MAX_DEPTH = 50;
const MAX_OUTPUT = 8 << 20;

/** @throws ApiError general_script_exception: an unclosed section, too much output */
export function renderTemplate(source: string, params: unknown): string {
  const out = new Output();
  write(parse(source), [params], out);
  return out.text;
}

/** Parses a template without rendering it. @throws ApiError general_script_exception: a syntax error */
export function checkTemplate(source: string): void {
  parse(source);
}

class Output {
  text = '';

  add(text: string): void {
    this.text += text;
    if (this.text.length > MAX_OUTPUT) throw failure(`the rendered template exceeds ${MAX_OUTPUT} characters`);
  }
}

function failure(reason: string): ApiError {
  return new ApiError('general_script_exception', 400, `Failed to compile inline script: ${reason}`);
}

function parse(source: string): Part[] {
  TAG.lastIndex = 0;
  const root: Part[] = [];
  const open: Array<{ tag: string; into: Part[] }> = [];
  let into = root;
  let at = 0;
  for (const match of source.matchAll(TAG)) {
    if (match.index > at) into.push({ kind: 'text', text: source.slice(at, match.index) });
    at = match.index + match[0].length;
    const [, raw, sign, name] = match;
    const tag = (raw ?? name).trim();
    if (raw !== undefined || sign === '&') into.push({ kind: 'value', path: tag, isRaw: true });
    else if (sign === '') into.push({ kind: 'value', path: tag, isRaw: false });
    else if (sign === '#' || sign === '^') {
      if (open.length === MAX_DEPTH) throw failure(`sections nest deeper than ${MAX_DEPTH}`);
      const parts: Part[] = [];
      into.push(sectionOf(tag, sign === '^', parts));
      open.push({ tag, into });
      into = parts;
    } else if (sign === '/') {
      const last = open.pop();
      if (!last || last.tag !== tag) throw failure(`Mismatched start/end tags: ${last?.tag ?? 'none'} != ${tag}`);
      into = last.into;
    }
  }
  if (open.length > 0) throw failure(`Failed to close '${open[open.length - 1].tag}' tag`);
  if (at < source.length) into.push({ kind: 'text', text: source.slice(at) });
  return root;
}

function sectionOf(tag: string, isInverted: boolean, parts: readonly Part[]): Part {
  const join = /^join(?:\s+delimiter='(.*)')?$/.exec(tag);
  if (join && !isInverted) return { kind: 'function', name: 'join', delimiter: join[1] ?? ',', parts };
  if (!isInverted && (tag === 'toJson' || tag === 'url')) return { kind: 'function', name: tag, delimiter: '', parts };
  return { kind: 'section', path: tag, isInverted, parts };
}

function write(parts: readonly Part[], scopes: readonly unknown[], out: Output): void {
  for (const part of parts) {
    switch (part.kind) {
      case 'text':
        out.add(part.text);
        break;
      case 'value': {
        const text = textOf(lookUp(part.path, scopes));
        out.add(part.isRaw ? text : JSON.stringify(text).slice(1, -1));
        break;
      }
      case 'section':
        writeSection(part, scopes, out);
        break;
      case 'function':
        out.add(callFunction(part, scopes));
        break;
    }
  }
}

function writeSection({ path, isInverted, parts }: Extract<Part, { kind: 'section' }>, scopes: readonly unknown[], out: Output): void {
  const value = lookUp(path, scopes);
  const isEmpty = value === undefined || value === null || value === false || value === '' || (Array.isArray(value) && value.length === 0);
  if (isInverted) {
    if (isEmpty) write(parts, scopes, out);
  } else if (Array.isArray(value)) for (const item of value) write(parts, [...scopes, item], out);
  else if (!isEmpty) write(parts, typeof value === 'object' ? [...scopes, value] : scopes, out);
}

function callFunction({ name, delimiter, parts }: Extract<Part, { kind: 'function' }>, scopes: readonly unknown[]): string {
  const inner = new Output();
  write(parts, scopes, inner);
  if (name === 'url') return encodeURIComponent(unescape(inner.text)).replace(/%20/g, '+');
  const value = lookUp(inner.text.trim(), scopes);
  if (name === 'toJson') return value === undefined ? '' : writeJson(value);
  return Array.isArray(value) ? value.map(textOf).join(delimiter) : textOf(value);
}

/** Reverts the escaping for JSON strings. */
function unescape(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}

/** Resolves `a.b.0`, `a.size` or `.`, starting in the innermost scope that has the first name. */
function lookUp(path: string, scopes: readonly unknown[]): unknown {
  if (path === '.') return scopes[scopes.length - 1];
  const [first, ...rest] = path.split('.');
  for (let i = scopes.length - 1; i >= 0; i--) {
    let value = memberOf(scopes[i], first);
    if (value === undefined) continue;
    for (const name of rest) value = memberOf(value, name);
    return value;
  }
  return undefined;
}

function memberOf(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return name === 'size' ? value.length : /^\d+$/.test(name) ? value[Number(name)] : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}

/** String form of a value, as Java prints it. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return `[${value.map(textOf).join(', ')}]`;
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([key, item]) => `${key}=${textOf(item)}`)
      .join(', ')}}`;
  return String(value);
}
