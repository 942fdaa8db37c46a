// Limits of synchronous work: work beyond them is repeated in a lane, unless it has sent something.
import { afterEach, expect, test, vi } from 'vitest';
import { checkTurn, commitTurn, inTurn, MOVES, MOVES_LATE, STAYS, TooHeavy, TURN_MS } from '../../../../src/common/turns/turn.ts';

let nowMs = 0;
vi.spyOn(performance, 'now').mockImplementation(() => nowMs);

afterEach(() => {
  nowMs = 0;
});

/** Work of `ms` that checks the turn at its end. */
function work(ms: number): string {
  nowMs += ms;
  checkTurn();
  return 'done';
}

test('short work is done, long work is too heavy', () => {
  expect(inTurn(MOVES, () => work(TURN_MS))).toBe('done');
  expect(() => inTurn(MOVES, () => work(TURN_MS + 1))).toThrow(TooHeavy);
  expect(inTurn(STAYS, () => work(1e6))).toBe('done');
});

test('work that must not wait for lanes has a longer, but bounded turn', () => {
  expect(inTurn(MOVES_LATE, () => work(3 * TURN_MS))).toBe('done');
  expect(() => inTurn(MOVES_LATE, () => work(3 * TURN_MS + 1))).toThrow(TooHeavy);
});

test('no handler converts the end of a turn to a result or another error', async () => {
  const swallow = (then: () => unknown) => (): unknown => {
    try {
      work(TURN_MS + 1);
    } catch {
      return then();
    }
  };
  expect(() =>
    inTurn(
      MOVES,
      swallow(() => 'half'),
    ),
  ).toThrow(TooHeavy);
  expect(() =>
    inTurn(
      MOVES,
      swallow(() => Promise.reject(new Error('half'))),
    ),
  ).toThrow(TooHeavy);
  expect(() =>
    inTurn(
      MOVES,
      swallow(() => {
        throw new Error('other');
      }),
    ),
  ).toThrow(TooHeavy);
});

test('nothing is repeated after it has sent something, and nothing is sent after the end of a turn', () => {
  const sent: string[] = [];
  const send = (what: string): void => {
    commitTurn();
    sent.push(what);
  };
  const late = inTurn(MOVES, () => {
    send('first');
    return work(1e6);
  });
  expect(late).toBe('done');
  expect(() =>
    inTurn(MOVES, () => {
      try {
        work(1e6);
      } catch {}
      send('second');
    }),
  ).toThrow(TooHeavy);
  expect(sent).toEqual(['first']);
});

test('errors of short work are passed on', () => {
  expect(() =>
    inTurn(MOVES, () => {
      throw new RangeError('own');
    }),
  ).toThrow(RangeError);
  expect(work(1e6)).toBe('done');
});
