// `gannet start`, and `gannet` without a command in a terminal: runs the service and opens the console in the browser, on the first-steps
// page while there is no index.
import { spawn } from 'node:child_process';
import { serveSettings } from '../service/serve-settings.ts';
import { ServiceClient } from '../service-client.ts';
import { Supervisor } from '../supervisor.ts';
import { waitUntilReady } from '../wait-until-ready.ts';

const NO_OPEN = '--no-open';

/** Accepts the flags of `serve`. `--no-open` only prints the address. @returns exit code of the service */
export async function startCommand(argv: string[]): Promise<number> {
  const serveArguments = argv.filter((argument) => argument !== NO_OPEN);
  const settings = serveSettings(serveArguments);
  const host = settings['http.host'] === '0.0.0.0' ? '127.0.0.1' : settings['http.host'];
  const url = `${settings['http.ssl.certificate'] === '' ? 'http' : 'https'}://${host}:${settings['http.port']}`;
  const supervisor = new Supervisor(serveArguments);
  supervisor.forwardSignals();
  const client = new ServiceClient(url, null);
  try {
    await waitUntilReady(client, supervisor);
    const address = `${url}/_console/${(await isEmpty(client)) ? '#/tour' : ''}`;
    process.stdout.write(`console: ${address} (Ctrl-C stops the service)\n`);
    if (!argv.includes(NO_OPEN)) openBrowser(address);
  } catch (error) {
    process.stderr.write(`gannet: ${error instanceof Error ? error.message : error}\n`);
    supervisor.stop();
  } finally {
    client.close();
  }
  return supervisor.exited;
}

/** False also where users have to log in first. */
async function isEmpty(client: ServiceClient): Promise<boolean> {
  const { status, text } = await client.send('GET', '/_cat/indices?format=json');
  return status === 200 && text.trim() === '[]';
}

/** Opens a URL with `$BROWSER` or the system's opener; if neither works, the user still has the printed URL. */
function openBrowser(address: string): void {
  const [command, ...args] =
    process.env.BROWSER !== undefined && process.env.BROWSER !== ''
      ? [process.env.BROWSER]
      : process.platform === 'darwin'
        ? ['open']
        : process.platform === 'win32'
          ? ['cmd', '/c', 'start', '']
          : ['xdg-open'];
  const browser = spawn(command, [...args, address], { stdio: 'ignore', detached: true });
  browser.on('error', () => undefined);
  browser.unref();
}
