// Cookies of a request.
import type { HeaderField } from '../../../http/wire/header.ts';

/** Value of a request cookie; names are compared without case. Spaces may surround the equals sign. */
export function findCookie(fields: readonly HeaderField[], name: string): string | null {
  for (const field of fields) {
    if (field.lname !== 'cookie') continue;
    for (const part of field.value.split(';')) {
      const value = valueOf(part.replace(/^ +/, ''), name);
      if (value !== null) return value;
    }
  }
  return null;
}

/** Value in the first part of a Set-Cookie field, null if it sets another cookie. */
export const setCookieValue = (field: string, name: string): string | null => valueOf(field.split(';', 1)[0], name);

function valueOf(pair: string, name: string): string | null {
  if (pair.slice(0, name.length).toLowerCase() !== name.toLowerCase()) return null;
  return /^ *= *(.*)$/s.exec(pair.slice(name.length))?.[1] ?? null;
}
