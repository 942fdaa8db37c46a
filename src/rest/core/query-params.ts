// Parses the query of a URL: names and values are percent-decoded, `+` is a space, and the last of equal names wins.
import { setOwn } from '../../common/json/own-property.ts';

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({});

/** @throws URIError a name or value is not percent-encoded UTF-8 */
export function parseQueryParams(query: string): Readonly<Record<string, string>> {
  if (query === '') return NO_PARAMS;
  const params: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const part of query.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = decode(equals < 0 ? part : part.slice(0, equals));
    setOwn(params, name, equals < 0 ? '' : decode(part.slice(equals + 1)));
  }
  return params;
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  return spaced.includes('%') ? decodeURIComponent(spaced) : spaced;
}
