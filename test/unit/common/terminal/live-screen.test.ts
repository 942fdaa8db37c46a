/** Screens of figures: one report without a terminal, redrawing with one, numbers for people. */
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { clip, countText, plainText, rateText, runLiveScreen, type ScreenOutput } from '../../../../src/common/terminal/live-screen.ts';

/** A terminal of 20 columns and 5 rows, or none. */
function terminal(isTTY: boolean): { stream: ScreenOutput; text: () => string } {
  let text = '';
  const write = (more: string): void => {
    text += more;
  };
  return { stream: { isTTY, columns: 20, rows: 5, write }, text: () => text };
}

describe('runLiveScreen', () => {
  test('without a terminal prints one report of two samples', async () => {
    const { stream, text } = terminal(false);
    let sample = 10;
    const code = await runLiveScreen({
      sample: async () => sample++,
      render: ({ now, before, seconds }) => [`${before} ${now} ${seconds > 0}`],
      ...{ intervalMs: 1, once: false, out: stream },
    });
    expect([code, text()]).toEqual([0, '10 11 true\n']);
  });

  test('fails if there is nothing to report', async () => {
    const { stream } = terminal(false);
    const sample = (): Promise<number> => Promise.reject(new Error('no answer'));
    expect(await runLiveScreen({ sample, render: () => [], intervalMs: 1, once: true, out: stream })).toBe(1);
  });

  test('on a terminal redraws until q, clips to its size, and leaves it as it was', async () => {
    const { stream, text } = terminal(true);
    const keys = new PassThrough();
    let frames = 0;
    await runLiveScreen({
      sample: async () => {
        if (frames === 1) {
          frames++;
          throw new Error('away for a moment');
        }
        return ++frames;
      },
      render: ({ now }) => {
        if (now === 3) keys.write('q');
        return Array.from({ length: 9 }, (_, line) => `frame ${now} line ${line} is too long for it`);
      },
      ...{ intervalMs: 1, once: false, out: stream, in: keys },
    });
    const shown = text();
    expect(shown.startsWith('\u001b[?1049h')).toBe(true);
    expect(shown.endsWith('\u001b[?25h\u001b[?1049l')).toBe(true);
    expect(shown).toContain('frame 1 line 0 is to\u001b[K');
    expect(shown).toContain('away for a moment');
    expect(shown).toContain('frame 3 line 3');
    expect(shown).not.toContain('line 4');
  });
});

test('clip counts no colours', () => {
  expect(clip('\u001b[1mabcdef\u001b[22mgh', 3)).toBe('\u001b[1mabc\u001b[22m');
});

test.each([
  [0, '0'],
  [0.25, '0.3'],
  [999, '999'],
  [1234, '1.2 k'],
  [456_789, '457 k'],
  [3_400_000, '3.4 M'],
])('countText(%d) is %s', (value, text) => {
  expect(countText(value)).toBe(text);
});

test('rates need a time', () => {
  expect([rateText(50, 0), rateText(50, 2)]).toEqual(['-', '25']);
});

test('plainText replaces control characters', () => {
  expect(plainText('a\u001b[31m\nb')).toBe('a\ufffd[31m\ufffdb');
});
