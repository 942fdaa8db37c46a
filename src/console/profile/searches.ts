// The searches of the profile page, read from its sheets. Independent of the page's components.
import { parseSheet, readBody } from '../requests/sheet.ts';

export interface ProfiledSearch {
  /** `/books/_search` */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A sheet does not contain a search. */
export class SheetError extends Error {}

/** The first request of a sheet. @throws SheetError it is not a search, or its body is not an object */
export function searchOf(sheet: string, name: string): ProfiledSearch {
  const [request] = parseSheet(sheet);
  if (request === undefined) throw new SheetError(`${name} has no request: it must begin like [POST books/_search]`);
  const path = `/${request.path.replace(/^\/+/, '')}`;
  if (!/(?:^|\/)_search$/.test(path.split('?')[0]))
    throw new SheetError(`${name} is not a search: [${request.path}] must end with [_search]`);
  const { text } = readBody(sheet, request.bodyFrom, Math.max(request.to, request.bodyFrom));
  let body: unknown;
  try {
    body = text.trim() === '' ? {} : JSON.parse(text);
  } catch (error) {
    throw new SheetError(`The body of ${name} is not valid JSON: ${(error as Error).message}`);
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new SheetError(`The body of ${name} must be an object`);
  const { profile: _, ...search } = body as Record<string, unknown>;
  return { path, body: search };
}
