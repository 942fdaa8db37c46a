// Name and password in the value of an Authorization field.

/** @returns null unless the value is of the Basic scheme with valid base64 and a name; both in latin1 */
export function basicCredentials(value: string | null): { user: string; password: string } | null {
  const coded = value === null ? null : /^basic +([A-Za-z0-9+/]+)(?:=|$)/i.exec(value);
  if (!coded || coded[1].length % 4 === 1) return null;
  const decoded = Buffer.from(coded[1], 'base64').latin1Slice();
  const colon = decoded.indexOf(':');
  return colon <= 0 ? null : { user: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}
