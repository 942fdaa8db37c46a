// Position of an error that the service found in a body: its parsers report a line and a column, both from 1.

export interface ServerError {
  readonly type: string;
  readonly reason: string;
  /** null if the error has none. */
  readonly line: number | null;
  readonly column: number | null;
}

/** `[5:13] [bool] unknown field`, `... at [Source: ...; line: 3, column: 8]`. */
const POSITIONS = [/^\[(\d+):(\d+)\]/, /line: (\d+), column: (\d+)/];

/** The error in a response, with the innermost position among its causes; null if it is not an error. */
export function serverError(json: unknown): ServerError | null {
  if (typeof json !== 'object' || json === null || !('error' in json)) return null;
  const { error } = json;
  if (typeof error === 'string') return { type: 'error', reason: error, line: null, column: null };
  if (typeof error !== 'object' || error === null) return null;
  const chain: Array<{ type?: unknown; reason?: unknown; line?: unknown; col?: unknown }> = [];
  for (let at: unknown = error; typeof at === 'object' && at !== null && chain.length < 20; at = 'caused_by' in at ? at.caused_by : null)
    chain.push(at);
  const innermost = chain.at(-1) ?? {};
  let position: readonly [number, number] | null = null;
  for (const { line, col, reason } of chain) {
    if (typeof line === 'number' && typeof col === 'number') position = [line, col];
    else if (typeof reason === 'string')
      for (const pattern of POSITIONS) {
        const match = pattern.exec(reason);
        if (match) position = [Number(match[1]), Number(match[2])];
      }
  }
  return {
    type: String(chain[0].type ?? 'error'),
    reason: String(innermost.reason ?? chain[0].reason ?? 'error'),
    line: position?.[0] ?? null,
    column: position?.[1] ?? null,
  };
}

/** Offset of a line and column, both counted from 1, in `text`; at most its length. */
export function offsetOf(text: string, line: number, column: number): number {
  let at = 0;
  for (let i = 1; i < line; i++) {
    const newline = text.indexOf('\n', at);
    if (newline < 0) return text.length;
    at = newline + 1;
  }
  return Math.min(at + column - 1, text.length);
}

/** Errors that name a part of the body: `unknown query [nonsense]`, `[range] query does not support [foo]`, `For input string: "abc"`. */
const COMPLAINTS = /(?:unknown \w+(?: \w+)?|not support|no mapping found for|for field|for|in) (?:\[([^\]]+)\]|"([^"]+)")/gi;
const NAMES = /\[([^\][]+)\]|"([^"]+)"/g;

/**
 * Offset in a JSON body of the name that an error without a position mentions.
 * @returns null if the reason mentions nothing in the body
 */
export function offsetOfName(reason: string, body: string): number | null {
  for (const pattern of [COMPLAINTS, NAMES]) {
    for (const [, bracketed, quoted] of reason.matchAll(pattern)) {
      const at = body.indexOf(JSON.stringify(bracketed ?? quoted));
      if (at >= 0) return at;
    }
  }
  return null;
}
