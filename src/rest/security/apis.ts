// The APIs of users, roles and API keys.
import type { ApiSpec } from '../core/api.ts';
import { API_KEY_APIS } from './api-keys.ts';
import { CALLER_APIS } from './callers.ts';
import { ROLE_APIS } from './roles.ts';
import { USER_APIS } from './users.ts';

export const SECURITY_ROOM: readonly ApiSpec[] = [...USER_APIS, ...ROLE_APIS, ...API_KEY_APIS, ...CALLER_APIS];
