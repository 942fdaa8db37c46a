// Lucene's classic query syntax as a tree: fields, boosts, ranges, fuzzy terms, proximity, wildcards, regular expressions, groups, AND OR
// NOT + - && || !. Strings stay escaped where rewriting must distinguish an escaped character from an operator; `unescapeText` unescapes them.
// Source: grammar of org.apache.lucene.queryparser.classic.QueryParser (Apache Lucene), used as a description and written anew.
import { ApiError } from '../../errors/api-error.ts';

export type Conjunction = 'none' | 'and' | 'or';
export type Modifier = 'none' | 'not' | 'required';

/** A sequence of clauses. `words`: several consecutive bare words, analyzed as one string. */
export interface SyntaxQuery {
  readonly kind: 'query';
  readonly items: ReadonlyArray<
    | { readonly words: true; readonly text: string }
    | { readonly words: false; readonly conjunction: Conjunction; readonly modifier: Modifier; readonly clause: SyntaxNode }
  >;
  /** A syntax error. It is reported when a shard rewrites the query. */
  readonly error?: ApiError;
}

export type SyntaxNode = (
  | SyntaxQuery
  /** The unescaped word. */
  | { readonly kind: 'word'; readonly text: string }
  /** `fuzziness` is null for `word~`. */
  | { readonly kind: 'fuzzy'; readonly text: string; readonly fuzziness: string | null }
  /** The unescaped prefix, without the asterisk. */
  | { readonly kind: 'prefix'; readonly text: string }
  /** The pattern, still escaped. */
  | { readonly kind: 'wildcard'; readonly pattern: string }
  | { readonly kind: 'regexp'; readonly pattern: string }
  /** `slop` is null for the default. */
  | { readonly kind: 'phrase'; readonly text: string; readonly slop: number | null }
  | {
      readonly kind: 'range';
      readonly from: string | null;
      readonly to: string | null;
      readonly includeFrom: boolean;
      readonly includeTo: boolean;
    }
) & {
  /** The field before the colon, null for the default fields. */
  readonly field?: string | null;
  /** null if none is given. */
  readonly boost?: number | null;
};

type TokenKind =
  | 'EOF'
  | 'AND'
  | 'OR'
  | 'NOT'
  | '+'
  | '-'
  | 'BAREOPER'
  | '('
  | ')'
  | ':'
  | '*'
  | '^'
  | 'QUOTED'
  | 'TERM'
  | 'FUZZY_SLOP'
  | 'PREFIXTERM'
  | 'WILDTERM'
  | 'REGEXPTERM'
  | 'RANGEIN_START'
  | 'RANGEEX_START'
  | 'NUMBER'
  | 'TO'
  | 'RANGEIN_END'
  | 'RANGEEX_END'
  | 'RANGE_QUOTED'
  | 'RANGE_GOOP';

interface Token {
  readonly kind: TokenKind;
  image: string;
  readonly at: number;
}

/** Largest depth of nested parentheses. */
const MAX_DEPTH = 100;
const MAX_CLAUSES = 10_000;

const START = String.raw`(?:[^ \t\n\r\u3000+\-!():^\[\]"{}~*?\\/]|\\[\s\S])`;
const CHAR = String.raw`(?:[^ \t\n\r\u3000+\-!():^\[\]"{}~*?\\/]|\\[\s\S]|[-+])`;
// The longest match wins; among matches of equal length, the first in the list.
const DEFAULT_TOKENS: ReadonlyArray<readonly [TokenKind, RegExp]> = [
  ['AND', /AND|&&/y],
  ['OR', /OR|\|\|/y],
  ['NOT', /NOT|!/y],
  ['+', /\+/y],
  ['-', /-/y],
  ['BAREOPER', /[-+!][ \t\n\r\u3000]/y],
  ['(', /\(/y],
  [')', /\)/y],
  [':', /:/y],
  ['*', /\*/y],
  ['^', /\^/y],
  ['QUOTED', /"(?:[^"\\]|\\[\s\S])*"/y],
  ['TERM', new RegExp(`${START}${CHAR}*`, 'y')],
  ['FUZZY_SLOP', new RegExp(String.raw`~(?:\d+(?:\.\d+)?${CHAR}*|${CHAR}*)`, 'y')],
  ['PREFIXTERM', new RegExp(String.raw`\*|${START}${CHAR}*\*`, 'y')],
  ['WILDTERM', new RegExp(`(?:${START}|[*?])(?:${CHAR}|[*?])*`, 'y')],
  ['REGEXPTERM', /\/(?:\\\/|[^/])*\//y],
  ['RANGEIN_START', /\[/y],
  ['RANGEEX_START', /\{/y],
];
const RANGE_TOKENS: ReadonlyArray<readonly [TokenKind, RegExp]> = [
  ['TO', /TO/y],
  ['RANGEIN_END', /\]/y],
  ['RANGEEX_END', /\}/y],
  ['RANGE_QUOTED', /"(?:\\"|[^"])+"/y],
  ['RANGE_GOOP', /[^ \]}]+/y],
];
const BOOST_TOKENS: ReadonlyArray<readonly [TokenKind, RegExp]> = [['NUMBER', /\d+(?:\.\d+)?/y]];

