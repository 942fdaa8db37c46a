// Cookies of a request.
import type { HeaderField } from '../../../http/wire/header.ts';

/** Value of a request cookie; names are compared without case. */
export function findCookie(fields: readonly HeaderField[], name: string): string | null {
  const wanted = name.toLowerCase();
  for (const field of fields) {
    if (field.lname !== 'cookie') continue;
    for (const part of field.value.split(';')) {
      const eq = part.indexOf('=');
      if (eq >= 0 && part.slice(0, eq).trim().toLowerCase() === wanted) return part.slice(eq + 1).trim();
    }
  }
  return null;
}
