// The login form: a user with a password, or an API key. The credentials are checked before they are kept for this tab.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { credentials, needsLogin, reasonOf, send } from '../service.ts';

/** Base64 of the UTF-8 bytes. */
function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

/** The header of an API key: its encoded form, or `id:api_key`. */
function apiKeyHeader(key: string): string {
  const text = key.trim().replace(/^ApiKey\s+/i, '');
  return `ApiKey ${text.includes(':') ? base64(text) : text}`;
}

export function LoginForm(): JSX.Element {
  const [kind, setKind] = useState<'password' | 'key'>('password');
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const data = new FormData(event.currentTarget as HTMLFormElement);
    const field = (name: string): string => String(data.get(name) ?? '');
    const authorization = kind === 'key' ? apiKeyHeader(field('key')) : `Basic ${base64(`${field('user')}:${field('password')}`)}`;
    setBusy(true);
    try {
      const answer = await send('GET', '/_security/_authenticate', undefined, { authorization });
      if (answer.status === 200) {
        credentials.set(authorization);
        needsLogin.set(false);
        return;
      }
      setError(answer.status === 401 ? 'These credentials are not valid.' : (reasonOf(answer.json) ?? `Status ${answer.status}`));
    } catch {
      setError('The service does not respond.');
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="login">
      <form class="card" onSubmit={submit} aria-labelledby="login-title">
        <h1 id="login-title">Log in</h1>
        <div class="segmented" role="radiogroup" aria-label="Kind of credentials">
          {(['password', 'key'] as const).map((value) => (
            <label key={value}>
              <input type="radio" name="kind" checked={kind === value} onChange={() => setKind(value)} />
              <span>{value === 'password' ? 'User' : 'API key'}</span>
            </label>
          ))}
        </div>
        {kind === 'password' ? (
          <>
            <label class="field">
              <span>User name</span>
              <input name="user" autocomplete="username" required />
            </label>
            <label class="field">
              <span>Password</span>
              <input name="password" type="password" autocomplete="current-password" required />
            </label>
          </>
        ) : (
          <label class="field">
            <span>API key</span>
            <input name="key" type="password" autocomplete="off" required placeholder="encoded key, or id:api_key" />
          </label>
        )}
        {error !== null && (
          <p class="notice error" role="alert">
            {error}
          </p>
        )}
        <button type="submit" class="primary" disabled={isBusy}>
          Log in
        </button>
      </form>
    </div>
  );
}
