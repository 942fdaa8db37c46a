// Events of the audit log, by Elasticsearch's names.

export const AUDIT_EVENTS = [
  'access_denied',
  'access_granted',
  'anonymous_access_denied',
  'authentication_failed',
  'authentication_success',
  'run_as_denied',
  'security_config_change',
] as const;

export type AuditEvent = (typeof AUDIT_EVENTS)[number];

/** Events that are logged by default. Events of every request would fill the disk. */
export const DEFAULT_AUDIT_EVENTS: readonly AuditEvent[] = AUDIT_EVENTS.filter(
  (event) => event !== 'access_granted' && event !== 'authentication_success',
);

/** `_all` means all events. @throws Error with the reason only */
export function readAuditEvents(names: readonly string[]): readonly AuditEvent[] {
  return names.flatMap((given) => {
    const name = given.toLowerCase();
    if (name === '_all') return [...AUDIT_EVENTS];
    const event = AUDIT_EVENTS.find((known) => known === name);
    if (event === undefined) throw new Error(`has no event [${given}]: use _all or some of [${AUDIT_EVENTS.join(', ')}]`);
    return [event];
  });
}
