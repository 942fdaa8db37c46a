// Light or dark: as the system prefers, or as the user chose.
import { Cell, keptCell } from '../cell.ts';

export type Theme = 'system' | 'light' | 'dark';

const isTheme = (value: unknown): value is Theme => value === 'system' || value === 'light' || value === 'dark';

export const theme: Cell<Theme> = keptCell<Theme>('theme', 'system', isTheme);

const prefersDark = matchMedia('(prefers-color-scheme: dark)');

/** The theme that is shown. */
export const shownTheme = new Cell<'light' | 'dark'>('light');

const isDark = (): boolean => theme.value === 'dark' || (theme.value === 'system' && prefersDark.matches);

/** Sets the theme on the document, and updates it whenever it changes. */
export function applyTheme(): void {
  const apply = (): void => {
    const name = isDark() ? 'dark' : 'light';
    document.documentElement.dataset.theme = name;
    shownTheme.set(name);
  };
  apply();
  theme.subscribe(apply);
  prefersDark.addEventListener('change', apply);
}
