// Startup checks of exposure: addresses without authentication, and files that every user of the machine can read.
import { statSync } from 'node:fs';
import net from 'node:net';
import { SettingError } from '../config/load-settings.ts';
import type { Settings } from '../config/settings.ts';

/** Read permission for others on a file; read and search permission on a folder. */
const FILE_FOR_OTHERS = 0o004;
const FOLDER_FOR_OTHERS = 0o005;

/** True for an address or name that only programs on this machine can reach. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  if (net.isIPv4(name)) return name.startsWith('127.');
  if (net.isIPv6(name)) {
    const loopback = new net.BlockList();
    loopback.addAddress('::1', 'ipv6');
    loopback.addSubnet('::ffff:127.0.0.0', 104, 'ipv6');
    return loopback.check(name, 'ipv6');
  }
  return name === 'localhost' || name.endsWith('.localhost');
}

/**
 * Rejects a configuration in which everybody on the network could read and change data.
 * @param hasUsers  users exist, in the settings or created at run time
 * @throws SettingError with the ways out
 */
export function checkExposure(settings: Settings, hasUsers: boolean): void {
  const host = settings['http.host'];
  if (hasUsers || !settings['security.enabled'] || isLoopback(host)) return;
  throw new SettingError(
    'security',
    'http.host',
    `[${host}] is not a loopback address and there are no users, so everybody who reaches it could read and delete everything: ` +
      'create a user with `gannet user add NAME --roles superuser`, or listen on 127.0.0.1, ' +
      'or set security.enabled to false if something else restricts access',
  );
}

/**
 * Warnings about files and folders that every user of the machine can read.
 * @param settingsFile  the configuration file in use, null if there is none
 */
export function exposedFiles(settings: Settings, settingsFile: string | null): string[] {
  const warnings: string[] = [];
  const folder = settings['path.data'];
  if (allowsOthers(folder, FOLDER_FOR_OTHERS))
    warnings.push(`every user of this machine can read the data in [${folder}]: restrict it with chmod 0700`);
  const hasHashes = Object.keys(settings['security.users']).length > 0;
  if (hasHashes && settingsFile !== null && allowsOthers(settingsFile, FILE_FOR_OTHERS))
    warnings.push(`every user of this machine can read the password hashes in [${settingsFile}]: restrict it with chmod 0640`);
  const hasKeys = Object.keys(settings['s3.client']).some((name) => name.endsWith('.secret_key'));
  if (hasKeys && settingsFile !== null && allowsOthers(settingsFile, FILE_FOR_OTHERS))
    warnings.push(`every user of this machine can read the secret keys in [${settingsFile}]: restrict it with chmod 0640`);
  return warnings;
}

/** False where there are no permission bits. */
function allowsOthers(file: string, bits: number): boolean {
  if (process.platform === 'win32') return false;
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & bits) === bits;
}
