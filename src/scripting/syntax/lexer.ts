// Splits a script into lexemes.

export interface Lexeme {
  /** `error`: characters that do not form a lexeme; the parser reports them when it reaches them. */
  kind: 'number' | 'string' | 'regex' | 'name' | 'operator' | 'error' | 'end';
  text: string;
  /** Offset in the source. */
  at: number;
}

export const KEYWORDS: ReadonlySet<string> = new Set([
  ...['if', 'else', 'for', 'while', 'do', 'return', 'break', 'continue', 'throw', 'try', 'catch', 'new', 'in', 'instanceof', 'this'],
  ...['true', 'false', 'null'],
]);

/** A longer operator precedes those that are its prefix. */
const OPERATORS = [
  ...['>>>=', '===', '!==', '<<=', '>>=', '>>>', '==~', '?:', '?.', '=~', '==', '!=', '<=', '>=', '&&', '||', '++', '--', '+=', '-=', '*='],
  ...[
    '/=',
    '%=',
    '&=',
    '|=',
    '^=',
    '->',
    '::',
    '<<',
    '>>',
    '+',
    '-',
    '*',
    '/',
    '%',
    '<',
    '>',
    '!',
    '~',
    '&',
    '|',
    '^',
    '?',
    ':',
    '=',
    '(',
    ')',
  ],
  ...['[', ']', '{', '}', ',', '.', ';', '$'],
];
const BLANK = /(?:\s+|\/\/[^\n\r]*|\/\*[\s\S]*?\*\/)+/y;
const NUMBER =
  /0[xX][0-9a-fA-F]+[lL]?|0[0-7]+[lL]?|(?:0|[1-9][0-9]*)(?:(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)[fFdD]?|\.[0-9]+[fFdD]?|[lLfFdD]?)/y;
/** After a dot. */
const INDEX = /0|[1-9][0-9]*/y;
const NAME = /[_a-zA-Z][_a-zA-Z0-9]*/y;
const STRING = /'(?:\\['\\]|[^\\'])*'|"(?:\\["\\]|[^\\"])*"/y;
const REGEX = /\/(?:\\[^\n]|[^/\n\\])+\/[cilmsUux]*/y;
/** The start of a string up to the character that makes it invalid. */
const BROKEN_STRING = /'(?:\\['\\]|[^\\'])*\\?[\s\S]?|"(?:\\["\\]|[^\\"])*\\?[\s\S]?/y;

function match(pattern: RegExp, source: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0] ?? null;
}

/** True if a slash after this lexeme divides. */
function endsValue(last: Lexeme | undefined): boolean {
  if (!last) return false;
  return (
    last.kind === 'number' ||
    (last.kind === 'name' && !KEYWORDS.has(last.text)) ||
    last.text === ')' ||
    last.text === ']' ||
    last.text === '}'
  );
}

export function lex(source: string): Lexeme[] {
  const out: Lexeme[] = [];
  let at = 0;
  while (at < source.length) {
    const blank = match(BLANK, source, at);
    if (blank && !isDot(out.at(-1))) {
      at += blank.length;
      continue;
    }
    const lexeme = lexemeAt(source, at, out.at(-1));
    out.push(lexeme);
    if (lexeme.kind === 'error') break;
    at += lexeme.text.length;
  }
  out.push({ kind: 'end', text: '<EOF>', at: source.length });
  return out;
}

const isDot = (last: Lexeme | undefined): boolean => last?.kind === 'operator' && (last.text === '.' || last.text === '?.');

function lexemeAt(source: string, at: number, last: Lexeme | undefined): Lexeme {
  const afterDot = isDot(last);
  if (afterDot && !/[_a-zA-Z0-9]/.test(source[at])) return { kind: 'error', text: source[at], at };
  const number = match(afterDot ? INDEX : NUMBER, source, at);
  if (number) return { kind: 'number', text: number, at };
  const name = match(NAME, source, at);
  if (name) return { kind: 'name', text: name, at };
  const string = match(STRING, source, at);
  if (string) return { kind: 'string', text: string, at };
  if (source[at] === '/' && !endsValue(last)) {
    const regex = match(REGEX, source, at);
    return regex ? { kind: 'regex', text: regex, at } : { kind: 'error', text: source.slice(at).split('\n')[0], at };
  }
  const operator = OPERATORS.find((text) => source.startsWith(text, at));
  if (operator) return { kind: 'operator', text: operator, at };
  return { kind: 'error', text: match(BROKEN_STRING, source, at) ?? source[at], at };
}
