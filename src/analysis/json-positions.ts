/** A place in a JSON text, both counted from 1; `col` counts UTF-16 units. */
export interface JsonPlace {
  line: number;
  col: number;
}

/**
 * Where the value at a path stands in a JSON text that parses, and where its key does (the value itself in arrays). The last of
 * repeated keys is found, as parsers take it. Used for error texts only, so it scans from the start.
 */
export function valuePositions(json: string, path: readonly (string | number)[]): { key: JsonPlace; value: JsonPlace } {
  let at = 0;
  let found = { key: 0, value: 0 };
  const blank = (): void => {
    while (/\s/.test(json[at] ?? '')) at++;
  };
  const string = (): string => {
    const from = at++;
    while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
    return JSON.parse(json.slice(from, ++at));
  };
  const value = (depth: number, matches: boolean, keyAt: number): void => {
    blank();
    if (matches && depth === path.length) found = { key: keyAt, value: at };
    const open = json[at];
    if (open === '"') {
      string();
      return;
    }
    if (open !== '{' && open !== '[') {
      while (at < json.length && !/[\s,\]}]/.test(json[at])) at++;
      return;
    }
    const close = open === '{' ? '}' : ']';
    at++;
    blank();
    for (let i = 0; json[at] !== close && at < json.length; i++) {
      blank();
      const memberAt = at;
      let name: string | number = i;
      if (open === '{') {
        name = string();
        blank();
        at++;
      }
      value(depth + 1, matches && path[depth] === name, memberAt);
      blank();
      if (json[at] === ',') at++;
      blank();
    }
    at++;
  };
  value(0, true, 0);
  return { key: placeOf(json, found.key), value: placeOf(json, found.value) };
}

function placeOf(json: string, offset: number): JsonPlace {
  const before = json.slice(0, offset);
  const line = before.split('\n').length;
  return { line, col: offset - before.lastIndexOf('\n') };
}
