// Gives the WebAssembly Perl read-only access to the system's files.

import { File } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { MemoryFileSystem } from '@6over3/zeroperl-ts';

type Node = NonNullable<ReturnType<MemoryFileSystem['lookup']>>;
type Folder = Parameters<MemoryFileSystem['resolve']>[0];
type FileNode = ReturnType<MemoryFileSystem['createFileIn']>;

/** Larger files are not read: the whole file is copied. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** @param report  receives a message for each attempt to write */
export function readOnlyFiles(Base: typeof MemoryFileSystem, report: (message: string) => void): MemoryFileSystem {
  /** paths of the folders that were looked up, since names are resolved from a folder */
  const paths = new WeakMap<object, string>();

  const read = (name: string): Node | null => {
    try {
      const stat = statSync(name);
      if (stat.isDirectory()) {
        const folder: Node = { type: 'dir', entries: {} };
        paths.set(folder, name);
        return folder;
      }
      if (!stat.isFile() || stat.size > MAX_FILE_BYTES) return null;
      // Writing to a Blob fails with EINVAL, whereas the content of a plain file could be replaced.
      return { type: 'file', content: new File([readFileSync(name)], name, { lastModified: Math.floor(stat.mtimeMs) }) };
    } catch {
      return null;
    }
  };

  class ReadOnlyFiles extends Base {
    override lookup(name: string): Node | null {
      return name === '/' || name.startsWith('/dev/') ? super.lookup(name) : read(name);
    }
    override resolve(folder: Folder, name: string): Node | null {
      return super.resolve(folder, name) ?? read(path.resolve(paths.get(folder) ?? '/', name));
    }
    override createFileIn(folder: Folder, name: string): FileNode {
      report(
        `the WebAssembly Perl cannot write files, such as "${path.resolve(paths.get(folder) ?? '/', name)}": "perl_engine" selects another perl`,
      );
      return { type: 'file', content: new File([], name) };
    }
  }
  return new ReadOnlyFiles({ '/': '' });
}
