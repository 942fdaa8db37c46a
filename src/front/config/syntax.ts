// The grammar of nginx.conf: string -> tree of directives, with `include` expanded.
//   name arg arg ;        name arg { children }        # comment to the end of the line
// Files are read as latin1, so every byte is preserved; quoting and escapes are nginx's (ngx_conf_read_token).
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { packageFile } from '../package-folder.ts';
import { systemError } from '../system-error.ts';

/** One directive. `line` is the line of its closing `;` or `{`, as nginx reports it. */
export interface DirectiveNode {
  name: string;
  args: string[];
  file: string;
  line: number;
  /** undefined if closed by `;` */
  children?: DirectiveNode[];
  /** line of the closing `}` */
  endLine?: number;
}

/** A configuration error. `message` is in nginx's words, followed by ` in FILE:LINE` if the place is known. */
export class ConfigError extends Error {}

/** A name that is not a directive in this context; master.ts finds out whether it is one in another. */
export class UnknownDirectiveError extends ConfigError {
  constructor(readonly node: DirectiveNode) {
    super(`unknown directive "${node.name}" in ${node.file}:${node.line}`);
  }
}

/** Ends the parsing of a configuration whose errors were reported to a `Review`. */
export class ReviewedError extends ConfigError {}

/** Receives all errors of a configuration; without it, parsing stops at the first one. */
export interface Review {
  error(error: ConfigError): void;
  warn(message: string): void;
}

/** Runs `step`; with a review, its error is reported and parsing continues. @returns whether the step succeeded */
export function reviewed(review: Pick<Review, 'error'> | null, step: () => void): boolean {
  if (!review) {
    step();
    return true;
  }
  try {
    step();
    return true;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    review.error(error);
    return false;
  }
}

export function failAt(node: { file: string; line: number }, message: string): never {
  throw new ConfigError(`${message} in ${node.file}:${node.line}`);
}

interface ParsedConfig {
  nodes: DirectiveNode[];
  /** Each file once, in the order of reading; `-T` prints them. */
  files: { path: string; text: string }[];
}

const MAX_INCLUDE_DEPTH = 64;

/** Files shipped with the server: included by name if neither the prefix nor /etc/nginx has them. */
const stockFolder = (): string => packageFile('stock/conf');
const STOCK_FILES = /^(?:\/etc\/nginx\/)?(mime\.types|(?:fastcgi|uwsgi|scgi)_params|fastcgi\.conf|koi-utf|koi-win|win-utf)$/;

/**
 * Parses `file` and the files it includes. `globals` is the argument of `-g`, parsed first.
 * @param prefix  folder that relative includes are resolved against (that of the main file)
 * @throws ConfigError with file and line
 */
export function parseConfig(file: string, prefix: string, globals = ''): ParsedConfig {
  const files: ParsedConfig['files'] = [];
  const nodes: DirectiveNode[] = [];
  if (globals) nodes.push(...new Reader(globals, 'command line', prefix, files, 0).readAll());
  nodes.push(...readFile(file, prefix, files, 0, null));
  return { nodes, files };
}

function readFile(
  file: string,
  prefix: string,
  files: ParsedConfig['files'],
  depth: number,
  from: { file: string; line: number } | null,
): DirectiveNode[] {
  let text: string;
  try {
    text = readFileSync(file, 'latin1');
  } catch (error) {
    const message = `open() "${file}" failed (${systemError(error)})`;
    if (from) failAt(from, message);
    throw new ConfigError(message);
  }
  if (!files.some((f) => f.path === file)) files.push({ path: file, text });
  return new Reader(text, file, prefix, files, depth).readAll();
}

