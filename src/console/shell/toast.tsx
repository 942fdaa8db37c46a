// Messages that screen readers read out: short ones at the edge of the page, and ones that are not shown.
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { Cell, useCell } from '../cell.ts';

const SHOW_MS = 4000;

const message = new Cell<{ readonly text: string } | null>(null);

export function showToast(text: string): void {
  message.set({ text });
}

export function Toast(): JSX.Element {
  const current = useCell(message);
  useEffect(() => {
    if (current === null) return;
    const timer = setTimeout(() => message.set(null), SHOW_MS);
    return () => clearTimeout(timer);
  }, [current]);
  return (
    <div class="toast" role="status" aria-live="polite">
      {current && <p>{current.text}</p>}
    </div>
  );
}

const announced = new Cell('');

/** Has screen readers say what appeared elsewhere on the page. */
export function announce(text: string): void {
  announced.set(text);
}

/** Always there, since screen readers miss the text of a live region that is added together with it. */
export function Announcements(): JSX.Element {
  return (
    <p class="visually-hidden" role="status">
      {useCell(announced)}
    </p>
  );
}

/** Copies text and confirms it with a toast. */
export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    showToast(`${what} copied`);
  } catch {
    // Without HTTPS, browsers offer only the older API.
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'visually-hidden';
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand('copy');
    area.remove();
    showToast(isCopied ? `${what} copied` : 'The browser does not allow copying');
  }
}
