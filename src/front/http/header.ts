/** Header fields in order of arrival, with names as sent and in lower case. */
export interface HeaderField {
  name: string;
  lname: string;
  value: string;
}

const lowerCache = new Map<string, string>();

/** Lower case of a header name; the common ones are remembered. */
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

/** All values of a name joined, undefined if there is none. */
export function joinHeader(fields: readonly HeaderField[], lname: string, separator = ', '): string | undefined {
  let found: string | undefined;
  for (const field of fields) if (field.lname === lname) found = found === undefined ? field.value : found + separator + field.value;
  return found;
}

export type HeaderVerdict = 'ok' | 'ignored' | 'invalid';

const NAME_REFUSED = /[\x00-\x20\x7f]/;
const NAME_PLAIN = /^[A-Za-z0-9-]+$/;
const NAME_UNDERSCORE = /^[A-Za-z0-9_-]+$/;

/**
 * One header line without its line end.
 * @returns the field; 'invalid': the request is refused; 'ignored': a name outside the plain set while those are ignored
 */
export function parseHeaderLine(line: string, underscores: boolean, ignoreInvalid: boolean): HeaderField | 'ignored' | 'invalid' {
  const colon = line.indexOf(':');
  const name = colon < 0 ? line : line.slice(0, colon);
  if (name === '' || NAME_REFUSED.test(name)) return 'invalid';
  let start = colon < 0 ? line.length : colon + 1;
  let end = line.length;
  while (start < end && line.charCodeAt(start) === 32) start++;
  while (end > start && line.charCodeAt(end - 1) === 32) end--;
  const value = line.slice(start, end);
  if (value.includes('\0') || value.includes('\r')) return 'invalid';
  if (ignoreInvalid && !(underscores ? NAME_UNDERSCORE : NAME_PLAIN).test(name)) return 'ignored';
  return { name, lname: lowerName(name), value };
}
