// What the doctor found of one part of the service.
import { settings } from '#lib/settings/settings.ts';

export type Finding = { check: string; state: 'ok' | 'warning' | 'broken'; detail: string };

/** Address of a guide at this service: an operator of a package or an image has no `docs/`. `place`: `ldap#testing-it`. */
export const guideAt = (place: string): string => `${settings().baseUrl}/documentation/guides/${place}`;

/** `1 client`, `2 clients`. */
export const formatCount = (count: number, singular: string, plural = `${singular}s`): string =>
  `${count} ${count === 1 ? singular : plural}`;

export const finding =
  (state: Finding['state']) =>
  (check: string, detail: string): Finding => ({ check, state, detail });
