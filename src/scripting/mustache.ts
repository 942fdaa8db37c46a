// Search templates: mustache with the functions toJson, join and url. Values are escaped for JSON strings in `{{x}}` and inserted unchanged by
// `{{{x}}}`. Parsing and rendering are the package mustache; added here are Java's view of values, and limits, since templates and their
// parameters come from requests. Source: the search template page of the OpenSearch documentation.
import Mustache from 'mustache';
import { BoundedMap } from '../common/bounded-map.ts';
import { writeJson } from '../common/json/json-write.ts';
import { isJsonObject } from '../common/json/source-numbers.ts';
import { javaText } from '../common/text/java-text.ts';
import { checkTurn } from '../common/turns/turn.ts';
import { ApiError } from '../errors/api-error.ts';
import { illegalArgumentError } from '../errors/catalog.ts';

const MAX_DEPTH = 50;
/** Maximum length of the rendered text, in UTF-16 code units. */
const MAX_OUTPUT = 8 << 20;
/** As Elasticsearch's `script.max_size_in_bytes`. The parser of the package makes an array of each character. */
const MAX_SOURCE = 65_535;
/** Characters of output between two checks of the turn. */
const OUTPUT_PER_CHECK = 1 << 18;
/** Iterations of sections in one template: empty ones produce no output that could be limited. */
const MAX_ITERATIONS = 1_000_000;
/** Only short templates are cached, so that the cache stays below some 10 MB. */
const MAX_CACHED_LENGTH = 4096;
const MAX_CACHED_TEMPLATES = 200;

type Token = string[];
type SectionFunction = (text: string, render: (text: string) => string) => string;

/** @throws ApiError script_exception: a syntax error, nesting or output beyond the limits */
export function renderTemplate(source: string, params: unknown): string {
  return new TemplateWriter().render(source, new Scope(params), undefined, { escape: escapeForJson });
}

/** Parses a template without rendering it. @throws ApiError script_exception: a syntax error */
export function checkTemplate(source: string): void {
  parseTemplate(source);
}

function parseTemplate(source: string): unknown {
  const cached = cache.get(source);
  if (cached !== undefined) return cached;
  if (source.length > MAX_SOURCE)
    throw illegalArgumentError(`exceeded max allowed inline script size in bytes [${MAX_SOURCE}] with size [${source.length}] for script`);
  let tokens: unknown;
  try {
    tokens = new Mustache.Writer().parse(source);
  } catch (error) {
    throw templateError((error as Error).message, source);
  }
  checkDepth(tokens, 0);
  if (source.length <= MAX_CACHED_LENGTH) cache.set(source, tokens);
  return tokens;
}

/** Parsed templates. */
const cache = new BoundedMap<string, unknown>(MAX_CACHED_TEMPLATES);

function templateError(reason: string, source = ''): ApiError {
  return new ApiError('script_exception', 400, reason, {
    details: { script_stack: [], script: source, lang: 'mustache' },
    causedBy: new ApiError('mustache_exception', 400, reason),
  });
}

/** The fifth part of a section's token is the list of tokens inside it. */
function checkDepth(tokens: unknown, depth: number): void {
  if (!Array.isArray(tokens)) return;
  if (depth > MAX_DEPTH) throw templateError(`sections nest deeper than ${MAX_DEPTH}`);
  for (const token of tokens) checkDepth(token[4], depth + 1);
}

/** Counts the output while it is produced: nested sections over lists multiply it. */
class TemplateWriter extends Mustache.Writer {
  #length = 0;

  /** Length of the output at which the turn is checked. */
  #nextCheck = 0;

  #iterations = 0;

  override parse(template: string): unknown {
    return parseTemplate(template);
  }

  override renderTokens(...args: Parameters<Mustache.Writer['renderTokens']>): string {
    if (++this.#iterations > MAX_ITERATIONS) throw templateError(`sections run more than ${MAX_ITERATIONS} times`);
    return super.renderTokens(...args);
  }

  #count(text: string): string {
    this.#length += text.length;
    if (this.#length > MAX_OUTPUT) throw templateError(`the rendered template exceeds ${MAX_OUTPUT} characters`);
    if (this.#length >= this.#nextCheck) {
      this.#nextCheck = this.#length + OUTPUT_PER_CHECK;
      checkTurn();
    }
    return text;
  }

  override rawValue(token: Token): string {
    return this.#count(super.rawValue(token));
  }

  override unescapedValue(token: Token, context: Mustache.Context): string {
    return this.#count(stringOf(context.lookup(token[1])));
  }

  override escapedValue(token: Token, context: Mustache.Context): string {
    return this.#count(escapeForJson(context.lookup(token[1])));
  }

  // Unlike in JavaScript, the number 0 is not false.
  override renderSection(...[token, context, ...rest]: Parameters<Mustache.Writer['renderSection']>): string {
    const value: unknown = context.lookup(token[1]);
    if (typeof value === 'function') return this.#count(super.renderSection(token, context, ...rest));
    if (value !== 0) return super.renderSection(token, context, ...rest);
    // biome-ignore lint/plugin: the types of the package leave out that a section's token holds a list of tokens
    return this.renderTokens(token[4] as unknown as Token[], context.push(0), ...rest);
  }

  override renderInverted(...[token, context, ...rest]: Parameters<Mustache.Writer['renderInverted']>): string {
    return context.lookup(token[1]) === 0 ? '' : super.renderInverted(token, context, ...rest);
  }
}

/** Values by name in nested scopes: own members only, `size` of lists, and the functions. */
class Scope extends Mustache.Context {
  override push(view: unknown): Scope {
    return new Scope(view, this);
  }

  /** Resolves `a.b.0`, `a.size` or `.`, starting in the innermost scope that has the first name. */
  override lookup(name: string): unknown {
    if (name === '.') return this.view;
    const sectionFunction = functionOf(name, this);
    if (sectionFunction) return sectionFunction;
    const [first, ...rest] = name.split('.');
    for (let scope: Mustache.Context | undefined = this; scope; scope = scope.parent) {
      let value = memberOf(scope.view, first);
      if (value === undefined) continue;
      for (const part of rest) value = memberOf(value, part);
      return value;
    }
    return undefined;
  }
}

/** `toJson`, `url`, `join`, `join delimiter='...'`: sections whose content is a path, or for `url` a template. */
function functionOf(name: string, scope: Scope): SectionFunction | null {
  if (name === 'toJson') {
    return (text, render) => {
      const value = scope.lookup(render(text).trim());
      return value === undefined ? '' : writeJson(value);
    };
  }
  if (name === 'url') return (text, render) => encodeURIComponent(unescapeJson(render(text))).replace(/%20/g, '+');
  const join = /^join(?:\s+delimiter='(.*)')?$/.exec(name);
  if (!join) return null;
  return (text, render) => {
    const value = scope.lookup(render(text).trim());
    return Array.isArray(value)
      ? value.map((item) => (Array.isArray(item) ? javaText(item) : stringOf(item))).join(join[1] ?? ',')
      : stringOf(value);
  };
}

function memberOf(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return name === 'size' ? value.length : /^\d+$/.test(name) ? value[Number(name)] : undefined;
  if (!isJsonObject(value)) return undefined;
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** A list is printed as the map of its items by position that Java makes of it. */
function stringOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return javaText(Array.isArray(value) ? Object.fromEntries(value.entries()) : value);
}

/** The string form of a value as the content of a JSON string. */
function escapeForJson(value: unknown): string {
  return JSON.stringify(stringOf(value)).slice(1, -1);
}

/** Reverts escapeForJson. */
function unescapeJson(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}
