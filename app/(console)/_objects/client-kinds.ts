import type { ClientKind, ClientRow } from '#lib/registry/clients/client.ts';
import type { Area } from '../_forms/form.ts';
import { path } from '../_forms/form.ts';
import { say } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';

/** Each kind in one word, beside a client's name. */
export const SHORT_KINDS: Readonly<Record<ClientKind, string>> = toSay({
  confidential: 'server',
  browser: 'browser',
  native: 'native',
});

/** The client runs in the background: it can prove itself, and sends no user to the sign-in page. */
export const isBackground = ({ kind, redirectUris }: Pick<ClientRow, 'kind' | 'redirectUris'>): boolean =>
  kind === 'confidential' && redirectUris.length === 0;

/** An area's page of a client, or of something below it. */
export function clientPath(area: Area, clientId: string, ...more: string[]): string {
  return path(area, 'clients', clientId, ...more);
}

/** The APIs that it may ask for. */
export const catalogueFor = (clientId: string): string =>
  `/developer/catalogue?${new URLSearchParams({ client: clientId })}`;

export function listOf(area: Area): { href: string; label: string } {
  return area === 'admin'
    ? { href: '/admin/clients', label: say('Clients') }
    : { href: '/developer', label: say('Applications') };
}
