import type { Role } from '#lib/registry/index.ts';

export const ROLE_WORDS: Record<Role, { label: string; note: string }> = {
  administrator: { label: 'Administrator', note: 'Does everything here, and decides for every API.' },
  approver: { label: 'Approver', note: 'Decides which applications may use an API.' },
  developer: { label: 'Developer', note: 'Registers applications and subscribes them to APIs.' },
};