/** Expands `*`, `?` and `[...]` in any component of a path, sorted; a pattern without wildcards is returned unchanged. */
export function expandGlob(pattern: string): string[] {
  if (!/[*?[]/.test(pattern)) return [pattern];
  let found = [pattern.startsWith('/') ? '/' : '.'];
  for (const part of pattern.split('/').filter(Boolean)) {
    const next: string[] = [];
    for (const dir of found) {
      if (!/[*?[]/.test(part)) {
        next.push(path.join(dir, part));
        continue;
      }
      const body = part
        .replace(/[.+^${}()|\\]/g, '\\$&')
        .replace(/\*/g, '[^/]*')
        .replace(/\?/g, '[^/]')
        .replace(/\[!/g, '[^');
      const wanted = new RegExp(`^${body}$`);
      let names: string[] = [];
      try {
        names = readdirSync(dir);
      } catch {
        // An unreadable folder matches nothing, as in glob(3).
      }
      for (const name of names.sort()) {
        if (wanted.test(name) && (!name.startsWith('.') || part.startsWith('.'))) next.push(path.join(dir, name));
      }
    }
    found = next;
  }
  return found;
}

enum Ch {
  TAB = 9,
  LF = 10,
  CR = 13,
  SPACE = 32,
  QUOTE = 34,
  HASH = 35,
  DOLLAR = 36,
  APOS = 39,
  RPAREN = 41,
  SEMI = 59,
  BACKSLASH = 92,
  LBRACE = 123,
  RBRACE = 125,
}

const isSpace = (c: number) => c === Ch.SPACE || c === Ch.TAB || c === Ch.CR || c === Ch.LF;

class Reader {
  #pos = 0;
  #line = 1;

  readonly #file: string;
  readonly #prefix: string;
  readonly #files: ParsedConfig['files'];
  readonly #depth: number;

  readonly #text: string;

  constructor(text: string, file: string, prefix: string, files: ParsedConfig['files'], depth: number) {
    this.#text = text;
    this.#file = file;
    this.#prefix = prefix;
    this.#files = files;
    this.#depth = depth;
  }

  readAll(): DirectiveNode[] {
    return this.#readBlock(false);
  }

  #fail(message: string): never {
    if (this.#file === 'command line') throw new ConfigError(`${message} in command line`);
    failAt(this.#at(), message);
  }

  #at(): { file: string; line: number } {
    return { file: this.#file, line: this.#line };
  }

  /** Reads directives up to `}` (`inBlock`) or the end of the file. */
  #readBlock(inBlock: boolean): DirectiveNode[] {
    const nodes: DirectiveNode[] = [];
    for (;;) {
      const words: string[] = [];
      const end = this.#readWords(words);
      if (end === 'eof') {
        if (inBlock) this.#fail('unexpected end of file, expecting "}"');
        return nodes;
      }
      if (end === '}') {
        if (!inBlock) this.#fail('unexpected "}"');
        return nodes;
      }
      const node: DirectiveNode = { name: words[0], args: words.slice(1), ...this.#at() };
      if (end === '{') {
        // What follows is Lua, which this grammar cannot read.
        if (node.name.endsWith('_by_lua_block')) this.#fail(`"${node.name}": Lua (use js_import) is not supported by this server`);
        node.children = this.#readBlock(true);
        node.endLine = this.#line;
      } else if (node.name === 'include' && node.args.length === 1) {
        nodes.push(...this.#include(node));
        continue;
      }
      nodes.push(node);
    }
  }

  #include(node: DirectiveNode): DirectiveNode[] {
    if (this.#depth >= MAX_INCLUDE_DEPTH) failAt(node, 'too many nested includes');
    const stock = STOCK_FILES.exec(node.args[0])?.[1];
    const own = path.resolve(this.#prefix, node.args[0]);
    const target = stock !== undefined && !existsSync(own) ? path.join(stockFolder(), stock) : own;
    return expandGlob(target).flatMap((file) => readFile(file, this.#prefix, this.#files, this.#depth + 1, node));
  }

  /** Reads the words of one directive. @returns the character that ended it */
  #readWords(words: string[]): ';' | '{' | '}' | 'eof' {
    const text = this.#text;
    for (;;) {
      const c = text.charCodeAt(this.#pos);
      if (Number.isNaN(c)) {
        if (words.length > 0) this.#fail('unexpected end of file, expecting ";" or "}"');
        return 'eof';
      }
      if (c === Ch.LF) this.#line++;
      if (isSpace(c)) {
        this.#pos++;
      } else if (c === Ch.HASH) {
        const eol = text.indexOf('\n', this.#pos);
        this.#pos = eol < 0 ? text.length : eol;
      } else if (c === Ch.SEMI || c === Ch.LBRACE) {
        if (words.length === 0) this.#fail(`unexpected "${text[this.#pos]}"`);
        this.#pos++;
        return c === Ch.SEMI ? ';' : '{';
      } else if (c === Ch.RBRACE) {
        if (words.length > 0) this.#fail('unexpected "}"');
        this.#pos++;
        return '}';
      } else {
        words.push(c === Ch.QUOTE || c === Ch.APOS ? this.#readQuoted(c) : this.#readBare());
      }
    }
  }

  #readQuoted(quote: number): string {
    const text = this.#text;
    const startLine = this.#line;
    const start = ++this.#pos;
    for (;;) {
      const c = text.charCodeAt(this.#pos);
      if (Number.isNaN(c)) {
        this.#line = startLine;
        this.#fail('unexpected end of file, expecting ";" or "}"');
      }
      if (c === Ch.LF) this.#line++;
      if (c === Ch.BACKSLASH) {
        this.#pos += 2;
        continue;
      }
      if (c === quote) break;
      this.#pos++;
    }
    const word = unescape(text.slice(start, this.#pos));
    const next = text.charCodeAt(++this.#pos);
    if (Number.isNaN(next) || isSpace(next) || next === Ch.SEMI || next === Ch.LBRACE || next === Ch.RPAREN) return word;
    this.#fail(`unexpected "${text[this.#pos]}"`);
  }

  #readBare(): string {
    const text = this.#text;
    const start = this.#pos;
    for (;;) {
      const c = text.charCodeAt(this.#pos);
      if (Number.isNaN(c) || isSpace(c) || c === Ch.SEMI || c === Ch.LBRACE) break;
      if (c === Ch.BACKSLASH) {
        this.#pos += 2;
      } else if (c === Ch.DOLLAR && text.charCodeAt(this.#pos + 1) === Ch.LBRACE) {
        this.#pos += 2;
      } else {
        this.#pos++;
      }
    }
    this.#pos = Math.min(this.#pos, text.length);
    return unescape(text.slice(start, this.#pos));
  }
}

/** Removes the backslash of `\"`, `\'` and `\\`, turns `\t`, `\r` and `\n` into control characters, and preserves other backslashes. */
function unescape(word: string): string {
  if (!word.includes('\\')) return word;
  return word.replace(/\\(["'\\trn])/g, (_, c: string) => (c === 't' ? '\t' : c === 'r' ? '\r' : c === 'n' ? '\n' : c));
}
