// The users in a configuration file. Comments and all other contents of the file are preserved.
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { Document, isMap, parseDocument } from 'yaml';
import { SettingError } from '../config/load-settings.ts';

const PRIVATE = 0o600;

export interface FileUser {
  readonly password_hash: string;
  readonly roles: readonly string[];
  readonly full_name?: string;
  readonly email?: string;
}

export class UsersFile {
  readonly path: string;
  readonly #document: Document;

  /** @param file  need not exist. @throws SettingError it is not a YAML map, or its users are not one */
  constructor(file: string) {
    this.path = file;
    const document = parseDocument(existsSync(file) ? readFileSync(file, 'utf8') : '');
    const [problem] = document.errors;
    if (problem) throw new SettingError(file, `line ${problem.linePos?.[0].line ?? '?'}`, problem.message.split('\n')[0]);
    const isEmpty = document.contents === null;
    if (!isEmpty && !isMap(document.contents)) throw new SettingError(file, 'file', 'must contain a map of settings');
    this.#document = isEmpty ? new Document({}) : document;
    const users = this.#document.getIn(this.#at());
    if (users !== undefined && users !== null && !isMap(users)) throw new SettingError(file, 'security.users', 'must be a map');
  }

  users(): Record<string, FileUser> {
    const { security, ...rest } = (this.#document.toJS({ maxAliasCount: 20 }) ?? {}) as Record<string, unknown>;
    const nested = (security ?? {}) as { users?: Record<string, FileUser> | null };
    return ((rest['security.users'] as Record<string, FileUser> | null) ?? nested.users ?? {}) as Record<string, FileUser>;
  }

  /** Adds or replaces a user; null removes it. */
  set(name: string, user: FileUser | null): void {
    const at = this.#at();
    if (user === null) this.#document.deleteIn([...at, name]);
    else {
      // `security.users:` without a value is null, to which nothing can be added.
      if (!isMap(this.#document.getIn(at))) this.#document.setIn(at, this.#document.createNode({}));
      this.#document.setIn([...at, name], this.#document.createNode(user));
    }
  }

  /** Replaces the file atomically and keeps its owner and permissions; a new file is private. */
  save(): void {
    mkdirSync(path.dirname(this.path), { recursive: true });
    const before = statSync(this.path, { throwIfNoEntry: false });
    const temporary = `${this.path}.${process.pid}.tmp`;
    const fd = openSync(temporary, 'wx', PRIVATE);
    try {
      writeSync(fd, this.#document.toString({ lineWidth: 0 }));
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    if (before) {
      chmodSync(temporary, before.mode & 0o7777);
      if (process.getuid?.() === 0) chownSync(temporary, before.uid, before.gid);
    }
    renameSync(temporary, this.path);
  }

  /** Path of the users: a dotted key if the file has it, otherwise nested keys. */
  #at(): string[] {
    return this.#document.has('security.users') ? ['security.users'] : ['security', 'users'];
  }
}
