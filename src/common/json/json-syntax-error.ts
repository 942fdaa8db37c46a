// Syntax errors of JSON, with the position that Jackson would report.

/** Maximum nesting of objects and lists, as in Jackson. */
export const MAX_JSON_DEPTH = 1000;

export const SOURCE = 'Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled); byte offset: #';

/** A JSON syntax error. `kind`: `end` the text ends too early, `trailing` something follows the value, `limit` too deep, too long or too many. */
export class JsonSyntaxError extends Error {
  readonly kind: 'syntax' | 'end' | 'trailing' | 'limit';
  /** Counted from 1, in characters. */
  readonly line: number;
  readonly col: number;

  constructor(kind: JsonSyntaxError['kind'], message: string, line: number, col: number) {
    super(message);
    this.name = 'JsonSyntaxError';
    this.kind = kind;
    this.line = line;
    this.col = col;
  }
}
