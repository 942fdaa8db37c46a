// Context of the cursor in a JSON body: the names that lead to it, and whether a name or a value is expected. Read from the text before the cursor, which
// need not be valid.

export interface BodyContext {
  /** Names of objects, and `*` for arrays, from the outermost. The last name of a value at the cursor is included. */
  readonly path: readonly string[];
  readonly at: 'key' | 'value';
  /** Names in the object that precede the cursor. */
  readonly siblings: readonly string[];
  /** Start of the word at the cursor, with its quote; the cursor if there is none. */
  readonly from: number;
  /** The word before the cursor, without its quote. */
  readonly word: string;
  readonly isQuoted: boolean;
}

interface Level {
  readonly isObject: boolean;
  key: string | null;
  readonly keys: string[];
  isValue: boolean;
}

/** @param before  the body up to the cursor. @returns null between the values of NDJSON */
export function bodyContext(before: string): BodyContext | null {
  const levels: Level[] = [];
  let from = before.length;
  let word = '';
  let isQuoted = false;
  for (let at = 0; at < before.length; ) {
    const char = before[at];
    const top = levels.at(-1);
    from = before.length;
    word = '';
    isQuoted = false;
    if (char === '"') {
      const isRaw = before.startsWith('"""', at);
      const end = isRaw ? before.indexOf('"""', at + 3) : closingQuote(before, at);
      if (end < 0) {
        if (isRaw) return null;
        from = at;
        word = before.slice(at + 1);
        isQuoted = true;
        break;
      }
      if (top?.isObject && !top.isValue) top.key = isRaw ? '' : unquoted(before.slice(at, end + 1));
      at = end + (isRaw ? 3 : 1);
    } else if (char === '{' || char === '[') {
      levels.push({ isObject: char === '{', key: null, keys: [], isValue: char === '[' });
      at++;
    } else if (char === '}' || char === ']') {
      levels.pop();
      at++;
    } else if (char === ':') {
      if (top) top.isValue = true;
      at++;
    } else if (char === ',') {
      if (top?.isObject) {
        if (top.key !== null) top.keys.push(top.key);
        top.key = null;
        top.isValue = false;
      }
      at++;
    } else if (/[\w.+-]/.test(char)) {
      const end = at + (/^[\w.+-]+/.exec(before.slice(at))?.[0].length ?? 1);
      if (end === before.length) {
        from = at;
        word = before.slice(at);
      }
      at = end;
    } else at++;
  }
  const top = levels.at(-1);
  if (!top) return null;
  const path = levels.slice(0, -1).map(({ isObject, key }) => (isObject ? (key ?? '') : '*'));
  if (!top.isObject) return { path: [...path, '*'], at: 'value', siblings: [], from, word, isQuoted };
  if (top.isValue) return { path: [...path, top.key ?? ''], at: 'value', siblings: top.keys, from, word, isQuoted };
  return { path, at: 'key', siblings: top.keys, from, word, isQuoted };
}

/** -1 if the string is not closed on its line. */
function closingQuote(text: string, at: number): number {
  for (let i = at + 1; i < text.length && text[i] !== '\n'; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"') return i;
  }
  return -1;
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}
