// The tables of a store that no service uses, for repairs. Each call is a transaction, on disk when it returns.
import { decodeRecord, type LogRecord } from './log-record.ts';
import { type CommitPoint, logKey, openTables, type StoreTables, withChecksum } from './store.ts';

const REMOVED_AT_ONCE = 10_000;

export class StoreFiles {
  readonly #tables: StoreTables;

  private constructor(tables: StoreTables) {
    this.#tables = tables;
  }

  /** @param folder  created if it is missing */
  static open(folder: string): StoreFiles {
    return new StoreFiles(openTables(folder));
  }

  /** Writes records of the log as they are. */
  putRecords(records: readonly { readonly key: Buffer; readonly value: Buffer }[]): void {
    this.#tables.env.transactionSync(() => {
      for (const { key, value } of records) this.#tables.log.putSync(key, value);
    });
  }

  /** Records of a log in order, without those that cannot be read; sources are valid until the next one. */
  *records(log: number): Generator<{ seqNo: number; record: LogRecord }> {
    for (const { key, value } of this.#tables.log.getRange({ start: logKey(log, 0), end: logKey(log + 1, 0), snapshot: true })) {
      const bytes = Buffer.from(key.buffer, key.byteOffset, key.byteLength);
      const seqNo = bytes.readUIntBE(4, 6);
      try {
        yield { seqNo, record: decodeRecord(key, Buffer.from(value), () => `log ${log}, operation ${seqNo}`) };
      } catch {
        // The check has reported it.
      }
    }
  }

  remove(log: number, seqNos: readonly number[]): void {
    for (let at = 0; at < seqNos.length; at += REMOVED_AT_ONCE) {
      this.#tables.env.transactionSync(() => {
        for (const seqNo of seqNos.slice(at, at + REMOVED_AT_ONCE)) this.#tables.log.removeSync(logKey(log, seqNo));
      });
    }
  }

  /** @param value  without its checksum; null removes it */
  putValue(table: 'commits' | 'meta', key: string, value: Buffer | null): void {
    this.#tables.env.transactionSync(() => {
      if (value === null) this.#tables[table].removeSync(key);
      else this.#tables[table].putSync(key, withChecksum(value));
    });
  }

  /** Replaces the commit point of a log by one without segments, so that the next start replays all of the log. */
  resetCommit(log: number, nextSegment: number, primaryTerm: number): void {
    const { commits } = this.#tables;
    const point: CommitPoint = { generation: 0, segments: [], maxSeqNo: -1, nextSegment, primaryTerm };
    this.#tables.env.transactionSync(() => {
      commits.putSync(String(log), withChecksum(Buffer.from(JSON.stringify(point))));
      for (const key of [...commits.getKeys({ start: `${log}/`, end: `${log}/\uffff` })]) commits.removeSync(key);
    });
  }

  close(): Promise<void> {
    return this.#tables.env.close();
  }
}
