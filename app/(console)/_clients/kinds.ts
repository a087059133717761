import type { ClientDetail } from '#lib/management/index.ts';
import type { Area } from '../_forms/form.ts';
import { path } from '../_forms/form.ts';

export type ClientKind = ClientDetail['kind'];
export type IdTokenAlg = ClientDetail['idTokenSignedResponseAlg'];

/** What each kind is, in the words of who chooses one. */
export const KINDS: Record<ClientKind, { label: string; note: string; short: string }> = {
  confidential: {
    label: 'On a server',
    note: 'It keeps a secret that nobody else can read. It gets refresh tokens.',
    short: 'server',
  },
  browser: {
    label: 'In the browser',
    note: 'A single-page application. It has no secret, must use PKCE, and renews silently.',
    short: 'browser',
  },
  native: {
    label: 'On a phone or desktop',
    note: 'It has no secret, must use PKCE, and gets refresh tokens.',
    short: 'native',
  },
};

export const kindOptions = (Object.keys(KINDS) as ClientKind[]).map((value) => ({
  value,
  label: KINDS[value].label,
  note: KINDS[value].note,
}));

/** An area's page of a client, or of something below it. */
export function clientPath(area: Area, clientId: string, ...more: string[]): string {
  return path(area, 'clients', clientId, ...more);
}

export function listOf(area: Area): { href: string; label: string } {
  return area === 'admin'
    ? { href: '/admin/clients', label: 'Clients' }
    : { href: '/developer', label: 'Applications' };
}
