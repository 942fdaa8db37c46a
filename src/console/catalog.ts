// Loads api.json once, when it is first needed.
import type { Catalog } from './catalog-types.ts';
import { serviceUrl } from './service.ts';

let loading: Promise<Catalog> | null = null;

/** @throws Error it cannot be loaded; the next call tries again */
export function loadCatalog(): Promise<Catalog> {
  loading ??= fetch(new URL('_console/api.json', serviceUrl), { credentials: 'omit' }).then((response) => {
    if (!response.ok) throw new Error(`api.json: status ${response.status}`);
    return response.json() as Promise<Catalog>;
  });
  loading.catch(() => {
    loading = null;
  });
  return loading;
}