/** The cause of a syntax error; rewriting wraps it in an error that quotes the query. */
function syntaxError(message: string): ApiError {
  return new ApiError('parse_exception', 400, message);
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let mode: 'default' | 'range' | 'boost' = 'default';
  let at = 0;
  while (at < text.length) {
    if (mode !== 'boost' && /[ \t\n\r\u3000]/.test(text[at])) {
      at++;
      continue;
    }
    let best: Token | null = null;
    for (const [kind, pattern] of mode === 'default' ? DEFAULT_TOKENS : mode === 'range' ? RANGE_TOKENS : BOOST_TOKENS) {
      pattern.lastIndex = at;
      const match = pattern.exec(text);
      if (match && match[0].length > (best?.image.length ?? 0)) best = { kind, image: match[0], at };
    }
    if (!best) {
      throw new ApiError('token_mgr_error', 400, `Lexical error at line 1, column ${at + 1}.  Encountered: ${lexicalRest(text, at)}`);
    }
    tokens.push(best);
    at += best.image.length;
    if (best.kind === 'RANGEIN_START' || best.kind === 'RANGEEX_START') mode = 'range';
    else if (best.kind === '^') mode = 'boost';
    else if (mode === 'boost' || best.kind === 'RANGEIN_END' || best.kind === 'RANGEEX_END') mode = 'default';
  }
  tokens.push({ kind: 'EOF', image: '<EOF>', at: text.length });
  return tokens;
}

function lexicalRest(text: string, at: number): string {
  return text[at] === '"' || text[at] === '/' ? `<EOF> after prefix "${text.slice(at)}"` : `'${text[at]}' (${text.charCodeAt(at)})`;
}

/** @throws ApiError parse_exception: syntax error */
export function parseQueryStringSyntax(text: string): SyntaxQuery {
  return new SyntaxParser(tokenize(text)).parseRoot();
}

class SyntaxParser {
  readonly #tokens: readonly Token[];
  #next = 0;
  #clauses = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parseRoot(): SyntaxQuery {
    if (this.#peek() === 'EOF') return { kind: 'query', items: [] };
    const query = this.#query(0);
    this.#expect('EOF');
    return query;
  }

