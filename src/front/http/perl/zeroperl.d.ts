// The part of @6over3/zeroperl-ts that is used here. Its own declarations import without file extensions, so they do not resolve.
declare module '@6over3/zeroperl-ts' {
  interface DirectoryNode {
    readonly type: 'dir';
    entries: Record<string, FsNode>;
  }
  interface FileNode {
    readonly type: 'file';
    content: Uint8Array | Blob;
  }
  interface DeviceNode {
    readonly type: 'character';
  }
  type FsNode = DirectoryNode | FileNode | DeviceNode;

  export class MemoryFileSystem {
    constructor(preopens?: Record<string, string>);
    lookup(path: string): FsNode | null;
    resolve(folder: DirectoryNode, relativePath: string): FsNode | null;
    createFileIn(folder: DirectoryNode, relativePath: string): FileNode;
  }

  export class PerlValue {
    /** the bytes of the string, read as UTF-8 */
    toString(): string;
    dispose(): void;
  }

  export interface ZeroPerlOptions {
    env?: Readonly<Record<string, string>>;
    fileSystem?: MemoryFileSystem;
    stdout?: (data: string | Uint8Array) => void;
    stderr?: (data: string | Uint8Array) => void;
  }

  export class ZeroPerl {
    static create(options?: ZeroPerlOptions): Promise<ZeroPerl>;
    createString(value: string): PerlValue;
    registerMethod(packageName: string, methodName: string, run: (...args: PerlValue[]) => PerlValue): void;
    /** null if the call ended the interpreter, or died */
    call(name: string, args: PerlValue[], context: 'scalar'): Promise<PerlValue | null>;
    eval(code: string): Promise<{ success: boolean; error?: string }>;
    getLastError(): string;
  }
}
