// A screen of figures that redraws itself until `q` or Ctrl-C: on a terminal in place, elsewhere two samples and one report.
import { type Paint, paintFor } from './paint.ts';
import { textTable } from './text-table.ts';

export interface Frame<S> {
  readonly now: S;
  /** the sample before, null in the first frame */
  readonly before: S | null;
  /** time between the two samples, 0 in the first frame */
  readonly seconds: number;
}

/** The part of a terminal's output that is needed here. */
export interface ScreenOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

/** The part of a terminal's input that is needed here. */
export interface ScreenInput {
  readonly isTTY?: boolean;
  setRawMode?(isRaw: boolean): unknown;
  on(event: 'data', listener: (data: Buffer | string) => void): unknown;
  off(event: 'data', listener: (data: Buffer | string) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

export interface LiveScreen<S> {
  /** @throws Error shown instead of the figures, which are tried again */
  sample(): Promise<S>;
  render(frame: Frame<S>, paint: Paint): string[];
  readonly intervalMs: number;
  /** one report even on a terminal */
  readonly once: boolean;
  readonly out?: ScreenOutput;
  readonly in?: ScreenInput;
}

const ENTER = '\u001b[?1049h\u001b[?25l';
const LEAVE = '\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';
const FALLBACK_ROWS = 24;
const FALLBACK_COLUMNS = 80;

/** @returns exit code: 0, or 1 if there is nothing to report */
export async function runLiveScreen<S>(screen: LiveScreen<S>): Promise<number> {
  const out: ScreenOutput = screen.out ?? process.stdout;
  if (screen.once || !out.isTTY) return reportOnce(screen, out);
  const keys: ScreenInput = screen.in ?? process.stdin;
  const stop = new AbortController();
  const onKey = (data: Buffer | string): void => {
    if (/^(?:q|Q|\u0003|\u001b)$/.test(data.toString())) stop.abort();
  };
  const onSignal = (): void => stop.abort();
  if (keys.isTTY) keys.setRawMode?.(true);
  keys.on('data', onKey);
  keys.resume();
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  out.write(ENTER);
  try {
    await redraw(screen, out, stop.signal);
  } finally {
    out.write(LEAVE);
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
    keys.off('data', onKey);
    if (keys.isTTY) keys.setRawMode?.(false);
    keys.pause();
  }
  return 0;
}

async function redraw<S>(screen: LiveScreen<S>, out: ScreenOutput, signal: AbortSignal): Promise<void> {
  const paint = paintFor(out);
  let before: { sample: S; atMs: number } | null = null;
  while (!signal.aborted) {
    let lines: string[];
    try {
      const now = await screen.sample();
      const atMs = performance.now();
      lines = screen.render({ now, before: before?.sample ?? null, seconds: before ? (atMs - before.atMs) / 1000 : 0 }, paint);
      before = { sample: now, atMs };
    } catch (error) {
      lines = [paint.red((error as Error).message)];
      before = null;
    }
    lines = [...lines.slice(0, (out.rows ?? FALLBACK_ROWS) - 1), paint.dim('q: quit')];
    out.write(HOME + lines.map((line) => clip(line, out.columns ?? FALLBACK_COLUMNS) + CLEAR_LINE).join('\n') + CLEAR_BELOW);
    await pause(screen.intervalMs, signal);
  }
}

async function reportOnce<S>(screen: LiveScreen<S>, out: ScreenOutput): Promise<number> {
  try {
    const before = await screen.sample();
    const startMs = performance.now();
    await pause(screen.intervalMs, null);
    const now = await screen.sample();
    const seconds = (performance.now() - startMs) / 1000;
    out.write(`${screen.render({ now, before, seconds }, paintFor(out)).join('\n')}\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`gannet: ${(error as Error).message}\n`);
    return 1;
  }
}

const pause = (ms: number, signal: AbortSignal | null): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
    signal?.addEventListener('abort', done);
    if (signal?.aborted) done();
  });

/** The first `columns` characters of a line; its colours take no place. */
export function clip(line: string, columns: number): string {
  let width = 0;
  let text = '';
  for (const [part] of line.matchAll(/\u001b\[\d+m|[^\u001b]/gu)) {
    if (part.startsWith('\u001b')) text += part;
    else if (width++ < columns) text += part;
  }
  return text;
}

/** A number per second: `1.2 k`. */
export function rateText(amount: number, seconds: number): string {
  if (seconds <= 0) return '-';
  return countText(amount / seconds);
}

/** `987`, `1.2 k`, `3.4 M`. */
export function countText(value: number): string {
  const units = ['', ' k', ' M', ' G', ' T'];
  let scaled = value;
  let unit = 0;
  while (Math.abs(scaled) >= 1000 && unit < units.length - 1) {
    scaled /= 1000;
    unit++;
  }
  const digits = unit === 0 ? (Number.isInteger(scaled) || Math.abs(scaled) >= 100 ? 0 : 1) : Math.abs(scaled) >= 100 ? 0 : 1;
  return `${scaled.toFixed(digits)}${units[unit]}`;
}

/** Text that another program sent, without control characters. */
export const plainText = (text: string): string => text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '\ufffd');

/** Adds a table under a title, cells without control characters; nothing if there are no rows. */
export function addSection(out: string[], paint: Paint, title: string, head: readonly string[], rows: readonly string[][]): void {
  if (rows.length === 0) return;
  const [first, ...rest] = textTable(
    head,
    rows.map((row) => row.map(plainText)),
  ).split('\n');
  out.push('', paint.bold(title), paint.dim(first), ...rest);
}
