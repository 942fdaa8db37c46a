// A button with a menu below it.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './icons.tsx';

export interface MenuItem {
  readonly label: string;
  readonly hint?: string;
  /** Shown in grey and not selectable. */
  readonly isDisabled?: boolean;
  onChoose(): void;
}

export interface MenuProps {
  readonly label: string;
  readonly icon: IconName;
  readonly items: readonly MenuItem[];
  /** Text of a menu without items. */
  readonly empty?: string;
}

export function Menu({ label, icon, items, empty }: MenuProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    root.current?.querySelector<HTMLElement>('[role=menuitem]:not(:disabled)')?.focus();
    const closeOutside = (event: Event): void => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', closeOutside);
    return () => document.removeEventListener('pointerdown', closeOutside);
  }, [isOpen]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const all = [...(root.current?.querySelectorAll<HTMLElement>('[role=menuitem]:not(:disabled)') ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    if (event.key === 'ArrowDown') all[(at + 1) % all.length]?.focus();
    else if (event.key === 'ArrowUp') all[(at - 1 + all.length) % all.length]?.focus();
    else if (event.key === 'Escape') {
      setOpen(false);
      button.current?.focus();
    } else if (event.key === 'Tab') {
      setOpen(false);
      return;
    } else return;
    event.preventDefault();
  };
  return (
    <div class="menu" ref={root}>
      <button
        ref={button}
        type="button"
        class="tool"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        title={label}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={icon} />
        <span>{label}</span>
      </button>
      {isOpen && (
        <div class="menu-list" role="menu" aria-label={label} tabIndex={-1} onKeyDown={onKeyDown}>
          {items.length === 0 && (
            <button type="button" role="menuitem" aria-disabled="true" class="muted" onClick={() => setOpen(false)}>
              {empty ?? 'Nothing here.'}
            </button>
          )}
          {items.map(({ label: text, hint, isDisabled, onChoose }, i) => (
            <button
              key={i}
              type="button"
              role="menuitem"
              disabled={isDisabled}
              onClick={() => {
                setOpen(false);
                button.current?.focus();
                onChoose();
              }}
            >
              <span class="menu-label">{text}</span>
              {hint !== undefined && <span class="muted">{hint}</span>}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
