// The dialect of a node, in a module of its own so that a start does not load analyzers and mappings.
import { type Dialect, dialectOf } from '../../compat/dialect.ts';
import type { NodeOptions } from '../threads/node-options.ts';

export function dialectOfNode({ settings }: NodeOptions): Dialect {
  return dialectOf(settings['compat.flavor'], settings['compat.version']);
}
