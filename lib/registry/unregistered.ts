// Unregistered clients: the settings of an API for clients that no user registered, and patterns for hosts.
import { z } from 'zod';
import { fault } from '#lib/kit/fault.ts';
import { field } from './definition.ts';
import { atMost, choiceOf, scopeName, tooLong } from './values.ts';

/**
 * Origin of a client. `document`: its Client ID Metadata Document, whose URL is the client's id. `registration`: RFC
 * 7591. null: a person, or the configuration file.
 */
const CLIENT_ORIGINS = ['document', 'registration'] as const;
export const clientOrigin = z.enum(CLIENT_ORIGINS).nullable();
export type ClientOrigin = z.output<typeof clientOrigin>;

const NAME = /^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;
const documentHostPattern = z
  .string()
  .trim()
  .max(253, tooLong(253))
  .transform((value) => value.toLowerCase())
  .refine(
    (value) => NAME.test(value),
    'must be the name of a host without scheme and port: example.com, or *.example.com for all its subdomains',
  );

const DAYS = 'must be a whole number from 1 to 3650';
const autoApproval = z.strictObject({
  host: documentHostPattern,
  scopes: atMost(500, scopeName).default([]).describe('the maximum scopes. Default: all scopes of the API'),
  max_days: z
    .int(DAYS)
    .min(1, DAYS)
    .max(3650, DAYS)
    .nullable()
    .default(null)
    .describe('duration of consent in days. Default: as for any client'),
});
export type AutoApproval = z.output<typeof autoApproval>;

/** The settings of an API about unregistered clients. */
export const unregisteredClientFields = {
  agents: field(
    choiceOf(['off', 'ask', 'listed'])
      .default('off')
      .describe(
        'Unregistered clients, whose client_id is the URL of their document. off: rejected. ask: they need approval. listed: they need approval, and only hosts in agent_hosts are accepted',
      ),
    'Unregistered clients',
    {
      hint: 'AI agents and other applications that describe themselves in a document, and that no one registered at this service.',
      choices: {
        off: { label: 'Refused', note: 'Treated as if they did not exist; no document is read.' },
        ask: { label: 'Require approval', note: 'The first person who signs in creates the request.' },
        listed: { label: 'Require approval, listed hosts only', note: 'All others are rejected.' },
      },
    },
  ),
  agentHosts: field(
    atMost(100, documentHostPattern)
      .default([])
      .describe(
        'Hosts of documents if agents is listed: names without a port; *.example.com covers all its subdomains',
      ),
    'Listed hosts',
    {
      hint: 'The hosts of the clients’ documents. *.example.com matches every host below example.com.',
      each: 'listed host',
      placeholder: 'example.com',
    },
  ),
  autoApprove: field(
    atMost(50, autoApproval)
      .default([])
      .describe(
        'Rules {host, scopes, max_days} that approve an unregistered client immediately: scopes is the maximum, and consent expires after max_days',
      ),
    'Auto-approval rules',
    {
      hint: 'Rules for requests that need no approver: host, scopes (all if omitted) and max_days, the duration of a person’s consent.',
      as: 'json',
      placeholder: '[{"host": "example.com", "scopes": ["orders:read"], "max_days": 30}]',
    },
  ),
};

/**
 * Compares a host with a pattern. `*.example.com` matches every name below example.com, but not example.com
 * itself.
 */
export function hostMatches(pattern: string, host: string): boolean {
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern;
}

/** Host of a client's metadata document, without port. Null if the client has no document. */
export function documentHost(client: { clientId: string; origin: ClientOrigin }): string | null {
  return client.origin === 'document' ? (URL.parse(client.clientId)?.hostname ?? null) : null;
}

const LOOPBACK = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?=[:/?]|$)/i;

/**
 * Returns true if every redirect URI points to the user's own machine. Any local program can then impersonate the
 * client.
 */
export function returnsToLoopbackOnly(redirectUris: readonly string[]): boolean {
  return redirectUris.length > 0 && redirectUris.every((uri) => LOOPBACK.test(uri));
}

type ApprovalRules = { scopes: readonly { name: string }[]; autoApprove: readonly AutoApproval[] };

/** Faults in an API's rules for automatic approval: unknown scopes. */
export function autoApproveFaults({ scopes, autoApprove }: ApprovalRules) {
  return autoApprove.flatMap((rule, at) =>
    rule.scopes
      .filter((name) => !scopes.some((scope) => scope.name === name))
      .map((name) => ({
        path: ['autoApprove', at, 'scopes'] as (string | number)[],
        ...fault('contains {scope}, which is not a scope of this API', { scope: name }),
      })),
  );
}
