// Splits a script into lexemes, and makes the errors that point at a place in it.
import { ApiError } from '../errors/api-error.ts';

export interface Lexeme {
  kind: 'number' | 'string' | 'name' | 'operator' | 'end';
  text: string;
  /** Offset in the source. */
  at: number;
}

/** A longer operator precedes those that are its prefix. */
const OPERATORS = [
  '>>>=',
  '===',
  '!==',
  '<<=',
  '>>=',
  '>>>',
  '?:',
  '?.',
  '==~',
  '=~',
  '==',
  '!=',
  '<=',
  '>=',
  '&&',
  '||',
  '++',
  '--',
  '+=',
  '-=',
  '*=',
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
  '[',
  ']',
  '{',
  '}',
  ',',
  '.',
  ';',
];

/** A compile error with its place, worded as Elasticsearch words it. */
export function scriptError(source: string, at: number, reason: string): ApiError {
  const start = Math.max(0, at - 25);
  const end = Math.min(source.length, at + 25);
  const stack = [
    `${start > 0 ? '... ' : ''}${source.slice(start, end)}${end < source.length ? ' ...' : ''}`,
    `${' '.repeat(at - start + (start > 0 ? 4 : 0))}^---- HERE`,
  ];
  return new ApiError('script_exception', 400, 'compile error', {
    details: { script_stack: stack, script: source, lang: 'painless', position: { offset: at, start, end } },
    causedBy: new ApiError('illegal_argument_exception', 400, reason),
  });
}

/** @throws ApiError script_exception: a character or literal that Painless does not have */
export function lex(source: string): Lexeme[] {
  const out: Lexeme[] = [];
  let at = 0;
  while (at < source.length) {
    const rest = source.slice(at);
    const blank = /^(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)/.exec(rest);
    if (blank) {
      at += blank[0].length;
      continue;
    }
    const number = /^(?:0[xX][0-9a-fA-F]+[lL]?|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?[lLfFdD]?)/.exec(rest);
    const name = /^[_$A-Za-z][_$A-Za-z0-9]*/.exec(rest);
    const string = /^(?:'(?:[^'\\\n]|\\['\\n])*'|"(?:[^"\\\n]|\\["\\n])*")/.exec(rest);
    const operator = OPERATORS.find((op) => rest.startsWith(op));
    const found: [Lexeme['kind'], string] | null = number
      ? ['number', number[0]]
      : name
        ? ['name', name[0]]
        : string
          ? ['string', string[0]]
          : operator
            ? ['operator', operator]
            : null;
    if (!found) throw scriptError(source, at, `unexpected character [${source[at]}].`);
    out.push({ kind: found[0], text: found[1], at });
    at += found[1].length;
  }
  out.push({ kind: 'end', text: '', at });
  return out;
}
