// JSON text: indents it without parsing, so that long numbers keep their digits, and filters it by a word.

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Indents JSON by two spaces. Empty objects and arrays, and short arrays of numbers, stay on one line. */
export function indentJson(json: string): string {
  const tokens = json.match(TOKEN) ?? [];
  const out: string[] = [];
  let depth = 0;
  const newline = (): void => {
    out.push(`\n${'  '.repeat(depth)}`);
  };
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    if (token === '{' || token === '[') {
      const flat = flatArray(tokens, i);
      if (tokens[i + 1] === (token === '{' ? '}' : ']')) {
        out.push(token, tokens[++i]);
      } else if (flat !== null) {
        out.push(`[${flat.items.join(', ')}]`);
        i = flat.end;
      } else {
        out.push(token);
        depth++;
        newline();
      }
    } else if (token === '}' || token === ']') {
      depth--;
      newline();
      out.push(token);
    } else if (token === ',') {
      out.push(token);
      newline();
    } else if (token === ':') out.push(': ');
    else out.push(token);
  }
  return out.join('');
}

const MAX_FLAT = 16;

/** The items of an array of few numbers that starts at a token; null for any other. */
function flatArray(tokens: readonly string[], start: number): { items: string[]; end: number } | null {
  if (tokens[start] !== '[') return null;
  const items: string[] = [];
  for (let i = start + 1; i < tokens.length && items.length < MAX_FLAT; i += 2) {
    if (!/^-?\d/.test(tokens[i])) return null;
    items.push(tokens[i]);
    if (tokens[i + 1] === ']') return { items, end: i + 1 };
  }
  return null;
}

/** Keeps the parts of a value whose names or leaves contain a word, ignoring case; undefined if none does. */
export function filterJson(value: unknown, word: string): unknown {
  const wanted = word.toLowerCase();
  const keep = (part: unknown): unknown => {
    if (Array.isArray(part)) {
      const kept = part.map(keep).filter((item) => item !== undefined);
      return kept.length > 0 ? kept : undefined;
    }
    if (typeof part === 'object' && part !== null) {
      const kept = Object.entries(part)
        .map(([name, inner]): [string, unknown] => [name, name.toLowerCase().includes(wanted) ? inner : keep(inner)])
        .filter(([, inner]) => inner !== undefined);
      return kept.length > 0 ? Object.fromEntries(kept) : undefined;
    }
    return String(part).toLowerCase().includes(wanted) ? part : undefined;
  };
  return keep(value);
}
