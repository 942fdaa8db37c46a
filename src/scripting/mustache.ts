// Search templates: mustache with the functions toJson, join and url. Values are escaped for JSON strings in `{{x}}` and inserted unchanged by
// `{{{x}}}`. Parsing and rendering are the package mustache; what differs here are Java's view of values, and limits, since templates and their
// parameters come from requests. Source: the search template page of the OpenSearch documentation.
import Mustache from 'mustache';
import { BoundedMap } from '../common/bounded-map.ts';
import { javaText } from '../common/java-text.ts';
import { writeJson } from '../common/json-write.ts';
import { ApiError } from '../errors/api-error.ts';

const MAX_DEPTH = 50;
/** Maximum length of the rendered text, in UTF-16 code units. */
const MAX_OUTPUT = 8 << 20;
const MAX_CACHED_TEMPLATES = 200;

type Token = string[];
type SectionFunction = (text: string, render: (text: string) => string) => string;

/** @throws ApiError general_script_exception: a syntax error, nesting or output beyond the limits */
export function renderTemplate(source: string, params: unknown): string {
  checkTemplate(source);
  return new TemplateWriter().render(source, new Scope(params), undefined, { escape: escapeForJson });
}

/** Parses a template without rendering it. @throws ApiError general_script_exception: a syntax error */
export function checkTemplate(source: string): void {
  if (cache.get(source) !== undefined) return;
  let tokens: unknown;
  try {
    tokens = new Mustache.Writer().parse(source);
  } catch (error) {
    throw templateError((error as Error).message);
  }
  if (depthOf(tokens) > MAX_DEPTH) throw templateError(`sections nest deeper than ${MAX_DEPTH}`);
  cache.set(source, tokens);
}

/** Parsed templates. */
const cache = new BoundedMap<string, unknown>(MAX_CACHED_TEMPLATES);

function templateError(reason: string): ApiError {
  return new ApiError('general_script_exception', 400, `Failed to compile inline script: ${reason}`);
}

/** Depth of the sections: the fifth part of a section's token is the list of tokens inside it. */
function depthOf(tokens: unknown): number {
  if (!Array.isArray(tokens)) return 0;
  return tokens.reduce<number>((depth, token) => Math.max(depth, 1 + depthOf(token[4])), 0);
}

/** Counts the output while it is produced: nested sections over lists multiply it. */
class TemplateWriter extends Mustache.Writer {
  #length = 0;

  override parse(template: string): unknown {
    return cache.get(template) ?? super.parse(template);
  }

  #count(text: string): string {
    this.#length += text.length;
    if (this.#length > MAX_OUTPUT) throw templateError(`the rendered template exceeds ${MAX_OUTPUT} characters`);
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
    if (context.lookup(token[1]) !== 0) return super.renderSection(token, context, ...rest);
    // The types of the package leave out that a section's token holds a list of tokens.
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
    return Array.isArray(value) ? value.map(stringOf).join(join[1] ?? ',') : stringOf(value);
  };
}

function memberOf(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return name === 'size' ? value.length : /^\d+$/.test(name) ? value[Number(name)] : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}

function stringOf(value: unknown): string {
  return value === undefined || value === null ? '' : javaText(value);
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
