// The guide of each part of the console. A test asks for a line for every folder with a page.
import { guidePath } from '#app/documentation/_guides/addresses.ts';
import { ownValue } from '#lib/kit/own-value.ts';

/** By the first two parts of the address: the guide, or the heading of it that is about the page. */
export const GUIDES: Readonly<Record<string, string>> = {
  '/account': 'self-service',
  '/account/address': 'self-service',
  '/account/again': 'strong-sign-in',
  '/account/agents': 'machines#delegation',
  '/account/data': 'self-service',
  '/account/delete': 'self-service',
  '/account/device': 'strong-sign-in#trusted-browsers',
  '/account/forgot-password': 'self-service',
  '/account/links': 'self-service',
  '/account/mail': 'operations',
  '/account/new-password': 'self-service',
  '/account/password': 'self-service',
  '/account/reset-password': 'self-service',
  '/account/security': 'strong-sign-in',
  '/account/sign-ins': 'audit',
  '/account/verify-email': 'self-service',
  '/developer': 'first-token',
  '/developer/catalogue': 'first-token',
  '/developer/clients': 'clients',
  '/developer/expiring': 'operations#what-expires',
  '/developer/find': 'first-token',
  '/developer/playground': 'first-token',
  '/admin': 'operations',
  '/admin/apis': 'configuration#apis',
  '/admin/approvals': 'approvals',
  '/admin/audit': 'audit',
  '/admin/auth-methods': 'configuration#auth_methods',
  '/admin/clients': 'clients',
  '/admin/connections': 'operations#testing-a-connection',
  '/admin/find': 'operations',
  '/admin/groups': 'groups',
  '/admin/keys': 'protect-an-api',
  '/admin/mails': 'branding#mails',
  '/admin/people': 'self-service',
  '/admin/service': 'operations#the-first-day',
  '/admin/sessions': 'openid-connect#sign-out',
  '/admin/subscriptions': 'approvals#what-a-decision-does',
};

/** Of the pages below a client or an API. */
const BELOW: Readonly<Record<string, string>> = {
  requests: 'first-token#when-something-fails',
  texts: 'branding#texts',
  why: 'clients#why',
};

/** The address of the page's guide. */
export function guideOfPage(path: string): string {
  const below = /^\/(?:developer|admin)\/(?:clients|apis)\/[^/?]+\/(\w+)/.exec(path)?.[1];
  const known = ownValue(BELOW, below ?? '');
  if (known !== undefined) return guidePath(known);
  const [, area = '', part] = path.split(/[/?]/);
  const key = part ? `/${area}/${part}` : `/${area}`;
  return guidePath(ownValue(GUIDES, key) ?? 'first-token');
}
