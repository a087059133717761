import type { Role } from '#lib/management/index.ts';

export const ROLE_WORDS: Record<Role, string> = {
  administrator: 'May do everything here: people, APIs, keys, and every decision.',
  approver: 'Decides on subscriptions: to the APIs that list them, and to those that list nobody.',
  developer: 'Registers applications and asks for subscriptions.',
};
