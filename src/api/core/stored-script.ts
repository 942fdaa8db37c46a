// Looks up stored scripts, which searches, updates and ingest pipelines refer to by id.
import type { StoredScript } from '../../scripting/script-spec.ts';
import type { EngineContext } from './context.ts';

/** The script stored under `id`, or null. */
export function storedScript({ cluster }: EngineContext, id: string): StoredScript | null {
  const script = Object.hasOwn(cluster.scripts, id) ? cluster.scripts[id] : null;
  return script && { lang: String(script['lang']), source: String(script['source']) };
}
