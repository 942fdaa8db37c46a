// Snapshots of a copy under compare-and-set, and how far they let the log be trimmed.
import { expect, test } from 'vitest';
import { type LogSnapshot, type SnapshotRegister, takeSnapshot, trimLog } from '../../../src/cluster/log-snapshots.ts';
import type { LogSubject } from '../../../src/cluster/log-subject.ts';

function at(seq: number, content: string): LogSnapshot<string> {
  return { position: { seq, id: String(seq), primaryTerm: 1, seqNo: seq }, content };
}

class Register implements SnapshotRegister<string> {
  snapshot: LogSnapshot<string> | null = null;
  revision = 0;

  async read() {
    return { snapshot: this.snapshot, revision: this.revision };
  }

  async write(snapshot: LogSnapshot<string>, revision: number): Promise<boolean> {
    if (revision !== this.revision) return false;
    this.snapshot = snapshot;
    this.revision++;
    return true;
  }
}

const source = (seq: number, save: (before: string | null) => Promise<string>) => ({ position: at(seq, '').position, save });

test('a snapshot replaces the previous one and is made from it', async () => {
  const register = new Register();
  await takeSnapshot(
    register,
    source(3, async (before) => `${before}+3`),
  );
  await takeSnapshot(
    register,
    source(5, async (before) => `${before}+5`),
  );
  expect(register.snapshot).toEqual(at(5, 'null+3+5'));
});

test('an older snapshot does not replace a newer one', async () => {
  const register = new Register();
  const slow = takeSnapshot(
    register,
    source(3, async () => {
      await takeSnapshot(
        register,
        source(5, async () => 'newer'),
      );
      return 'older';
    }),
  );
  expect(await slow).toBe(null);
  expect(register.snapshot).toEqual(at(5, 'newer'));
  expect(
    await takeSnapshot(
      register,
      source(4, async () => 'older'),
    ),
  ).toEqual(at(5, 'newer'));
});

test('the log is trimmed up to what the snapshot contains and every copy has stored', async () => {
  const trimmed: number[] = [];
  const subject = { trim: async (before: number) => void trimmed.push(before) } as Partial<LogSubject> as LogSubject;
  await trimLog(subject, at(7, ''), [9, 8]);
  await trimLog(subject, at(7, ''), [9, 4]);
  await trimLog(subject, at(7, ''), [9, 0]);
  expect(trimmed).toEqual([7, 4]);
});
