// Appends whose answer was lost: what tells whether they were stored.
import { describe, expect, test } from 'vitest';
import { type LogMessage, type LogSubject, type Published, publishSurely } from '../../../src/cluster/log-subject.ts';

const MESSAGE = { id: 'mine', after: 4, data: new Uint8Array(1) };

/** A log whose first answer is lost, and which refuses all later attempts. */
function subjectWith(next: Pick<LogMessage, 'seq' | 'after' | 'id'> | null): LogSubject {
  const answers: Published[] = ['unknown'];
  return {
    maxBytes: 100,
    publish: async () => answers.shift() ?? 'stale',
    next: async () => next && { ...next, data: new Uint8Array(1) },
    last: async () => 9,
    follow: () => () => undefined,
    trim: async () => undefined,
  };
}

/** Gives up after three attempts. */
function patience(): () => Promise<boolean> {
  let attempts = 3;
  return async () => --attempts > 0;
}

describe('after an append without an answer', () => {
  test('the message is stored if it is the one after the expected sequence', async () => {
    expect(await publishSurely(subjectWith({ seq: 6, after: 4, id: 'mine' }), MESSAGE, patience())).toBe(6);
  });

  test('it is refused if another message is there', async () => {
    expect(await publishSurely(subjectWith({ seq: 6, after: 4, id: 'other' }), MESSAGE, patience())).toBe('stale');
  });

  test('its fate is unknown if the message after the expected sequence was trimmed', async () => {
    expect(await publishSurely(subjectWith({ seq: 8, after: 6, id: 'other' }), MESSAGE, patience())).toBe(null);
  });

  test('its fate is unknown if there is no message', async () => {
    expect(await publishSurely(subjectWith(null), MESSAGE, patience())).toBe(null);
  });
});
