// Icons as strokes on a grid of 24 by 24. They are decorative: the control that shows one has a name of its own.
import type { JSX } from 'preact';

const PATHS = {
  requests: 'M4 6l5 6-5 6M12 18h8',
  discover: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5',
  analysis: 'M4 7V5h16v2M12 5v14M9 19h6',
  profile: 'M4 5h16M4 10h10M4 15h6M4 20h3M18 10h2M14 15h4',
  indices: 'M4 6c0-1.7 3.6-3 8-3s8 1.3 8 3-3.6 3-8 3-8-1.3-8-3zM4 6v12c0 1.7 3.6 3 8 3s8-1.3 8-3V6M4 12c0 1.7 3.6 3 8 3s8-1.3 8-3',
  manage: 'M4 6h8M16 6h4M14 4v4M4 12h3M11 12h9M9 10v4M4 18h9M17 18h3M15 16v4',
  metrics: 'M3 20h18M5 16l4-6 4 3 6-9',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M5 19l1.4-1.4M17.6 6.4L19 5',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z',
  system: 'M4 5h16v11H4zM9 20h6M12 16v4',
  play: 'M7 4l13 8-13 8z',
  stop: 'M6 6h12v12H6z',
  history: 'M3 12a9 9 0 1 0 3-6.7L3 8M3 3v5h5M12 7v5l4 2',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  share: 'M12 15V3M8 7l4-4 4 4M5 12v8h14v-8',
  user: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 21c0-4 3.6-6 8-6s8 2 8 6',
  close: 'M6 6l12 12M18 6L6 18',
  down: 'M6 9l6 6 6-6',
  right: 'M9 6l6 6-6 6',
  plus: 'M12 5v14M5 12h14',
  filter: 'M4 5h16l-6 8v6l-4-2v-4z',
  download: 'M12 3v12M8 11l4 4 4-4M5 20h14',
  upload: 'M12 15V3M8 7l4-4 4 4M5 20h14',
  help: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9.5 9.5a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .8-1 1.7M12 17v.1',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
