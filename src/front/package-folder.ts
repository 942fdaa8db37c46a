// Locates files of the package: the sources, dist/front and the bundle are at different depths below its folder.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The nearest folder above this module that contains `stock`. */
function findPackage(): string {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(folder, 'stock', 'conf')) && path.dirname(folder) !== folder) folder = path.dirname(folder);
  return folder;
}

/** Path of a file of the package. @param name  such as `stock/conf` */
export const packageFile = (name: string): string => path.join(findPackage(), name);
