// The package `gannet`: the engine inside a Node program, with the operations and request bodies of the REST API and without a socket.
//   import { open } from 'gannet';
//   const engine = await open({ path: './data' });
import { loadSettings } from './config/load-settings.ts';
import { Engine } from './library/engine.ts';
import type { OpenOptions } from './library/types.ts';
import { openNode } from './node/open-node.ts';

export type { IndexTarget } from './api/core/index-names.ts';
export { ApiError } from './errors/api-error.ts';
export { Engine } from './library/engine.ts';
export type * from './library/types.ts';

/** Opens the data folder and recovers its indices. @throws ApiError the folder is in use or corrupt; SettingError a wrong setting, by name */
export async function open(options: OpenOptions): Promise<Engine> {
  const settings = loadSettings({ flags: { threads: 1, ...options.settings, 'path.data': options.path }, file: null });
  return new Engine(await openNode(settings));
}
