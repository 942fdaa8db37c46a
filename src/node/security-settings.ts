// What the service checks of users, roles and certificates at the start, and reads again on SIGHUP.
import type { Settings } from '../config/settings.ts';
import { Realms } from '../security/realms.ts';
import type { SecurityView } from '../security/records.ts';
import { checkExposure } from './exposure.ts';
import type { MainNode } from './main/main-node.ts';
import type { LogNotice } from './messages/messages.ts';
import { tlsOptions } from './threads/tls-settings.ts';

type Log = (level: LogNotice['level'], message: string) => void;

/** @throws SettingError nobody would have to authenticate; Error: a user or role of the settings is malformed */
export function checkUsers(settings: Settings, records: SecurityView, onLog: Log): void {
  const realms = new Realms(settings, records);
  checkExposure(settings, realms.hasUsers);
  const { missingRoles } = realms;
  if (missingRoles.length > 0) onLog('warn', `users of the settings have roles that do not exist: ${missingRoles.join(', ')}`);
  if (realms.hasUsers && !settings['security.enabled']) onLog('warn', 'security.enabled is false: nobody has to authenticate');
}

/** @throws SettingError, Error: the certificate or its key is unusable */
export async function checkTls(settings: Settings, onLog: Log): Promise<void> {
  const tls = tlsOptions(settings);
  if (tls === null) return;
  const { certificateWarnings, readTlsContext } = await import('../http/tls-context.ts');
  readTlsContext(tls);
  for (const warning of certificateWarnings(tls, Date.now())) onLog('warn', warning);
}

/**
 * Reads users, roles and certificates again at each SIGHUP. If anything is wrong with them, everything stays as it is.
 * @param settings  of the running service @param reread  reads the settings as at the start
 */
export function reloadOnSignal(main: MainNode, settings: Settings, reread: () => Settings, onLog: Log): void {
  const reload = async () => {
    const { 'security.users': users, 'security.roles': roles } = reread();
    const fileRealm = { 'security.users': users, 'security.roles': roles };
    const next = { ...settings, ...fileRealm };
    checkUsers(next, main.securityRecords, onLog);
    await checkTls(next, onLog);
    await main.reload(fileRealm);
    onLog('info', 'users, roles and certificates were read again');
  };
  process.on('SIGHUP', () => {
    reload().catch((error: Error) => onLog('error', `users, roles and certificates stay as they were: ${error.message}`));
  });
}