  #peek(ahead = 0): TokenKind {
    return this.#tokens[Math.min(this.#next + ahead, this.#tokens.length - 1)].kind;
  }

  #take(): Token {
    return this.#tokens[this.#next++];
  }

  #expect(kind: TokenKind): Token {
    if (this.#peek() !== kind) this.#fail();
    return this.#take();
  }

  #fail(): never {
    const token = this.#tokens[Math.min(this.#next, this.#tokens.length - 1)];
    const what = token.kind === 'EOF' ? '"<EOF>"' : ` <${token.kind}> "${token.image} "`;
    throw syntaxError(`Encountered ${what} at line 1, column ${token.at}.`);
  }

  #query(depth: number): SyntaxQuery {
    if (depth > MAX_DEPTH) throw syntaxError(`more than ${MAX_DEPTH} nested groups`);
    const items: Array<SyntaxQuery['items'][number]> = [];
    for (let first = true; first || this.#continues(); first = false) {
      if (++this.#clauses > MAX_CLAUSES) throw syntaxError('too many boolean clauses');
      if (this.#isWords()) {
        let text = this.#take().image;
        while (this.#isFollowingWord()) text += ` ${this.#take().image}`;
        items.push({ words: true, text: unescapeText(text) });
        continue;
      }
      let conjunction: Conjunction = 'none';
      if (!first && (this.#peek() === 'AND' || this.#peek() === 'OR')) conjunction = this.#take().kind === 'AND' ? 'and' : 'or';
      let modifier: Modifier = 'none';
      if (this.#peek() === '+' || this.#peek() === '-' || this.#peek() === 'NOT') modifier = this.#take().kind === '+' ? 'required' : 'not';
      items.push({ words: false, conjunction, modifier, clause: this.#clause(depth) });
    }
    return { kind: 'query', items };
  }

  #continues(): boolean {
    const kind = this.#peek();
    return kind !== 'EOF' && kind !== ')';
  }

  /** Two or more bare words, none of them followed by an operator that binds to it. */
  #isWords(): boolean {
    return this.#peek() === 'TERM' && this.#peek(1) === 'TERM' && !BINDS.has(this.#peek(2));
  }

  #isFollowingWord(): boolean {
    return this.#peek() === 'TERM' && !BINDS.has(this.#peek(1));
  }

  #clause(depth: number): SyntaxNode {
    let field: string | null = null;
    if (this.#peek(1) === ':' && (this.#peek() === 'TERM' || this.#peek() === '*')) {
      const token = this.#take();
      field = token.kind === '*' ? '*' : unescapeText(token.image);
      this.#take();
    }
    if (this.#peek() === '(') {
      this.#take();
      const query = this.#query(depth + 1);
      this.#expect(')');
      return { ...query, field, boost: this.#boost() };
    }
    return this.#term(field);
  }

  #boost(): number | null {
    if (this.#peek() !== '^') return null;
    this.#take();
    return Number(this.#expect('NUMBER').image);
  }

  #term(field: string | null): SyntaxNode {
    const token = this.#take();
    switch (token.kind) {
      case 'RANGEIN_START':
      case 'RANGEEX_START':
        return this.#range(field, token.kind === 'RANGEIN_START');
      case 'QUOTED': {
        const [suffix, boost] = this.#suffixes();
        const slop = suffix === null ? Number.NaN : Number.parseFloat(suffix);
        const text = unescapeText(token.image.slice(1, -1));
        return { kind: 'phrase', text, slop: Number.isNaN(slop) ? null : Math.trunc(slop), field, boost };
      }
      case 'TERM':
      case '*':
      case 'PREFIXTERM':
      case 'WILDTERM':
      case 'REGEXPTERM':
      case 'NUMBER':
      case 'BAREOPER':
        break;
      default:
        this.#next--;
        this.#fail();
    }
    const [suffix, boost] = this.#suffixes();
    if (token.kind === '*' || token.kind === 'WILDTERM') return { kind: 'wildcard', pattern: token.image, field, boost };
    if (token.kind === 'PREFIXTERM') return { kind: 'prefix', text: unescapeText(token.image.slice(0, -1)), field, boost };
    if (token.kind === 'REGEXPTERM') return { kind: 'regexp', pattern: token.image.slice(1, -1), field, boost };
    const text = unescapeText(token.kind === 'BAREOPER' ? token.image[0] : token.image);
    if (suffix !== null) return { kind: 'fuzzy', text, fuzziness: suffix === '' ? null : suffix, field, boost };
    return { kind: 'word', text, field, boost };
  }

  /** `~2^3` or `^3~2`: the string after the tilde (null if there is none) and the boost. */
  #suffixes(): [string | null, number | null] {
    let boost = this.#boost();
    const suffix = this.#peek() === 'FUZZY_SLOP' ? this.#take().image.slice(1) : null;
    if (boost === null) boost = this.#boost();
    return [suffix, boost];
  }

  #range(field: string | null, includeFrom: boolean): SyntaxNode {
    const from = this.#rangeEnd();
    this.#expect('TO');
    const to = this.#rangeEnd();
    if (this.#peek() !== 'RANGEIN_END' && this.#peek() !== 'RANGEEX_END') this.#fail();
    const includeTo = this.#take().kind === 'RANGEIN_END';
    return { kind: 'range', from, to, includeFrom, includeTo, field, boost: this.#boost() };
  }

  #rangeEnd(): string | null {
    const kind = this.#peek();
    if (kind !== 'RANGE_GOOP' && kind !== 'RANGE_QUOTED' && kind !== 'TO') this.#fail();
    const { image } = this.#take();
    if (kind === 'RANGE_QUOTED') return unescapeText(image.slice(1, -1));
    return image === '*' ? null : unescapeText(image);
  }
}

/** Operators that end a sequence of words, because they bind to the last word only. */
const BINDS = new Set<TokenKind>([':', '*', 'FUZZY_SLOP', '^', 'AND', 'OR']);

/** Removes the escapes; `\u0041` is a code unit. @throws ApiError parse_exception */
function unescapeText(text: string): string {
  if (!text.includes('\\')) return text;
  let result = '';
  for (let i = 0; i < text.length; i++) {
    if (text[i] !== '\\') {
      result += text[i];
      continue;
    }
    if (++i >= text.length) throw syntaxError('Term can not end with escape character.');
    if (text[i] !== 'u') {
      result += text[i];
      continue;
    }
    const hex = text.slice(i + 1, i + 5);
    if (hex.length < 4) throw syntaxError('Truncated unicode escape sequence.');
    if (!/^[0-9a-fA-F]{4}$/.test(hex)) throw syntaxError('Non-hex character in Unicode escape sequence');
    result += String.fromCharCode(Number.parseInt(hex, 16));
    i += 4;
  }
  return result;
}

/** Escapes every operator character of a string. */
export function escapeQueryString(text: string): string {
  return text.replace(/[\\+\-!():^[\]"{}~*?|&/]/g, '\\$&');
}
