// The frame around all pages: navigation, theme, login, and the page of the current route, which is loaded when it is first opened.
import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useCell } from '../cell.ts';
import { call, credentials, needsLogin } from '../service.ts';
import { Icon, type IconName } from './icons.tsx';
import { LoginForm } from './login.tsx';
import { address, addressHash } from './router.ts';
import { type Theme, theme } from './theme.ts';
import { Announcements, Toast } from './toast.tsx';

interface Page {
  readonly title: string;
  readonly icon: IconName;
  readonly load: () => Promise<ComponentType>;
}

const PAGES: Readonly<Record<string, Page>> = {
  requests: { title: 'Requests', icon: 'requests', load: async () => (await import('../requests/requests-page.tsx')).RequestsPage },
  discover: { title: 'Discover', icon: 'discover', load: async () => (await import('../discover/discover-page.tsx')).DiscoverPage },
  analysis: { title: 'Analysis', icon: 'analysis', load: async () => (await import('../analysis/analysis-page.tsx')).AnalysisPage },
  profile: { title: 'Profile', icon: 'profile', load: async () => (await import('../profile/profile-page.tsx')).ProfilePage },
  indices: { title: 'Indices', icon: 'indices', load: async () => (await import('../indices/indices-page.tsx')).IndicesPage },
  manage: { title: 'Manage', icon: 'manage', load: async () => (await import('../manage/manage-page.tsx')).ManagePage },
  metrics: { title: 'Metrics', icon: 'metrics', load: async () => (await import('../metrics/metrics-page.tsx')).MetricsPage },
  tour: { title: 'First steps', icon: 'help', load: async () => (await import('../tour/tour-page.tsx')).TourPage },
};
const FIRST_PAGE = 'requests';

export function App(): JSX.Element {
  const { page } = useCell(address);
  const login = useCell(needsLogin);
  const name = Object.hasOwn(PAGES, page) ? page : FIRST_PAGE;
  useEffect(() => {
    document.title = `${PAGES[name].title} · Gannet`;
  }, [name]);
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to content
      </button>
      <Navigation current={name} />
      <main id="main" tabIndex={-1}>
        {login ? <LoginForm /> : <LoadedPage key={name} name={name} />}
      </main>
      <Toast />
      <Announcements />
    </div>
  );
}

function LoadedPage({ name }: { readonly name: string }): JSX.Element {
  const [state, setState] = useState<{ page: ComponentType | null; error: string | null }>({ page: null, error: null });
  useEffect(() => {
    let isCurrent = true;
    PAGES[name].load().then(
      (page) => isCurrent && setState({ page, error: null }),
      (error: unknown) => isCurrent && setState({ page: null, error: String(error) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [name]);
  if (state.error !== null) return <p class="notice error">The page could not be loaded: {state.error}</p>;
  return state.page === null ? <p class="loading">Loading…</p> : <state.page />;
}

interface ServiceInfo {
  readonly cluster_name: string;
  readonly version: { readonly number: string };
}

function Navigation({ current }: { readonly current: string }): JSX.Element {
  const info = useServiceInfo();
  return (
    <header class="side">
      <a class="brand" href={addressHash(FIRST_PAGE)}>
        <img src="icon.svg" alt="" width="28" height="28" />
        <span class="brand-text">
          <b>Gannet</b>
          <span class="muted" title={info ? `Cluster ${info.cluster_name}` : undefined}>
            {info?.cluster_name ?? ' '}
          </span>
        </span>
      </a>
      <nav aria-label="Pages">
        {Object.entries(PAGES).map(([name, { title, icon }]) => (
          <a key={name} class="nav-link" href={addressHash(name)} aria-current={name === current ? 'page' : undefined} title={title}>
            <Icon name={icon} />
            <span>{title}</span>
          </a>
        ))}
      </nav>
      <div class="side-end">
        <ThemeButton />
        <AccountButton />
      </div>
    </header>
  );
}

function useServiceInfo(): ServiceInfo | null {
  const [info, setInfo] = useState<ServiceInfo | null>(null);
  const isLoggedOut = useCell(needsLogin);
  useEffect(() => {
    if (!isLoggedOut) call<ServiceInfo>('GET', '/').then(setInfo, () => setInfo(null));
  }, [isLoggedOut]);
  return info;
}

const NEXT_THEME: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const THEME_ICONS: Readonly<Record<Theme, IconName>> = { system: 'system', light: 'sun', dark: 'moon' };

function ThemeButton(): JSX.Element {
  const current = useCell(theme);
  const label = `Theme: ${current}`;
  return (
    <button type="button" class="nav-link" onClick={() => theme.set(NEXT_THEME[current])} title={label}>
      <Icon name={THEME_ICONS[current]} />
      <span>{label}</span>
    </button>
  );
}

function AccountButton(): JSX.Element | null {
  const authorization = useCell(credentials);
  if (authorization === null) return null;
  const logOut = (): void => {
    credentials.set(null);
    needsLogin.set(true);
  };
  return (
    <button type="button" class="nav-link" onClick={logOut} title="Log out">
      <Icon name="user" />
      <span>Log out</span>
    </button>
  );
}
