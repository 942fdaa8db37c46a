// Routes such as `#/discover?index=books`. Pages are chosen by the fragment, so that one HTML file serves all pages below any path prefix.
import { Cell } from '../cell.ts';

export interface Address {
  readonly page: string;
  readonly params: Readonly<Record<string, string>>;
}

function parseAddress(hash: string): Address {
  const [path, query] = hash.replace(/^#\/?/, '').split('?', 2);
  return { page: decodeURIComponent(path), params: Object.fromEntries(new URLSearchParams(query ?? '')) };
}

export function addressHash(page: string, params: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(params).toString();
  return `#/${page}${query === '' ? '' : `?${query}`}`;
}

export const address = new Cell<Address>(parseAddress(location.hash));

addEventListener('hashchange', () => address.set(parseAddress(location.hash)));

/** Opens a page, with an entry in the browser's history. */
export function go(page: string, params: Readonly<Record<string, string>> = {}): void {
  location.hash = addressHash(page, params);
}

/** Changes the parameters of this page without an entry in the browser's history. */
export function replaceParams(params: Readonly<Record<string, string>>): void {
  const hash = addressHash(address.value.page, params);
  if (hash === location.hash) return;
  history.replaceState(null, '', hash);
  address.set(parseAddress(hash));
}
