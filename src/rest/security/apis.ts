// The APIs of users, roles and API keys.
import type { ApiSpec } from '../core/api.ts';
import { API_KEY_APIS } from './api-keys.ts';
import { CALLER_APIS } from './callers.ts';
import { ROLE_APIS } from './roles.ts';
import { USER_APIS } from './users.ts';

/** Users, roles and keys are small, and everybody may send some of these requests. */
const MAX_BODY_BYTES = 1 << 20;

export const SECURITY_ROOM: readonly ApiSpec[] = [...USER_APIS, ...ROLE_APIS, ...API_KEY_APIS, ...CALLER_APIS].map((api) => ({
  ...api,
  maxBodyBytes: MAX_BODY_BYTES,
}));
