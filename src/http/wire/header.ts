// Header fields of HTTP/1.x: parsing, lookup, and a cache of recent lines.

/** A field, with its name as sent and in lower case. */
export interface HeaderField {
  name: string;
  lname: string;
  value: string;
}

const lowerCache = new Map<string, string>();

/** Lower case of a header name; common names are cached. */
export function lowerName(name: string): string {
  let lname = lowerCache.get(name);
  if (lname === undefined) {
    lname = name.toLowerCase();
    if (lowerCache.size < 1000) lowerCache.set(name, lname);
  }
  return lname;
}

export function findHeader(fields: readonly HeaderField[], lname: string): HeaderField | undefined {
  for (const field of fields) if (field.lname === lname) return field;
  return undefined;
}

/** All values of a name joined; undefined if there is none. */
export function joinHeader(fields: readonly HeaderField[], lname: string, separator = ', '): string | undefined {
  let found: string | undefined;
  for (const field of fields) if (field.lname === lname) found = found === undefined ? field.value : found + separator + field.value;
  return found;
}

/** Classes of characters in field names. */
const [PLAIN, UNDERSCORE, ODD, REFUSED] = [0, 1, 2, 3];
const NAME_CLASS = Uint8Array.from({ length: 256 }, (_, c) => {
  if (c <= 32 || c === 127) return REFUSED;
  if (c === 95) return UNDERSCORE;
  return /[A-Za-z0-9-]/.test(String.fromCharCode(c)) ? PLAIN : ODD;
});

/**
 * Parses one header line without its line end.
 * @returns the field; 'invalid': the request is refused; 'ignored': an unusual name, and `ignoreInvalid` is set
 */
export function parseHeaderLine(line: string, underscores: boolean, ignoreInvalid: boolean): HeaderField | 'ignored' | 'invalid' {
  let colon = 0;
  let oddest = PLAIN;
  for (; colon < line.length; colon++) {
    const c = line.charCodeAt(colon);
    if (c === 58) break;
    if (NAME_CLASS[c] > oddest) oddest = NAME_CLASS[c];
  }
  if (colon === 0 || oddest === REFUSED) return 'invalid';
  let start = colon + 1;
  let end = line.length;
  while (start < end && line.charCodeAt(start) === 32) start++;
  while (end > start && line.charCodeAt(end - 1) === 32) end--;
  for (let n = start; n < end; n++) {
    const c = line.charCodeAt(n);
    if (c === 0 || c === 13) return 'invalid';
  }
  if (ignoreInvalid && oddest > (underscores ? UNDERSCORE : PLAIN)) return 'ignored';
  const name = line.slice(0, colon);
  return { name, lname: lowerName(name), value: line.slice(start, end) };
}

/** Control characters other than tabs (RFC 9110, 5.5), or no colon. */
const UNUSUAL_LINE = /[\x00-\x08\x0a-\x1f\x7f]|^[^:]*$/;

const MEMO_SLOTS = 512;
/** lengths of lines that are cached */
const MEMO_MIN = 3;
const MEMO_LINE = 160;
const memoLines: string[] = new Array(MEMO_SLOTS).fill('');
const memoFields: (HeaderField | undefined)[] = new Array(MEMO_SLOTS).fill(undefined);

function memoSlot(text: string, start: number, end: number): number {
  const middle = text.charCodeAt(start + ((end - start) >> 1));
  return (
    ((end - start) * 37 + text.charCodeAt(start) * 5 + middle * 11 + text.charCodeAt(end - 1) * 3 + text.charCodeAt(end - 3)) &
    (MEMO_SLOTS - 1)
  );
}

/**
 * The field of a recently parsed line: clients and back ends repeat the same lines. The field is shared and must not be changed.
 * @param start  the line is text[start, end)
 */
export function recallField(text: string, start: number, end: number): HeaderField | undefined {
  if (end - start > MEMO_LINE || end - start < MEMO_MIN) return undefined;
  const slot = memoSlot(text, start, end);
  const line = memoLines[slot];
  return line.length === end - start && text.startsWith(line, start) ? memoFields[slot] : undefined;
}

/** Parses and caches a line that every server would accept; undefined if its name or value is unusual. */
export function learnField(line: string): HeaderField | undefined {
  if (UNUSUAL_LINE.test(line)) return undefined;
  const short = line.length <= MEMO_LINE && line.length >= MEMO_MIN;
  // a copy: a slice would keep the whole string alive that it was cut from
  const own = short ? Buffer.from(line, 'latin1').latin1Slice() : line;
  const field = parseHeaderLine(own, false, true);
  if (typeof field === 'string') return undefined;
  if (short) {
    const slot = memoSlot(own, 0, own.length);
    memoLines[slot] = own;
    memoFields[slot] = field;
  }
  return field;
}
